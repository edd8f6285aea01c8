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


def all_but(costly: Iterable[str], cases: Iterable[Any]) -> list[Any]:
    """Returns the cases for ``parametrize``: those named are marked as long.

    For cases that one program computes together. A case is a name or has one.
    """
    names = set(costly)
    found = list(cases)
    assert names <= {_name_of(case) for case in found}, names
    return [long([case])[0] if _name_of(case) in names else case for case in found]


def run_here(request: pytest.FixtureRequest, argument: str) -> list[Any]:
    """Returns the cases of a file that are run in this session: what its program has to compute.

    Args:
        request: that of a fixture of the file's module.
        argument: the name of the tests' argument that is a case.
    """
    here = [item for item in request.session.items if item.path == request.path]
    parameters = [item.callspec.params for item in here if hasattr(item, "callspec")]
    return list({p[argument]: None for p in parameters if argument in p})


def _name_of(case: Any) -> str:
    return case if isinstance(case, str) else str(case.name)
