"""Results that are kept between runs of --check."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tfmigrate import cli
from tfmigrate.engine import cache, migration

SESSION = "import tensorflow as tf\ntf.Session()\n"
BLOCKED = SESSION + "tf.contrib.gan.gan_train(x)\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def migrated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the files of each piece that was really migrated."""
    made: list[list[str]] = []
    migrate = migration.migrate

    def note(sources: list[migration.SourceFile], *rest: object) -> migration.Migration:
        made.append([source.display for source in sources])
        return migrate(sources, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(migration, "migrate", note)
    return made


def check(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = cli.main(["--check", ".", "--verbose", *options])
    told = capsys.readouterr()
    assert told.err == ""
    return code, told.out


def entries(folder: str = cache.FOLDER) -> list[Path]:
    return [p for p in sorted(Path(folder).glob("*/*/*")) if p.is_file()]


def test_files_that_stay_are_looked_up(
    here: Path, migrated: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(SESSION)
    Path("b.py").write_text(BLOCKED)
    first = check(capsys)
    assert first[0] == 1
    assert migrated == [["a.py"], ["b.py"]]
    assert check(capsys) == first
    assert len(migrated) == 2
    Path("a.py").write_text(SESSION + "tf.Session()\n")
    check(capsys)
    assert migrated[2:] == [["a.py"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda: ["--unsafe"],
        lambda: ["--ignore", "TFM702"],
        lambda: ["--coordinator"],
        lambda: Path("a.py").rename("c.py"),
        lambda: Path("b.py").write_text("import a\nimport tensorflow as tf\ntf.matmul(x, y)\n"),
        lambda: Path("main.py").write_text("import a, b\nif __name__ == '__main__':\n  b.f()\n"),
    ],
    ids=["unsafe", "ignore", "coordinator", "name", "importer", "start"],
)
def test_whatever_a_result_depends_on_makes_it_anew(
    here: Path, migrated: list[list[str]], capsys: pytest.CaptureFixture[str], change: object
) -> None:
    Path("a.py").write_text(SESSION)
    Path("b.py").write_text("import tensorflow as tf\ntf.matmul(x, y)\n")
    check(capsys)
    before = list(migrated)
    options = change()  # type: ignore[operator]
    check(capsys, *(options if isinstance(options, list) else ()))
    assert len(migrated) > len(before)


def test_importers_outside_the_run_are_part_of_what_a_result_depends_on(
    here: Path, migrated: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    def notes() -> str:
        cli.main(["--check", ".", "--exclude", "script.py", "--exclude", "between.py"])
        return capsys.readouterr().err

    Path("library.py").write_text("import tensorflow as tf\ndef f():\n  tf.Session()\n")
    Path("between.py").write_text("import library\n")
    script = Path("script.py")
    script.write_text("import other\n")
    assert "found no script" in notes() == notes()
    assert len(migrated) == 1
    script.write_text("import between\n")
    assert "found no script" in notes()
    assert len(migrated) == 2
    script.write_text("import tensorflow as tf\nimport between\ntf.disable_v2_behavior()\n")
    assert notes() == notes() == ""
    assert len(migrated) == 3


def test_another_version_makes_results_anew(
    here: Path,
    migrated: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("a.py").write_text(SESSION)
    check(capsys)
    monkeypatch.setattr(cache, "__version__", "99.0")
    check(capsys)
    assert len(migrated) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data.replace(b"TFM701", b"TFM702"),
        lambda data: b"\0" * 100,
        lambda data: data[65:],
    ],
)
def test_a_damaged_entry_is_made_anew(
    here: Path, migrated: list[list[str]], capsys: pytest.CaptureFixture[str], damage: object
) -> None:
    Path("a.py").write_text(SESSION)
    first = check(capsys)
    (entry,) = entries()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))  # type: ignore[operator]
    assert check(capsys) == first
    assert len(migrated) == 2
    assert entry.read_bytes() == whole


def test_the_folder_is_left_alone_by_git_and_backups(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(SESSION)
    check(capsys)
    assert Path(".tfmigrate_cache/.gitignore").read_text() == "*\n"
    tag = Path(".tfmigrate_cache/CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_nothing_is_kept_unless_it_is_wanted(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text("import numpy\n")
    check(capsys)
    Path("a.py").write_text(SESSION)
    check(capsys, "--no-cache")
    cli.main(["--diff", "."])
    capsys.readouterr()
    assert sorted(path.name for path in here.iterdir()) == ["a.py"]
    check(capsys, "--cache-dir", "kept/here")
    assert sorted(path.name for path in here.iterdir()) == ["a.py", "kept"]
    assert len(entries("kept/here")) == 1


def test_a_folder_that_cannot_be_made_is_told_and_no_error(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text(SESSION)
    Path(".tfmigrate_cache").write_text("")
    assert cli.main(["--check", "."]) == 1
    reported = capsys.readouterr().err
    assert reported.startswith("tfmigrate: cannot use the cache in .tfmigrate_cache: ")


def test_results_of_last_month_are_removed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(SESSION)
    check(capsys)
    (entry,) = entries()
    month_ago = time.time() - 31 * 24 * 3600
    for path in (entry.parent, Path(cache.FOLDER, "cleaned")):
        os.utime(path, (month_ago, month_ago))
    Path("a.py").write_text(BLOCKED)
    check(capsys)
    assert not entry.exists()
    assert len(entries()) == 1


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_packaging_files_are_read_anew(
    here: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """A server, and --watch, run again in one process; results depend on what commands start."""
    Path("a.py").write_text(
        "import tensorflow as tf\n\ndef go():\n    return tf.placeholder('i')\n"
    )
    starts = []
    for text in ("", "setup(entry_points={'console_scripts': ['go = a:go']})\n", ""):
        Path("setup.py").write_text(text)
        cli.main(["--diff", ".", *options])
        starts.append("+tf.disable_v2_behavior()" in capsys.readouterr().out)
    assert starts == [False, True, False]
