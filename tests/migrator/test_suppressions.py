from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import run
from test_cli import ORIGINAL, put
from test_output_formats import NOTEBOOK

from tfmigrate import cli

GONE = "import tensorflow.compat.v1 as tf\nx = tf.contrib.tpu.keras_to_tpu_model({})\n"


def codes(text: str, **options: object) -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in run(text, **options).findings]


@pytest.mark.parametrize(
    "comment",
    [
        "# tfmigrate: ignore",
        "# tfmigrate: ignore[TFM702]",
        "#tfmigrate:ignore[TFM1, tfm7]",
        "# why: it goes soon  # tfmigrate: ignore[TFM702]",
    ],
)
def test_a_comment_keeps_rules_off_its_line(comment: str) -> None:
    assert codes(GONE.format("")) == [("TFM702", 2)]
    assert codes(GONE.format("").rstrip() + f"  {comment}\n") == []


def test_a_comment_counts_on_every_line_of_the_construct_and_on_no_other() -> None:
    text = ORIGINAL.replace(
        "  optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)\n",
        "  # above\n  optimizer = tf.contrib.estimator.TowerOptimizer(  # first\n"
        "      optimizer,  # second\n  )  # last\n",
    )
    for place in ("first", "second", "last"):
        assert "TFM202" not in dict(codes(text.replace(place, "tfmigrate: ignore[TFM202]")))
    elsewhere = codes(text.replace("above", "tfmigrate: ignore[TFM202]"))
    assert ("TFM907", 7) in elsewhere
    assert "TFM202" in dict(elsewhere)


def test_a_comment_in_a_string_is_none() -> None:
    text = GONE.format("'# tfmigrate: ignore'")
    assert codes(text) == [("TFM702", 2)]


def test_a_file_can_be_ignored_by_some_rules_or_by_all() -> None:
    text = GONE.format("")
    assert codes(text + "# tfmigrate: ignore-file[TFM702]\n") == []
    assert codes("# tfmigrate: ignore-file\n" + ORIGINAL) == []
    assert run("# tfmigrate: ignore-file\n" + ORIGINAL).texts == {}


def test_what_belongs_together_with_an_ignored_change_stays_and_says_why() -> None:
    line = "  optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)"
    text = ORIGINAL.replace(line, line + "  # tfmigrate: ignore[TFM202]")
    result = run(text)
    [wrapper] = [finding for finding in result.findings if finding.code == "TFM201"]
    assert not wrapper.applied
    assert "needs TFM202 (ignored by the comment at program.py:7)" in wrapper.action
    assert "TFM202" not in {finding.code for finding in result.findings}
    for after in result.texts.values():
        assert "TowerOptimizer(optimizer)  # tfmigrate: ignore[TFM202]" in after
        assert "replicate_model_fn(" in after


def test_a_hazard_that_is_ignored_no_longer_holds_its_group_back() -> None:
    line = "  train_op = optimizer.minimize(loss, tf.train.get_global_step())\n"
    by_hand = (
        "  train_op = optimizer.apply_gradients(zip(*zip(*optimizer.compute_gradients(loss))))"
    )
    text = ORIGINAL.replace(line, by_hand + "{}\n")
    held = run(text.format(""))
    assert ("TFM205", 8) in [(f.code, f.line) for f in held.findings]
    assert not any(f.applied for f in held.findings if f.code == "TFM202")
    free = run(text.format("  # tfmigrate: ignore[TFM205]"))
    assert all(f.applied for f in free.findings if f.code == "TFM202")


def test_unknown_and_useless_codes_are_told() -> None:
    text = (
        "import tensorflow.compat.v1 as tf\n"
        "x = tf.contrib.tpu.keras_to_tpu_model()  # tfmigrate: ignore[TFM702, TFM799]\n"
        "y = 1  # tfmigrate: ignore[TFM702]\n"
        "z = 2  # tfmigrate: ignore[]\n"
    )
    assert codes(text) == [("TFM906", 2), ("TFM907", 3), ("TFM906", 4)]
    found = run(text).findings
    assert "unknown rule code in an ignore comment: TFM799" in found[0].message
    assert all(finding.action and not finding.applied for finding in found)


def test_a_comment_is_not_called_useless_where_its_rules_take_no_part() -> None:
    text = "y = 1  # tfmigrate: ignore[TFM702]\nz = 2  # tfmigrate: ignore\n"
    assert codes(text) == [("TFM907", 1), ("TFM907", 2)]
    assert codes(text, select=("TFM2",)) == []
    assert codes(text, ignore=("TFM702",)) == []
    assert codes(text, ignore=("TFM2",)) == [("TFM907", 1)]
    assert codes(text, ignore=("TFM907",)) == []
    unknown = "y = 1  # tfmigrate: ignore[TFM799]\n"
    assert codes(unknown) == [("TFM906", 1)]
    assert codes(unknown, ignore=("TFM906",)) == []


def test_a_comment_counts_in_the_cell_of_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads(json.dumps(NOTEBOOK))
    cell = book["cells"][1]
    cell["source"][1] += "  # tfmigrate: ignore[TFM702]\n"
    cell["source"].append("y = 1  # tfmigrate: ignore[TFM702]")
    put(tmp_path / "book.ipynb", json.dumps(book))
    assert cli.main(["--check", "--no-cache", "book.ipynb"]) == 1
    out = capsys.readouterr().out
    assert "TFM702  manual" not in out
    assert "book.ipynb:cell 2:3:8  TFM907  manual" in out
