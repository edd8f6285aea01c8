"""Runs the engine on texts, and checks what every migration must hold."""

from __future__ import annotations

import io
import tempfile
import textwrap
import tokenize
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding
from tfmigrate.scan.prefilter import NAMES


def source(path: Path, text: str) -> SourceFile:
    return SourceFile(path=path, display=path.name, text=text, encoding="utf-8", bom=False)


def run(text: str, **options: object) -> Migration:
    return migrate([source(Path("/nowhere/program.py"), text)], Options(**options))  # type: ignore[arg-type]


def findings(text: str, **options: object) -> list[tuple[str, int]]:
    """Returns (code, line) of every finding that is not plainly fixed."""
    result = run(textwrap.dedent(text), **options)
    return [(f.code, f.line) for f in result.findings if f.severity.value != "fixed"]


def found(text: str, code: str, **options: object) -> list[Finding]:
    result = run(textwrap.dedent(text), **options)
    return [f for f in result.findings if f.code == code]


def migrated(text: str, **options: object) -> str:
    """Returns what a text becomes; checks that it parses, is stable and keeps its comments."""
    text = textwrap.dedent(text)
    after = run(text, **options).texts.get(Path("/nowhere/program.py"), text)
    compile(after, "program.py", "exec", dont_inherit=True)
    assert run(after, **options).texts == {}, "a second run changed its own output"
    lost = comments(text) - comments(after)
    assert not lost, f"lost comments: {lost}"
    return after


def changed(text: str, *edits: tuple[str, str]) -> str:
    """Returns a program with some texts replaced, each of which it holds once."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def check(before: str, after: str, **options: object) -> None:
    assert migrated(before, **options) == textwrap.dedent(after)


def check_unchanged(text: str, **options: object) -> None:
    assert run(textwrap.dedent(text), **options).texts == {}


def check_kept(text: str, **options: object) -> None:
    """Checks that a file is migrated to compat.v1 while its constructs stay as they are."""
    text = textwrap.dedent(text)
    result = run(text, **options)
    assert {f.severity.value for f in result.findings if not f.applied} == {"kept"}
    assert_kept(text, migrated(text, **options))


def assert_kept(before: str, after: str) -> None:
    """Checks that between two texts only imports, modes and the server's name differ."""
    assert "tensorflow.compat.v1" in after
    old = after.replace("import tensorflow.compat.v1 as tf", "import tensorflow as tf")
    old = old.replace("between_graph.Server", "tf.train.Server")
    old = old.replace('import os\n\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n', "")
    assert _lines(old) == _lines(before.replace("tensorflow.compat.v1", "tensorflow"))


def _lines(text: str) -> list[str]:
    """Returns the lines of a text but for those that a migration adds."""
    added = ("from tfmigrate_runtime import ", "tf.disable_", "import os", "os.environ.setdefault")
    return [line for line in text.splitlines() if line and not line.startswith(added)]


def comments(text: str) -> Counter[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # tokenize knows no lone \r
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(t.string for t in tokens if t.type == tokenize.COMMENT)


def migrate_tree(
    files: Mapping[str, str], **options: object
) -> tuple[dict[str, str], list[Finding]]:
    """Writes files to a folder and migrates those that name TensorFlow or what needs it.

    Returns:
        The new text of the files that changed, by name, and the findings.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        sources = []
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = textwrap.dedent(text)
            path.write_text(text)
            if any(name in text for name in NAMES):
                sources.append(
                    SourceFile(path=path, display=name, text=text, encoding="utf-8", bom=False)
                )
        result = migrate(sources, Options(**options), [root])  # type: ignore[arg-type]
        changed = {str(p.relative_to(root)): text for p, text in result.texts.items()}
        return changed, result.findings
