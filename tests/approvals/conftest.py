"""Two operators, and the setting of production that demands them."""

from typing import Any

import pytest

from apps.accounts.models import Role, User
from tests.support.factories import staff_make


@pytest.fixture
def two_persons(settings: Any) -> None:
    """Require two persons, as production does. Tests and development do not."""
    settings.PUNTO_TWO_PERSONS = True


@pytest.fixture
def anna(committed: None) -> User:
    return staff_make(Role.OPERATOR)


@pytest.fixture
def ben(committed: None) -> User:
    return staff_make(Role.OPERATOR)
