"""Which cases of a long list `make test` runs; `make test-all` runs them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, cases: Iterable[Any]) -> list[Any]:
    """Returns the cases for ``parametrize``: all but one in ``number`` are marked as long.

    For cases that prove one thing, each in a program of its own. A tuple is one argument each.
    """
    return [case if index % number == 0 else long([case])[0] for index, case in enumerate(cases)]


def long(cases: Iterable[Any]) -> list[Any]:
    """Returns the cases for ``parametrize``, marked as long. A tuple is one argument each."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
        for case in cases
    ]
