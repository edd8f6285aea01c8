"""A run that is killed, or has no room to write, leaves every file old or new."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from test_cli import ORIGINAL, put

from tfmigrate.engine.options import Options
from tfmigrate.engine.run import run
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.source import SourceFile
from tfmigrate.files.write import write_source

FILES = 500
OLD = "import tensorflow as tf\n" + "x = tf.placeholder(tf.float32)  # old\n" * 20
NEW = OLD.replace("tensorflow as tf", "tensorflow.compat.v1 as tf").replace("old", "new, longer")

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forks")


def write_all(sources: Sequence[SourceFile]) -> None:
    for source in sources:
        write_source(source, NEW)


def killed_at(moment: int) -> Callable[[object, str, object], None]:
    """Returns a profiler that kills its process at the given call, or return, of a function."""
    left = moment

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return count


def events_of(work: Callable[[], object]) -> int:
    """Counts the calls and returns of functions, built-in ones too."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def killed_run(sources: Sequence[SourceFile], moment: int) -> None:
    """Writes files in a process that is killed at a moment of its work, and waits for its end."""
    child = os.fork()
    if not child:
        try:
            sys.setprofile(killed_at(moment))
            write_all(sources)
        finally:
            os._exit(1)  # it was to be killed before
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL


@needs_fork
@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.long)])
def test_a_run_over_500_files_that_is_killed_many_times(kills: int, tmp_path: Path) -> None:
    """Each run goes on where the one before was killed, so that the kills lie all over the files.

    A kill may come before and after every call that the writing makes: before and after the
    temporary file is made, written, given its mode, and put in the place of the old one.
    """
    paths = [tmp_path / f"f{number:03}.py" for number in range(FILES)]
    for path in paths:
        path.write_text(OLD)
    sources = [decode_source(read_bytes(path), path, path.name) for path in paths]
    sample = decode_source(read_bytes(tmp_path / "f000.py"), tmp_path / "f000.py", "sample")
    # The fewest of some times: what the machine does beside it may add events, and takes none.
    counts = []
    for _ in range(5):
        counts.append(events_of(lambda: write_source(sample, NEW)))
        sample.path.write_text(OLD)
    events_per_file = min(counts)

    draw = random.Random(9)
    written, within = 0, 0
    for kill in range(kills):
        # As many files a run, in the mean, as bring the last kill to the last files.
        mean = (FILES - written) / (kills - kill)
        most = min(2 * mean, FILES - written - 1)
        if most <= 0:  # nothing is left to be killed at
            break
        killed_run(sources[written:], draw.randrange(max(int(most * events_per_file), 1)))
        texts = [path.read_text() for path in paths]
        assert set(texts) <= {OLD, NEW}
        done = texts.count(NEW)
        assert texts == [NEW] * done + [OLD] * (FILES - done)
        within += written < done < FILES
        written = done
    assert within > kills / 2  # the kills did not all come before the first file of their run
    assert written > FILES * 0.8
    write_all(sources[written:])
    assert all(path.read_text() == NEW for path in paths)

    # What a killed process leaves: at most the one hidden file that it was writing.
    left = [path.name for path in tmp_path.iterdir() if path not in set(paths)]
    assert len(left) <= kills
    assert all(name.startswith(".tfmigrate-") and name.endswith(".tmp") for name in left)

    # A run that writes nothing leaves it there; the next one removes it.
    put(tmp_path / "last.py")
    run([str(tmp_path)], [], Options(), dry_run=True)
    assert len(list(tmp_path.iterdir())) == FILES + len(left) + 1
    run([str(tmp_path / "last.py")], [], Options(), dry_run=False)
    assert len(list(tmp_path.iterdir())) == FILES + 1


def run_command(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_a_file_larger_than_may_be_written_is_an_error_and_the_others_are_migrated(
    tmp_path: Path,
) -> None:
    pytest.importorskip("resource", reason="limits of file sizes are POSIX")
    small = put(tmp_path / "small.py")
    large = put(tmp_path / "large.py", ORIGINAL + "# filling\n" * 2000)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "from tfmigrate.cli import main\n"
        "sys.exit(main(['.']))\n"
    )
    result = run_command([sys.executable, "-c", code], tmp_path)
    assert result.returncode == 2
    errors = result.stderr.splitlines()
    assert len(errors) == 1
    assert "large.py:1:1" in errors[0]
    assert "not written: File too large" in errors[0]
    assert (tmp_path / "large.py").read_bytes() == large
    assert (tmp_path / "small.py").read_bytes() != small
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.py", "small.py"]


def test_a_full_disk_is_an_error_and_every_file_stays_whole(tmp_path: Path) -> None:
    """A disk of 64 KiB that a mount namespace of its own holds, filled but for one block."""
    unshare = shutil.which("unshare")
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    trial = "mount -t tmpfs -o size=64k none disk"
    (tmp_path / "disk").mkdir()
    if (
        not unshare
        or subprocess.run(
            [*inside, "sh", "-c", trial], cwd=tmp_path, capture_output=True
        ).returncode
    ):
        pytest.skip("no file system can be mounted here")
    put(tmp_path / "old.py", ORIGINAL + "# filling\n" * 2000)
    script = f"""
set -e
{trial}
cp old.py disk/a.py
cp old.py disk/b.py
head -c 1M /dev/zero > disk/fill 2>/dev/null || true
cd disk
set +e
"{sys.executable}" -m tfmigrate . >&2
code=$?
set -e
cmp a.py ../old.py
cmp b.py ../old.py
ls -A
exit $code
"""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    result = subprocess.run(
        [*inside, "sh", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert result.returncode == 2, result.stderr
    assert result.stdout.split() == ["a.py", "b.py", "fill"]
    assert result.stderr.count("not written: No space left on device") == 2
