"""Which draw of the original's step each draw of a program is.

Where both draw the same shapes in the same order, the n-th is the n-th. Else the n-th of a shape is
the n-th of that shape: a program without the dropout of its attention was given masks of other
layers from there on, and its own where shapes did not fit. Then nothing was decided, where the
lost masks show in the first loss.
"""

from typing import Optional, Sequence, Tuple

# The type of op, the shape (None, or a length of it, where a function is built for any), the dtype.
Form = Tuple[str, Optional[Tuple[Optional[int], ...]], str]


def partner(
    index: int, forms: Sequence[Form], form: Form, theirs: Sequence[Optional[Form]]
) -> Optional[int]:
    """Returns the position of a draw's partner; None where it has none.

    Args:
        index: of the draw.
        forms: of all draws of the program's replica, as far as they are known, in order.
        form: of the draw, with the shape that it has now.
        theirs: of the original's in this step, in order.
    """
    if len(forms) == len(theirs) and all(map(_may_be, forms, theirs)):
        return index
    before = sum(_may_be(other, form) for other in forms[:index])
    same = [number for number, other in enumerate(theirs) if other == form]
    return same[before] if before < len(same) else None


def _may_be(form: Form, other: Optional[Form]) -> bool:
    """Returns whether a draw of a form may have another one, which is known in full."""
    if other is None or (form[0], form[2]) != (other[0], other[2]):
        return False
    if form[1] is None or other[1] is None:
        return True
    return len(form[1]) == len(other[1]) and all(
        length in (None, known) for length, known in zip(form[1], other[1])
    )
