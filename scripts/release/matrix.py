"""Builds both distributions and runs tests on what pip installs of them, in empty environments.

    python scripts/release/matrix.py FOLDER            hours on two cores; needs build
    python scripts/release/matrix.py FOLDER --short    fewer of the migrator's tests

The migrator's tests run on every Python without TensorFlow, the short suite on the TensorFlows
that the runtime names. Each environment is made in FOLDER, anew, with both wheels. The tests are
those of the last commit, unpacked; the packages are the installed ones. The result is
docs/reference/compatibility.md, row by row.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "compatibility.md"
_BEGIN, _END = "<!-- begin tested versions -->\n", "<!-- end tested versions -->\n"
MIGRATOR = ("tests/migrator",)
# What depends on installed files and on the version of Python, and the rules of two constructs.
SHORT_MIGRATOR = tuple(
    f"tests/migrator/test_{name}.py"
    for name in (
        *("cli", "equivalents", "fixtures", "notebooks", "output_formats", "pages", "plugins"),
        *("python2", "repository", "requirements", "settings", "startup", "target_keras"),
        *("tfm101", "tfm102", "tfm201", "tfm202", "typed", "vendor", "versions"),
    )
)
# Names that the runtime takes from TensorFlow, its own names, training and verify.
SHORT = (
    "tests/runtime/test_compat.py",
    "tests/runtime/test_private_names.py",
    "tests/runtime/test_public_names.py",
    "tests/runtime/test_listed_names.py",
    "tests/runtime/test_public_api.py",
    "tests/runtime/test_without_rich.py",
    "tests/runtime/test_replicas.py",
    "tests/runtime/test_fused_steps.py",
    "tests/verify/test_verify_one_program.py",
)
HEAD = """## Tested versions

`python scripts/release/matrix.py FOLDER` builds both wheels with `python -m build`,
installs them in empty environments and runs tests of the clone on the installed
packages. It wrote these tables; {machine}.

### The migrator, without TensorFlow

`pytest -m 'not long'` with:

{migrator}

{first}

### With TensorFlow

`pytest -m 'not long'` with:

{short}

{second}

A test is skipped where the machine lacks what it needs: TensorFlow 1.15, a browser, a GPU.
"""
COLUMNS = (
    "| Python | TensorFlow | distributions installed | tests | minutes |\n|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Case:
    """An environment and the tests in it.

    Attributes:
        python: the version of Python, "3.12".
        tensorflow: that of TensorFlow, "" for none.
    """

    python: str
    tensorflow: str = ""

    @property
    def extras(self) -> str:
        """What is installed of tfmigrate beside itself."""
        return "runtime,test" if self.tensorflow else "test"

    @property
    def pins(self) -> list[str]:
        """The TensorFlow, as arguments of pip."""
        names = ("tensorflow", "tf-keras") if self.tensorflow else ()
        return [f"{name}=={self.tensorflow}.*" for name in names]


CASES = (
    *(Case(python) for python in ("3.10", "3.11", "3.12", "3.13")),
    Case("3.10", "2.16"),
    Case("3.12", "2.18"),
    Case("3.13", "2.21"),
)


def main() -> int:
    """Returns 0 if all tests passed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where environments are made")
    parser.add_argument("--only", type=int, nargs="*", help="cases to run, from 0; other rows stay")
    parser.add_argument("--short", action="store_true", help="fewer tests of the migrator")
    parser.add_argument("--jobs", type=int, default=2, help="processes of a run, 2 by default")
    options = parser.parse_args()
    migrator = SHORT_MIGRATOR if options.short else MIGRATOR
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    clone = unpack(folder / "clone")
    wheels = build(clone, folder / "dist")
    failed = False
    for number in options.only or range(len(CASES)):
        row, passed = run(CASES[number], folder, wheels, clone, migrator, options.jobs)
        failed |= not passed
        print(row, flush=True)
        rows = {_key(each): each for each in [*_rows_of_page(), row]}
        _write([rows[key] for key in sorted(rows)], migrator)
    return int(failed)


def build(clone: Path, folder: Path) -> list[Path]:
    """Returns the wheels of both distributions, built by way of their source distributions."""
    shutil.rmtree(folder, ignore_errors=True)
    for project in (clone / "runtime", clone):
        command = [sys.executable, "-m", "build", "--outdir", folder, project]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.whl"))


def unpack(folder: Path) -> Path:
    """Returns a clone of the last commit."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    return folder


def run(
    case: Case,
    folder: Path,
    wheels: list[Path],
    clone: Path,
    migrator: Sequence[str],
    jobs: int,
) -> tuple[str, bool]:
    """Returns the row of a case, and whether all tests passed."""
    python = _environment(case, folder)
    wanted = [f"{w}[{case.extras}]" if w.name.startswith("tfmigrate-") else str(w) for w in wheels]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted, *case.pins], check=True)
    listed = _output(python, "-m", "pip", "list", "--format=freeze")
    versions = dict(line.split("==") for line in listed.splitlines() if "==" in line)
    home = _output(python, "-c", HOME)
    assert str(clone) not in home, home
    files = SHORT if case.tensorflow else migrator
    command = [python, "-m", "pytest", "-q", "-n", str(jobs), "-m", "not long", *files]
    started = time.monotonic()
    log = folder / f"{python.parents[1].name}.log"
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.run(command, cwd=clone, env=_clean(), stdout=file, stderr=file)
    minutes = (time.monotonic() - started) / 60
    last = log.read_text("utf-8").splitlines()[-1]
    counts = re.findall(r"\d+ (?:passed|failed|skipped|errors?)", last)
    exact = _output(python, "-c", "import platform; print(platform.python_version())").strip()
    cells = [exact, versions.get("tensorflow", "none"), str(len(versions) - 1)]
    return "| " + " | ".join(
        [*cells, ", ".join(counts), f"{minutes:.0f}"]
    ) + " |", not done.returncode


HOME = "import tfmigrate, tfmigrate_runtime as r; print(tfmigrate.__file__, r.__file__)"


def _environment(case: Case, folder: Path) -> Path:
    """Returns the Python of a new environment without packages."""
    place = folder / f"rel-{case.python}-{case.tensorflow or 'migrator'}"
    shutil.rmtree(place, ignore_errors=True)
    found = sorted(Path.home().glob(f".pyenv/versions/{case.python}.*/bin/python"))
    python = found[-1] if found else shutil.which(f"python{case.python}")
    if python is None:
        raise SystemExit(f"Python {case.python} is not installed")
    subprocess.run([python, "-m", "venv", place], check=True)
    return place / "bin" / "python"


def _clean() -> dict[str, str]:
    """Returns the environment of tests: nothing of a clone can be imported."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def _output(*command: str | Path) -> str:
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=_clean(), cwd="/"
    ).stdout


def _key(row: str) -> tuple[str, ...]:
    return tuple(row.split(" | ")[:2])


def _rows_of_page() -> list[str]:
    text = PAGE.read_text("utf-8").partition(_BEGIN)[2].partition(_END)[0]
    return re.findall(rf"^\| 3\.(?:[^|\n]*\|){{{COLUMNS.count('---')}}}$", text, re.MULTILINE)


def _write(rows: list[str], migrator: Sequence[str]) -> None:
    first = [row for row in rows if " | none | " in row]
    machine = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {time.strftime('%F')}"
    )
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    tables = HEAD.format(
        machine=machine,
        migrator="\n".join(f"* `{name}`" for name in migrator),
        first="\n".join([COLUMNS, *first]),
        short="\n".join(f"* `{name}`" for name in SHORT),
        second="\n".join([COLUMNS, *(row for row in rows if row not in first)]),
    )
    PAGE.write_text(before + _BEGIN + tables + _END + rest.partition(_END)[2], "utf-8")


if __name__ == "__main__":
    sys.exit(main())
