"""The project: settings, addresses, and the processes that serve it.

Each process imports this package first, so settings for all of them are here.
"""

import gc
import os

# By default Python looks for garbage after each 700 new objects. A start makes a million objects and keeps nearly all.
gc.set_threshold(50_000)

# numpy's threads wait for each other in a loop: beside busy processes, small products take four times the processor
# time. numpy reads the variable at its import.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
