"""The Python text of a file or notebook, and which place a line of it came from."""

from __future__ import annotations

import ast
import difflib
import io
import json
import re
import tokenize
import warnings
from dataclasses import dataclass, field

Place = tuple[int, int]
_FOREIGN = re.compile(r"\s*(?:%%(?!time|capture|timeit|prun)\w|%(?:bash|sh|writefile)\b)")
_MAGIC = re.compile(r"(\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$|[\w, ]+=\s*[%!])")

# The first that matches is the family of a file.
FAMILIES = {
    "experiment": r"learn_runner|contrib\.learn\b|contrib import learn\b",
    "replicate_model_fn": r"\breplicate_model_fn\b|\bTowerOptimizer\b",
    "contrib_distribute": r"contrib\.distribute\b|contrib import distribute\b",
    "replica_device_setter": r"\breplica_device_setter\b|\bSyncReplicasOptimizer\b"
    r"|train\.Supervisor\b|train\.Server\b",
    "towers": r"\baverage_gradients\b|\btower_grads\b",
    "estimator": r"\btf\.estimator\b|tensorflow\.(?:python\.)?estimator\b"
    r"|tensorflow import estimator",
}
OTHER = "other TF1"
TF2 = "TF2"
HELPER = "helper"  # does not name TensorFlow, and is part of a program that does


@dataclass
class Text:
    """One file as Python text.

    Attributes:
        code: the text; the code cells of a notebook one below the other, magics as ``pass``.
        places: for each line of it the cell of the notebook, or 0, and the line there.
        tree: what it parses to; None where it does not.
    """

    code: str = ""
    places: list[Place] = field(default_factory=list)
    tree: ast.Module | None = None

    def shown(self, line: int) -> str:
        """Returns a line as people look for it: with the cell in a notebook."""
        cell, at = self.places[line - 1] if 0 < line <= len(self.places) else (0, line)
        return f"cell {cell}:{at}" if cell else str(at)


def text_of(data: bytes, notebook: bool) -> Text:
    """Reads a file; what cannot be read has no tree."""
    result = Text()
    try:
        if notebook:
            _join_cells(json.loads(data.decode("utf-8-sig")), result)
        else:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            result.code = data.decode(encoding).replace("\r\n", "\n")
            result.places = [(0, line + 1) for line in range(result.code.count("\n") + 1)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(result.code, "<survey>", "exec", dont_inherit=True)
            result.tree = ast.parse(result.code)
    except (SyntaxError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        result.tree = None
    return result


def _join_cells(notebook: dict[str, object], result: Text) -> None:
    lines: list[str] = []
    cells = notebook.get("cells")
    if cells is None:  # version 3
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]  # type: ignore[attr-defined]
    for number, cell in enumerate(cells, 1):  # type: ignore[var-annotated,arg-type]
        if cell["cell_type"] != "code":
            continue
        source = cell["source"] if "source" in cell else cell["input"]
        text = source if isinstance(source, str) else "".join(source)
        if _FOREIGN.match(text):
            continue
        for index, line in enumerate(text.split("\n"), 1):
            magic = _MAGIC.match(line)
            lines.append(f"{magic[1]}pass" if magic and not _is_python(line) else line)
            result.places.append((number, index))
    result.code = "\n".join(lines)


def _is_python(line: str) -> bool:
    try:
        ast.parse(line.strip())
    except SyntaxError:
        return line.lstrip().startswith("%") and not re.match(r"\s*%[a-z]", line)
    return True


def uses_tensorflow(text: Text) -> bool:
    """Returns whether a file imports TensorFlow or a companion; by words if it does not parse."""
    if text.tree is None:
        return (
            re.search(r"^\s*(?:import|from) +(?:tensorflow|tf_slim)\b", text.code, re.M) is not None
        )
    for node in ast.walk(text.tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] in ("tensorflow", "tf_slim") for name in names):
            return True
    return False


def family_of(text: Text) -> str:
    """Returns the family of a file that uses TensorFlow; whether it is TensorFlow 2 comes later."""
    for family, pattern in FAMILIES.items():
        if re.search(pattern, text.code):
            return family
    return OTHER


def original_lines(before: str, after: str) -> list[int]:
    """Returns for each line of a new text, from 1, the line of the old text that it came from."""
    old, new = before.split("\n"), after.split("\n")
    found = [0] * (len(new) + 2)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        for offset in range(new_end - new_start):
            found[new_start + offset + 1] = min(old_start + offset, max(old_end - 1, old_start)) + 1
    return found
