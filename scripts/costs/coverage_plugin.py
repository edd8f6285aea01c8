"""A pytest plugin that gives each test a context of its own (scripts/costs/test_coverage.py)."""

from __future__ import annotations

from collections.abc import Generator

import coverage
import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Switches to the context of a test."""
    measured = coverage.Coverage.current()
    assert measured is not None, "coverage has not begun: is its .pth file installed?"
    measured.switch_context(item.nodeid)
    return (yield)
