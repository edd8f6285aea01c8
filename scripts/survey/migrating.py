"""Migrates copies of files and folders, and says what came of it.

    python migrating.py < REQUEST > ANSWER    # the process that does it, by JSON

It is a process of its own, so that a crash or a limit ends nothing else.
"""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MODES = {"default": {}, "--unsafe --py2": {"unsafe": True, "py2": True}}
MEMORY = 6 << 30


@dataclass
class Migrated:
    """What came of one run.

    Attributes:
        seconds: how much processor time the run took.
        changed: the new bytes of the files that changed, as Latin-1 text, by relative path.
        again: the files that a second run changed.
        findings: code, severity, whether it was applied, line, cell, message and action by path.
        trouble: what ended the run; "" for nothing.
    """

    seconds: float = 0.0
    changed: dict[str, str] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)
    findings: dict[str, list[list[Any]]] = field(default_factory=dict)
    trouble: str = ""


def migrate_folder(root: Path, mode: str, seconds: int, twice: bool) -> Migrated:
    """Migrates a copy of a whole folder."""
    request = {"root": str(root), "mode": mode, "files": None, "seconds": seconds, "twice": twice}
    answer = _ask(request, seconds)
    return answer.get("", Migrated(trouble=f"did not end in {seconds} s"))


def migrate_alone(
    root: Path, files: Sequence[str], mode: str, seconds: int, twice: bool
) -> dict[str, Migrated]:
    """Migrates files of a folder, each as if there were no other."""
    request = {"root": str(root), "mode": mode, "files": files, "seconds": seconds, "twice": twice}
    answers = _ask(request, seconds * max(len(files), 1))
    return {file: answers.get(file, Migrated(trouble="the process ended")) for file in files}


def _ask(request: dict[str, Any], seconds: int) -> dict[str, Migrated]:
    command = [sys.executable, __file__]
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=20 * seconds
        )
    except subprocess.TimeoutExpired:
        return {}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]
    return {file: Migrated(**answer) for file, answer in lines}


class _TooLong(BaseException):
    pass


def _serve(request: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    root, files = Path(request["root"]), request["files"]
    for file in [""] if files is None else files:
        with tempfile.TemporaryDirectory(prefix="survey-") as scratch:
            copy = Path(scratch) / "it"
            if file:
                copy.mkdir()
                shutil.copy(root / file, copy / Path(file).name)
            else:
                # Everything in a clone is tracked, whatever .gitignore matches.
                unwanted = shutil.ignore_patterns(".git", ".gitignore")
                shutil.copytree(root, copy, ignore=unwanted, ignore_dangling_symlinks=True)
            (copy / ".git").mkdir(exist_ok=True)
            answer = _migrated(copy, MODES[request["mode"]], request["seconds"], request["twice"])
        if file:
            name = Path(file).name
            answer.changed = {file: answer.changed[name]} if name in answer.changed else {}
            answer.again = [file] if answer.again else []
            answer.findings = {file: answer.findings.get(name, [])}
        print(json.dumps([file, asdict(answer)]), flush=True)


def _migrated(root: Path, options: dict[str, bool], seconds: int, twice: bool) -> Migrated:
    from tfmigrate.engine.options import Options
    from tfmigrate.engine.run import Driving, run

    def stop(*_: object) -> None:
        raise _TooLong

    answer = Migrated()
    before = _contents(root)
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    start = time.process_time()
    try:
        driving = Driving(jobs=1)
        outcome = run([str(root)], [], Options(**options), dry_run=False, driving=driving)
        answer.seconds = round(time.process_time() - start, 3)
        after = _contents(root)
        for finding in outcome.findings:
            path = Path(finding.path)
            key = str(path.relative_to(root) if path.is_absolute() else path)
            answer.findings.setdefault(key, []).append(
                [
                    finding.code,
                    finding.severity.value,
                    finding.applied,
                    finding.line,
                    finding.cell,
                    finding.message,
                    finding.action,
                ]
            )
        changed = [file for file in after if after[file] != before.get(file)]
        answer.changed = {file: after[file].decode("latin-1") for file in changed}
        if not twice:
            return answer
        signal.setitimer(signal.ITIMER_PROF, 2 * seconds)
        run([str(root)], [], Options(**options), dry_run=False, driving=driving)
        final = _contents(root)
        answer.again = sorted(file for file in final if final[file] != after.get(file))
    except _TooLong:
        answer.trouble = f"did not end in {seconds} s"
    except Exception as error:  # whatever it is, the survey lists it
        answer.trouble = f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return answer


def _contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.suffix in (".py", ".ipynb") and path.is_file()
    }


if __name__ == "__main__":
    _serve(json.load(sys.stdin))
