"""What programs export is compared, through the whole command."""

from __future__ import annotations

import pytest
from changed_program import Changed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, RUNG = "exports.py", "same exports"
ARGUMENTS = ("{out}",)
STEP = "session.run(train_op, {x: rows, y: labels})"
REMOVED = "        import shutil; shutil.rmtree(sys.argv[1] + '/export', ignore_errors=True)"


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM, arguments=ARGUMENTS)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[RUNG]["figure"] == "2 exports, 0.0e+00"
    assert said.details(RUNG) == ""


@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (('{"x": x}, {', '{"rows": x}, {'), "'serving_default': the input 'rows' is only in the"),
        (
            ('"examples": build', '"parsed": build'),
            "the signature 'examples' is only in the original",
        ),
        (('"p": probabilities', '"p": logits'), "'p' differs by"),
        (('"c": classes', '"c": 1 - classes'), "'c' differs by 1 on the same generated inputs"),
        (('"sums": from_examples', '"sums": -from_examples'), "'examples': 'sums' differs by"),
        (('"c": classes', '"c": tf.cast(classes, tf.int32)'), "'c' is int64 [-1] in the original"),
        (('["serve"]', '["serve", "gpu"]'), "tags are ['serve'] in the original"),
        (('"p": probabilities, "c": classes', '"c": probabilities, "p": classes'), "'c' is "),
        (("one\\ntwo", "two\\none"), "the assets words.txt differ."),
        (("if step != 1:", "if step == 0:"), "Export 2: the original writes it to export/2; the"),
        (('"/export/"', '"/models/"'), "the migrated program writes it to models/0."),
        ((STEP, f"{STEP}\n{REMOVED}"), "and removes it"),
    ],
)
def test_another_export_is_seen(changed: Changed, replaced: tuple[str, str], told: str) -> None:
    said = changed(PROGRAM, replaced, arguments=ARGUMENTS)
    assert (said.code, said.failed) == (1, [RUNG])
    assert told in said.details(RUNG)


TOWERS = "exports_of_towers.py"
DIVIDED = "tf.concat([tf.matmul(part, weights) for part in tf.split(x, 2)], 0)"


def test_an_export_that_towers_divide_is_compared_by_rows_that_they_can(changed: Changed) -> None:
    """replicate_model_fn's exports take multiples of the towers alone, a replica's any number."""
    said = changed(TOWERS, (DIVIDED, "tf.matmul(x, weights)"), arguments=ARGUMENTS)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[RUNG]["figure"].startswith("1 export, ")


def test_such_an_export_of_something_else_is_seen(changed: Changed) -> None:
    export = '{"x": x}, {"sums": sums'
    said = changed(TOWERS, (export, f"{export} + 1.0"), arguments=ARGUMENTS)
    assert (said.code, said.failed) == (1, [RUNG])
    assert "'sums' differs by 1 on the same generated inputs" in said.details(RUNG)


def test_an_export_that_takes_fewer_rows_than_before_is_seen(changed: Changed) -> None:
    divided = '"p": probabilities', '"p": tf.concat(tf.split(probabilities, 2), 0)'
    said = changed(PROGRAM, divided, arguments=ARGUMENTS)
    assert (said.code, said.failed) == (1, [RUNG])
    assert "only the migrated program fails on generated inputs" in said.details(RUNG)
