"""The time limit of tasks whose work grows with what is played."""

from typing import Final

LONG_TASK_S: Final = 6 * 3600
"""A task that is killed by its limit begins anew at its next time, and would never end a day that takes longer than the
limit of other tasks, `CELERY_TASK_TIME_LIMIT`: that of 1.7 million rounds of blackjack in the statistics."""
