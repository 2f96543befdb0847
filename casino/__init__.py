"""The project: settings, addresses, and the processes that serve it.

Each process imports this package first, so what holds for all of them stands here.
"""

import gc
import os

# By default Python looks for garbage after each 700 new objects, of which a start makes a million and keeps nearly all.
gc.set_threshold(50_000)

# numpy's threads wait for each other in a loop: where other processes are busy, small products take four times the
# processor time. It reads the variable when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
