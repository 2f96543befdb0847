"""The time limit of tasks whose work grows with what is played."""

from typing import Final

LONG_TASK_S: Final = 6 * 3600
"""A task that is killed by its limit begins anew at its next time. With `CELERY_TASK_TIME_LIMIT`, the limit of others,
it would never close a day of 1.7 million rounds with decisions (docs/operations.md, "How fast")."""
