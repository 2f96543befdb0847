"""Play of many days, for all tests of reports."""

import psycopg
import pytest

from tests.support.played_days import Played


@pytest.fixture
def played(superuser: psycopg.Connection, committed: None) -> Played:
    return Played(superuser)
