"""Code that is nested as deeply as Python parses it, and deeper."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from support import comments, run
from test_cli import ORIGINAL

from tfmigrate.model.findings import Severity
from tfmigrate.rewrite.deep_stack import with_deep_stack

DEEP: dict[str, Callable[[int], str]] = {
    "a sum": lambda depth: "x = " + "1 + " * depth + "1\n",
    "a chain of calls": lambda depth: "f" + "(a)" * depth + "\n",
    "a chain of elif": lambda depth: "if a: pass\n" + "elif b: pass\n" * depth,
    "joined strings": lambda depth: "x = (" + "'a'\n" * depth + ")\n",
}


@pytest.mark.parametrize("kind", sorted(DEEP))
def test_deep_code_beside_a_program_is_no_hindrance(kind: str) -> None:
    """600 levels are more than Python's usual stack has room for in libcst."""
    deep = DEEP[kind](600)
    ast.parse(deep)
    result = run(ORIGINAL + deep)
    assert [finding for finding in result.findings if not finding.applied] == []
    (after,) = result.texts.values()
    assert after.endswith(deep)
    assert comments(after) == comments(ORIGINAL + deep)


@pytest.mark.parametrize("text", ["-" * 200_000 + "1\n", "x = " + "1 + " * 50_000 + "1\n"])
def test_what_python_itself_finds_too_deep_is_told_of_the_file(text: str) -> None:
    with pytest.raises((MemoryError, RecursionError)):
        ast.parse(text)
    result = run("import tensorflow as tf\n" + text)
    assert result.texts == {}
    ((code, severity),) = {(f.code, f.severity) for f in result.findings}
    assert (code, severity) == ("TFM900", Severity.ERROR)


def depth_of(calls: int) -> int:
    return calls and 1 + depth_of(calls - 1)


def test_the_work_is_done_again_on_a_larger_stack_only_where_it_must() -> None:
    attempts: list[int] = []

    def work(calls: int) -> int:
        attempts.append(calls)
        return depth_of(calls)

    assert with_deep_stack(lambda: work(10)) == 10
    assert attempts == [10]
    assert with_deep_stack(lambda: work(20_000)) == 20_000
    assert attempts == [10, 20_000, 20_000]


def test_an_error_on_the_way_out_of_too_deep_a_call_counts_as_that() -> None:
    def work() -> int:
        try:
            return depth_of(20_000)
        except RecursionError:
            raise KeyError("cleaning up") from None

    assert with_deep_stack(work) == 20_000


def test_errors_of_the_work_come_through() -> None:
    def failing() -> None:
        depth_of(20_000)
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        with_deep_stack(failing)
    with pytest.raises(RecursionError):
        with_deep_stack(lambda: depth_of(10**9))
