"""Tests on hosts of their own, where network namespaces can be made."""

from __future__ import annotations

import pytest

from tfmigrate_runtime.verify.hosts import why_refused


@pytest.fixture(autouse=True, scope="session")
def hosts_allowed() -> None:
    """Skips where the kernel refuses network namespaces, and says why."""
    reason = why_refused()
    if reason is not None:
        pytest.skip(reason)
