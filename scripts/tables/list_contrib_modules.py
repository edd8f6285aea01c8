"""Writes the list of tf.contrib's modules, from installed TensorFlows 1.x.

The legacy runtime lets programs import these and no others, so that ``try: import`` of a module
that another version had takes the way it took then:

    python scripts/tables/list_contrib_modules.py PYTHON_1_15 [PYTHON_1_12 ...]
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parents[2] / "runtime/tfmigrate_runtime/tf1_shim/data/contrib_modules.txt"
_FOLDER = "import tensorflow, os; print(os.path.dirname(tensorflow.contrib.__file__))"
_VERSION = "import tensorflow; print(tensorflow.__version__)"


def modules_below(folder: Path) -> set[str]:
    """Returns the modules in the folder of tf.contrib, without its tests.

    Folders without names of their own end in "/".
    """
    found = set()
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        end = ""
        if parts[-1] == "__init__":
            parts = parts[:-1]
            end = "" if _has_names(path) else "/"
        if parts and not parts[-1].endswith("_test") and "testdata" not in parts:
            found.add(".".join(parts) + end)
    return found


def _has_names(path: Path) -> bool:
    statements = ast.parse(path.read_text("utf-8")).body
    ours = (s for s in statements if not isinstance(s, ast.Expr))
    return any(getattr(statement, "module", None) != "__future__" for statement in ours)


def _said_by(python: str, code: str) -> str:
    command = [python, "-W", "ignore", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main(pythons: list[str]) -> int:
    """Writes the list; returns 0, or 2 where no interpreter was given."""
    if not pythons:
        print(__doc__, file=sys.stderr)
        return 2
    versions = [_said_by(python, _VERSION) for python in pythons]
    modules = set().union(*(modules_below(Path(_said_by(p, _FOLDER))) for p in pythons))
    modules -= {f"{name}/" for name in modules}  # one of the versions had names in them
    header = (
        "# The modules of tf.contrib, below tensorflow.contrib, one a line; folders without names"
        " of\n# their own, whose modules are all that is in them, end in /.\n"
        f"# Made by scripts/tables/list_contrib_modules.py from TensorFlow {', '.join(versions)}.\n"
    )
    TARGET.write_text(header + "".join(f"{name}\n" for name in sorted(modules)))
    print(f"{TARGET}: {len(modules)} modules")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
