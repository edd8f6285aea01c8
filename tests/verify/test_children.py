"""Programs that train in a process that they start, through the whole command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from test_recorder import ended
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded

pytestmark = pytest.mark.usefixtures("tensorflow_installed", "started_anew")
PROGRAM = PROGRAMS / "children.py"


@pytest.fixture
def started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has programs started by the interpreter, as users do (see tests/warm_python)."""
    monkeypatch.setenv("TFMIGRATE_COLD", "1")


@pytest.mark.parametrize("way", ["fork", "spawn", "subprocess"])
def test_training_in_another_process_is_refused(
    capsys: pytest.CaptureFixture[str], way: str
) -> None:
    assert main([str(PROGRAM), str(PROGRAM), "--legacy", "-q", "--", way]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = [line for line in said.err.splitlines() if line.strip()]
    assert len(lines) == 1, said.err
    line = lines[0]
    assert "trains in a child process (" in line


def test_other_processes_are_none_of_its_business(tmp_path: Path) -> None:
    run_recorded(Program(PROGRAM, ("spawn", "use")), tmp_path / "trace.npz", TIMEOUT)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.npz"]


@pytest.mark.skipif(sys.platform == "win32", reason="daemons are POSIX's")
def test_daemons_are_ended(tmp_path: Path) -> None:
    script, number = tmp_path / "leaves_a_daemon.py", tmp_path / "number"
    script.write_text(
        PROGRAM.read_text()
        + "    if os.fork() == 0:\n"
        + "        os.setsid()\n"
        + "        if os.fork() == 0:\n"
        + f"            print(os.getpid(), file=open({str(number)!r}, 'w'), flush=True)\n"
        + "            import time\n"
        + "            time.sleep(600)\n"
        + "        os._exit(0)\n"
        + "    os.wait()\n"
        + f"    while not os.path.exists({str(number)!r}):\n"
        + "        pass\n"
    )
    run_recorded(Program(script, ("none",)), tmp_path / "trace.npz", TIMEOUT)
    assert ended(int(number.read_text()))
