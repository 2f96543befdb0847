"""Fixtures for the tests of the RTP evidence."""

from typing import Any

import pytest

from apps.accounts.models import Role, User
from tests.support.factories import staff_make


@pytest.fixture
def operators(committed: None, settings: Any) -> tuple[User, User]:
    """Two operators of a house where two persons are needed."""
    settings.PUNTO_TWO_PERSONS = True
    return staff_make(Role.OPERATOR), staff_make(Role.OPERATOR)
