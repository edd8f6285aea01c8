"""What differs between two versions of TensorFlow, and the page that says it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs/reference/changed_functions.md"

Call = Mapping[str, Any]
# Six digits are kept of float32 numbers, and kernels add in another order.
RELATIVE, ABSOLUTE = 1e-4, 1e-5
# float16 has three digits.
_ROUNDED = "float16"
# Objects with other names that stand for the same: an operation, a decorated function.
_SAME_OBJECTS = ("ShouldUseWrapper", "Bind")
# What the tool or the runtime does, and what a program can do.
_FLIPPED = "fixed for images of decode_image (TFM730); otherwise call set_shape"
_RENAMED = "fixed (TFM731)"
_DTYPE = "Python lists are complex128 now: pass a complex64 tensor"
_NO_INTEGERS = "pass a float or complex tensor: integers have no angle"
_FLOAT16 = "no float16 kernel: cast to float32"
_ASSERTION = "the message must be a string, not a tensor"
_GRADIENT_NOW = "TensorFlow 1.15 had no gradient: use tf.stop_gradient"
_GRADIENT_FIXED = "TensorFlow 1.15 returned the transpose for adjoint=True, a bug"
_ANSWERS = {
    "angle": _NO_INTEGERS,
    "assert_scalar": _ASSERTION,
    "broadcast_dynamic_shape": "pass both shapes as int32 or both as int64",
    "clip_by_norm": "pass a positive norm: a negative one is meaningless",
    "convert_to_tensor": "preferred_dtype must be a dtype, not a tensor",
    "debugging.assert_scalar": _ASSERTION,
    **dict.fromkeys(("fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"), _DTYPE),
    "image.encode_png": "pass a uint8 tensor, such as np.array(pixels, np.uint8): lists are int32",
    "image.hsv_to_rgb": "float64 stays float64: cast to float32 for the old type",
    "image.psnr": "cause unknown; pass max_val as a number",
    "image.random_jpeg_quality": "cause unknown; adjust_jpeg_quality is unchanged",
    "is_numeric_tensor": "True for float16 too",
    "lin_space": _GRADIENT_NOW,
    "linspace": _GRADIENT_NOW,
    **dict.fromkeys(("linalg.diag", "matrix_diag", "matrix_diag_part"), _RENAMED),
    **dict.fromkeys(("linalg.eigh", "linalg.pinv", "linalg.svd"), _FLOAT16),
    **dict.fromkeys(("rint", "self_adjoint_eig", "svd"), _FLOAT16),
    "linalg.inv": _GRADIENT_FIXED,
    "matrix_inverse": _GRADIENT_FIXED,
    "matrix_band_part": "pass both numbers as int32 or both as int64",
    "name_scope": "the name must be a string, not a tensor",
    "sparse_split": "the axis must be a number, not a list",
    "train.summary_iterator": "the path must be a string, not a tensor",
    "image.crop_to_bounding_box": "fixed (TFM730)",
    "image.flip_left_right": _FLIPPED,
    "image.flip_up_down": _FLIPPED,
    "image.random_flip_left_right": _FLIPPED,
    "image.random_flip_up_down": _FLIPPED,
    "image.rot90": _FLIPPED,
    "image.per_image_standardization": "the type is float32 now, as before TensorFlow 1.14; "
    "`image_ops.per_image_standardization` of the runtime keeps it",
}
# What a run says of the machine and not of the function.
_NO_ANSWER = ("took too long", "Timed out", "Deadline", "deadline")


def difference(came: Call, again: Call) -> str:
    """Returns how the second result of a call differs from the first; "" where it does not."""
    if "error" in again:
        text = str(again.get("text", ""))
        if any(mark in text for mark in _NO_ANSWER):
            return ""
        return f"raises {again['error']}"
    if "static" not in came or "static" not in again:
        same = again.get("result") in (came.get("result"), *_SAME_OBJECTS)
        return "" if same else "returns something else"
    if any(dtype == _ROUNDED for dtype, _ in came["static"]):
        return ""
    if [dtype for dtype, _ in came["static"]] != [dtype for dtype, _ in again["static"]]:
        return "dtype"
    if not _near(came["values"], again["values"]):
        return "values"
    if not _near(came.get("gradients", []), again.get("gradients", [])):
        return "gradients"
    if any(
        _is_lost(old, new)
        for (_, old), (_, new) in zip(came["static"], again["static"], strict=True)
    ):
        return "static shape"
    return ""


def _is_lost(old: list[int | None] | None, new: list[int | None] | None) -> bool:
    """Returns whether less is known of a shape than was: more is not a difference to a program."""
    if old is None:
        return False
    return new is None or any(
        was is not None and size is None for was, size in zip(old, new, strict=False)
    )


def _near(old: Any, new: Any) -> bool:
    if isinstance(old, list):
        return (
            isinstance(new, list)
            and len(old) == len(new)
            and all(_near(a, b) for a, b in zip(old, new, strict=True))
        )
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(_near(old[key], new[key]) for key in old)
    if isinstance(old, float) and isinstance(new, float):
        if math.isnan(old) or math.isnan(new):
            return math.isnan(old) and math.isnan(new)
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(old == new)


def changed_calls(
    compared: Iterable[tuple[Call, Call, Call]],
) -> dict[str, dict[str, list[tuple[Call, Call, Call]]]]:
    """Returns the calls whose result differs, by function and by how."""
    found: dict[str, dict[str, list[tuple[Call, Call, Call]]]] = {}
    for call, came, again in compared:
        kind = difference(came, again)
        if kind:
            found.setdefault(call["name"], {}).setdefault(kind, []).append((call, came, again))
    return found


Signature = Mapping[str, list[list[Any]]]


def changed_signatures(signatures: Mapping[str, tuple[Signature, Signature]]) -> dict[str, str]:
    """Returns what became of parameters that calls may have named or counted on, by name."""
    found = {}
    for name, (old, new) in signatures.items():
        for part, before in old.items():
            text = _changed_parameters(before, new.get(part, []))
            if part in new and text:
                found[name + part] = text
    return found


def _changed_parameters(before: list[list[Any]], after: list[list[Any]]) -> str:
    kept = {p[0] for p in after}
    if any(kind == 4 for _, kind, _ in after):  # **options may take any
        return ""
    texts = []
    gone = [p[0] for p in before if p[0] not in kept and p[1] in (1, 3)]
    if gone:
        texts.append(f"without {', '.join(gone)}")
    places = [p[0] for p in after if p[1] in (0, 1)]
    positional = [p[0] for p in before if p[1] in (0, 1)]
    if places[: len(positional)] != positional and not gone:
        texts.append("in a different order, or fewer by position")
    defaults = {p[0]: p[2] for p in after}
    moved = [
        f"{p[0]}={p[2]} is now {defaults[p[0]]}"
        for p in before
        if p[0] in defaults and p[2] != defaults[p[0]] and "(object)" not in (p[2], defaults[p[0]])
    ]
    return "; ".join(texts + moved)


def write_report(
    compared: Sequence[tuple[Call, Call, Call]],
    signatures: Mapping[str, tuple[Signature, Signature]],
    names: int,
) -> None:
    """Writes the page: the functions and parameters that changed, of a number of names."""
    calls = Counter(call["name"] for call, _, _ in compared)
    changed = changed_calls(compared)
    lines = [
        "# Functions of compat.v1 that changed and kept their names",
        "",
        "Written by `python scripts/report/compare_compat_v1.py`. It calls public functions that "
        "exist in both",
        "TensorFlow 1.15.5 and compat.v1 of 2.21.0 with generated arguments, in graph mode",
        f"and with fixed seeds: {sum(calls.values()):,} calls of {len(calls)} functions that work "
        "on",
        f"1.15.5. At least one call differs for {len(changed)} of them; the relative tolerance of",
        f"values is {RELATIVE:g}, and float16 is not compared. The other names, of {names:,}, are",
        "aliases, or no generated call of them worked: nothing is known about those.",
        "The shim restores the old functions of `tf.image` below.",
        "",
        "| function | differs in | calls | example | what to do |",
        "|---|---|---|---|---|",
    ]
    for name in sorted(changed):
        for kind, found in changed[name].items():
            given = json.dumps({k: _as_text(v) for k, v in found[0][0]["given"].items()})
            answer = _ANSWERS.get(name, "not examined")
            lines.append(
                f"| `{name}` | {kind} | {len(found)} of {calls[name]} | `{given}` | {answer} |"
            )
    lines += [
        "",
        "## Parameters",
        "",
        "Parameters that were removed, moved, or have a different default. TFM731 removes",
        "`add_update(inputs=...)`, renames, and passes `name` by keyword where a parameter was",
        "added before it.",
        "",
        "| name | what changed |",
        "|---|---|",
    ]
    parameters = changed_signatures(signatures)
    lines += [f"| `{name}` | {parameters[name]} |" for name in sorted(parameters)]
    PAGE.write_text("\n".join(lines) + "\n")


def _as_text(argument: Sequence[Any]) -> Any:
    return argument[1] if argument[0] == "python" else " ".join(map(str, argument))
