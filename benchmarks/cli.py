"""Speed of the command line, against the tools that people would use in its place.

Every round runs each contender once, one after the other, each in a process of its own, on a copy
of the Python files of tensorflow/python/ops: ``tf_upgrade_v2`` of TensorFlow 2.15, ``pyupgrade``,
and ``ruff check`` as the lower bound. They live in a virtual environment of their own, which is
made once. Figures are medians of the rounds; quote the ratios, absolute figures are this machine's.
CPU time is given beside wall time: other work on the machine disturbs it less.

    python benchmarks/cli.py --peers DIR [--rounds 5] [--json FILE]

With ``--trees`` it migrates copies of given repositories instead, in one process each, and prints
the CPU seconds that a changed file takes, start-up apart; with ``--against`` beside another
version of the migrator, the two in turn.

    python benchmarks/cli.py --trees REPOSITORY... [--against CHECKOUT/migrator] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
PEERS = ("tensorflow-cpu==2.15.1", "pyupgrade==3.21.2", "ruff==0.14.6")
FILES = 300
CONCERNED = FILES // 20  # 5%
COPIES, SOME_COPIES = 33, 8  # of the trees, for large ones
# It uses internal names of TensorFlow 2.15 that are gone since, and is told so.
LEFT_OUT = "summary_ops_v2.py"


@dataclass(frozen=True)
class Measured:
    """One run of one contender.

    Attributes:
        wall: seconds from start to end.
        cpu: seconds of CPU time of all its processes.
        memory: MiB of memory that its largest process held.
    """

    wall: float
    cpu: float
    memory: float


def main() -> int:
    """Makes the trees, runs the rounds and prints the tables."""
    arguments = _arguments()
    if arguments.trees:
        migrators = [ROOT / "migrator", *([arguments.against] if arguments.against else [])]
        Console(width=100).print(_trees(arguments.trees, migrators, arguments.rounds))
        return 0
    peers = _peers(arguments.peers)
    results: dict[str, list[Measured]] = {}
    if arguments.json and arguments.json.exists():
        kept = json.loads(arguments.json.read_text())
        results = {name: [Measured(**one) for one in runs] for name, runs in kept.items()}
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        runs = _runs(peers, Path(scratch))
        for done in range(arguments.rounds):
            for name, command in runs:
                if arguments.only not in name or len(results.get(name, [])) > done:
                    continue
                results.setdefault(name, []).append(_measured(command()))
                if arguments.json:
                    arguments.json.write_text(json.dumps(_plain(results), indent=1))
    Console(width=100).print(_table(results))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--peers",
        type=Path,
        default=ROOT / ".venv-peers",
        help="where the virtual environment of the other tools is, or is to be made (Python 3.11)",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only the runs whose names hold this")
    parser.add_argument("--json", type=Path, help="keeps every figure; goes on where it stopped")
    parser.add_argument("--scratch", type=Path, help="where the trees are made (default: /tmp)")
    parser.add_argument("--trees", type=Path, nargs="+", help="repositories to migrate copies of")
    parser.add_argument("--against", type=Path, help="folder of another version of the migrator")
    return parser.parse_args()


def _trees(trees: Sequence[Path], migrators: Sequence[Path], rounds: int) -> Table:
    """Returns the CPU time of each migrator for a changed file of each tree, and their ratio."""
    heads = ["CPU, s a changed file", "before", "ratio"][: 2 * len(migrators) - 1]
    table = Table("tree", "files", "changed", *heads, title="Medians; one process; start-up apart")
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / "small"
        small.mkdir()
        (small / "a.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n")
        start_up = [_time_of(small, m, rounds, Path(scratch))[0] for m in migrators]
        for tree in trees:
            # In turn, so that other work on the machine disturbs all of them.
            runs = [[_time_of(tree, m, 1, Path(scratch)) for m in migrators] for _ in range(rounds)]
            changed = runs[0][0][1]
            times = [
                (statistics.median(run[index][0] for run in runs) - start) / max(changed, 1)
                for index, start in enumerate(start_up)
            ]
            ratio = [f"{times[0] / times[1]:.2f}"] if len(times) > 1 else []
            files = str(len(_python_files(tree)))
            table.add_row(tree.name, files, str(changed), *(f"{t:.3f}" for t in times), *ratio)
    return table


def _time_of(tree: Path, migrator: Path, rounds: int, scratch: Path) -> tuple[float, int]:
    """Returns the CPU time of migrating a copy of a tree, the median, and how many files change."""
    times, changed = [], 0
    for _ in range(rounds):
        copy = Path(tempfile.mkdtemp(dir=scratch)) / "tree"
        shutil.copytree(tree, copy, symlinks=True)
        before = {path: path.read_bytes() for path in _python_files(copy)}
        options = ["--isolated", "--no-cache", "-q", "-j1", str(copy)]
        command = [sys.executable, "-m", "tfmigrate", *options]
        times.append(_measured(command, migrator, (0, 1, 2)).cpu)
        changed = sum(path.read_bytes() != data for path, data in before.items())
        shutil.rmtree(copy.parent)
    return statistics.median(times), changed


def _python_files(tree: Path) -> list[Path]:
    return [p for p in tree.rglob("*") if p.suffix in (".py", ".ipynb") and p.is_file()]


def _peers(folder: Path) -> Path:
    """Returns the folder of the other tools' commands."""
    commands = folder / "bin"
    if not (commands / "tf_upgrade_v2").exists():
        if sys.version_info[:2] != (3, 11):
            raise SystemExit("TensorFlow 2.15 needs Python 3.11 here")
        venv.create(folder, with_pip=True)
        subprocess.run([commands / "python", "-m", "pip", "install", "-q", *PEERS], check=True)
    return commands


def _runs(peers: Path, scratch: Path) -> list[tuple[str, Callable[[], list[str]]]]:
    """Makes the trees; returns the names of the runs, and what makes the command of each."""
    source = next((peers.parent / "lib").glob("python*/site-packages/tensorflow/python/ops"))
    none, some = scratch / "none" / "ops", scratch / "some" / "ops"
    _tree(source, none, 0)
    _tree(source, some, CONCERNED)
    large, large_some = scratch / "large", scratch / "large_some"
    for number in range(COPIES):
        shutil.copytree(none, large / f"ops{number}")
    for number in range(SOME_COPIES):
        shutil.copytree(some, large_some / f"ops{number}")

    def own(*arguments: str | Path) -> Callable[[], list[str]]:
        return lambda: [sys.executable, "-m", "tfmigrate", *map(str, arguments)]

    def fresh(tree: Path, *arguments: str) -> Callable[[], list[str]]:
        """A command over a new copy of a tree, which it rewrites."""

        def command() -> list[str]:
            copy = Path(tempfile.mkdtemp(dir=scratch)) / "ops"
            shutil.copytree(tree, copy)
            files = [str(path) for path in sorted(copy.rglob("*.py"))]
            found: list[str] = []
            for argument in arguments:
                found += files if argument == "FILES" else [argument.replace("TREE", str(copy))]
            return found

        return command

    ruff = str(peers / "ruff")
    from_cache = own("--check", "--cache-dir", scratch / "cache", "-j1", some)
    _measured(from_cache())  # which fills it
    return [
        ("start-up", own("--version")),
        (
            "none: ruff",
            lambda: [ruff, "check", "-q", "--isolated", "--no-cache", "--exit-zero", str(none)],
        ),
        ("none: tfmigrate, 1 job", own("--check", "--no-cache", "-j1", none)),
        ("none: tfmigrate", own("--check", "--no-cache", none)),
        (
            "some: tf_upgrade_v2",
            fresh(
                some,
                str(peers / "tf_upgrade_v2"),
                *("--intree", "TREE", "--outtree", "TREE.new", "--reportfile", "TREE.txt"),
            ),
        ),
        (
            "some: pyupgrade",
            fresh(some, str(peers / "pyupgrade"), "--exit-zero-even-if-changed", "FILES"),
        ),
        ("some: tfmigrate, 1 job", fresh(some, sys.executable, "-m", "tfmigrate", "-j1", "TREE")),
        ("some: tfmigrate", fresh(some, sys.executable, "-m", "tfmigrate", "TREE")),
        ("some: tfmigrate, from cache", from_cache),
        ("large, none: tfmigrate, 1 job", own("--check", "--no-cache", "-j1", large)),
        ("large, none: tfmigrate, 2 jobs", own("--check", "--no-cache", "-j2", large)),
        ("large, some: tfmigrate, 1 job", own("--check", "--no-cache", "-j1", large_some)),
        ("large, some: tfmigrate, 2 jobs", own("--check", "--no-cache", "-j2", large_some)),
    ]


def _tree(source: Path, target: Path, concerned: int) -> None:
    """Copies files of TensorFlow's own; some give their places to programs of TensorFlow 1.x."""
    target.mkdir(parents=True)
    # Deeper ones get a place beside the others: what they are called is all the same here.
    paths = [path for path in sorted(source.rglob("*.py")) if path.name != LEFT_OUT]
    for number, path in enumerate(paths[:FILES]):
        shutil.copyfile(path, target / f"{number:03}_{path.name}")
    originals = sorted((ROOT / "fixtures").glob("*/*/original.py"))
    step = max(len(originals) // concerned, 1) if concerned else 1
    chosen = originals[::step][:concerned]
    for number, original in enumerate(chosen):
        place = sorted(target.iterdir())[number * FILES // concerned]
        shutil.copyfile(original, place)


def _measured(
    command: Sequence[str], migrator: Path = ROOT / "migrator", codes: Sequence[int] = (0, 1)
) -> Measured:
    environment = {
        **os.environ,
        "PYTHONPATH": str(migrator),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, env=environment, stdout=told, stderr=told)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            told.seek(0)
            raise SystemExit(f"{command[:6]} failed: {told.read().decode()[-2000:]}")
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _table(results: dict[str, list[Measured]]) -> Table:
    table = Table("run", "wall, s", "CPU, s", "MiB", title="Medians; memory is of one process")
    for name, measured in results.items():
        table.add_row(
            name,
            *(
                f"{statistics.median(getattr(one, figure) for one in measured):.2f}"
                for figure in ("wall", "cpu", "memory")
            ),
        )
    return table


def _plain(results: dict[str, list[Measured]]) -> dict[str, list[dict[str, float]]]:
    return {name: [asdict(one) for one in measured] for name, measured in results.items()}


if __name__ == "__main__":
    raise SystemExit(main())
