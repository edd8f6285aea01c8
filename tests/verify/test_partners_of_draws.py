"""Which draw of the original's step a draw of its port is given."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tfmigrate_runtime.verify.recorder.draws.partners import partner

Shape = tuple[int | None, ...] | None
WIDE, SQUARE, ROWS = (16, 8), (16, 2, 2), (12, 8)


@pytest.mark.parametrize(
    ("own", "original", "partners"),
    [
        ([WIDE, SQUARE, WIDE], [WIDE, SQUARE, WIDE], [0, 1, 2]),
        ([], [WIDE], []),
        # Functions are built for batches of any length, or for any shape.
        ([(None, 8), (None, 8)], [WIDE, ROWS], [0, 1]),
        ([None, None], [WIDE, SQUARE], [0, 1]),
        # The masks of attention are lost: those of the other layers are what they were.
        ([WIDE, WIDE, WIDE], [WIDE, SQUARE, WIDE, SQUARE, WIDE], [0, 2, 4]),
        # It draws more, and in another order.
        ([SQUARE, WIDE, ROWS, WIDE], [WIDE, SQUARE, WIDE], [1, 0, None, 2]),
        ([WIDE, WIDE], [WIDE], [0, None]),
    ],
)
def test_partners(
    own: Sequence[Shape], original: Sequence[tuple[int, ...]], partners: Sequence[int | None]
) -> None:
    forms = [("RandomUniform", shape, "float32") for shape in own]
    theirs = [("RandomUniform", shape, "float32") for shape in original]
    values = [
        ("RandomUniform", theirs[n][1] if shape is None or None in shape else shape, "float32")
        for n, shape in enumerate(own)
    ]
    assert [partner(n, forms, values[n], theirs) for n in range(len(own))] == partners


def test_draws_of_another_kind_are_no_partners() -> None:
    form, other = ("RandomUniform", WIDE, "float32"), ("RandomStandardNormal", WIDE, "float32")
    assert partner(0, [form], form, [other]) is None
