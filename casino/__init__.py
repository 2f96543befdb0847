"""The project: settings, addresses, and the processes that serve it.

Each process imports this package first, so the rule about garbage stands here.
"""

import gc

# By default Python looks for garbage after each 700 new objects, of which a start makes a million and keeps nearly all.
gc.set_threshold(50_000)
