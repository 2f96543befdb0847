"""How long tests wait: one setting for all of them, which a slow machine may raise."""

from typing import Final

from casino import env

WAIT_S: Final = env.number("PUNTO_TEST_WAIT_S", 120)
"""The longest wait for one event. A test that passes never waits as long."""
