"""The program of a bundle."""

from typing import Any

import pytest

from apps.bundles.services import VERIFIER


@pytest.fixture(scope="session")
def verifier() -> Any:
    """The program as a module, so that many bundles are checked by one process."""
    import importlib.util

    found = importlib.util.spec_from_file_location("bundle_verify", VERIFIER)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
