"""Sets of the recorded program have one order, however Python hashes texts."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder.program.sets import OrderedSet

TEXT = "the quick brown fox jumps over the lazy dog"
SCRIPT = """
import words
print(list(set(words.TEXT)), words.of(words.TEXT), list(set(words.TEXT) - set("aeiou")))
"""
MODULE = f"""
TEXT = {TEXT!r}
def of(text):
    return [word for word in set(text.split()) | {{"end"}}]
"""
RUN = "import sys; from tfmigrate_runtime.verify.recorder.program import scripts as script; "


# 7 and 15 want one place in Python's table: which comes first depends on which was added first.
@pytest.mark.parametrize("items", [[3, 1, 2], [7, 15], ["b", 1], [None, "a"], []])
def test_others_are_as_in_python(items: list[object]) -> None:
    assert list(OrderedSet(items)) == list(set(items))
    assert repr(OrderedSet(items)) == repr(set(items))


def test_texts_and_tuples_are_sorted() -> None:
    assert list(OrderedSet(TEXT)) == sorted(set(TEXT))
    pairs = OrderedSet(itertools.pairwise(TEXT))
    assert list(pairs) == sorted(pairs)


def test_results_of_operators_are_ordered() -> None:
    letters = OrderedSet(TEXT)
    for result in (
        *(letters - {" "}, letters | {"1"}, letters & set("dog"), letters ^ set("dig")),
        *({"1"} | letters, letters.union("1"), letters.difference(" "), letters.copy()),
    ):
        assert type(result) is OrderedSet
        assert list(result) == sorted(result)


def test_it_is_a_set() -> None:
    letters = OrderedSet("ba")
    assert isinstance(letters, set)
    assert isinstance({1}, OrderedSet)
    assert not isinstance([1], OrderedSet)
    assert issubclass(set, OrderedSet)
    assert letters == {"a", "b"}
    assert type(pickle.loads(pickle.dumps(letters))) is set
    assert (letters.pop(), letters.pop()) == ("a", "b")
    with pytest.raises(KeyError):
        letters.pop()


def test_the_program_and_its_modules_have_one_order(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SCRIPT)
    (tmp_path / "words.py").write_text(MODULE)
    printed = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", RUN + "script.run_program(sys.argv[1], [])", "main.py"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout)
    letters, words = sorted(set(TEXT)), sorted({*TEXT.split(), "end"})
    assert printed == {f"{letters} {words} {sorted(set(TEXT) - set('aeiou'))}\n"}
