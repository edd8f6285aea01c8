"""The proof on GPUs in one command, in calls of a few minutes: call it again until it is done.

    python3 scripts/gpu/prove.py --pieces build/gpu_pieces --results OUT  # without a network
    python scripts/gpu/prove.py --results OUT                             # TensorFlow is installed

Each call continues where the one before stopped. The last line says what to do. Exit codes: 0, all
is done; 1, a stage or a comparison failed; 2, call it again; 3, something must be supplied first.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from proof_setup import ROOT, Missing, NoTime, Setup, StageFailed
from stages import STAGES, ended, failures

DONE, FAILED, AGAIN, SUPPLY = range(4)
BROUGHT_BACK = ("gpu_results.json", "gpu.md", "state.json", "transcript.txt")


class State:
    """Which stages are done; a file, so that the next call knows it."""

    def __init__(self, path: Path, key: dict[str, str]) -> None:
        """Takes the file, and what the stages depend on: with a different one, all start anew."""
        self._path = path
        stored = json.loads(path.read_text("utf-8")) if path.exists() else {}
        self.is_new = stored.get("key") != key
        self._stored = {"key": key, "done": {}} if self.is_new else stored

    def done(self, stage: str) -> str | None:
        """Returns what a stage said that is done."""
        found: str | None = self._stored["done"].get(stage)
        return found

    def finish(self, stage: str, said: str) -> None:
        """Writes down that a stage is done."""
        self._stored["done"][stage] = said
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self._stored, indent=1) + "\n", "utf-8")

    def forget(self, first: str) -> None:
        """Forgets a stage and those after it."""
        order = list(STAGES)
        for stage in order[order.index(first) :]:
            self._stored["done"].pop(stage, None)


class Transcript:
    """Lines that are printed, and kept in a file over all calls."""

    def __init__(self, path: Path) -> None:
        """Takes the file."""
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def say(self, line: str) -> None:
        """Prints a line and keeps it."""
        print(line, flush=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def run_stages(setup: Setup, state: State, transcript: Transcript) -> int:
    """Runs the stages that are not done; returns the exit code."""
    for name, stage in STAGES.items():
        said = state.done(name)
        if said is not None:
            transcript.say(f"{name}: done before: {said}")
            continue
        start = time.monotonic()
        try:
            said = stage(setup)
        except Missing as error:
            for line in str(error).splitlines():
                transcript.say(f"{name}: {line}")
            transcript.say("supply it and call again")
            return SUPPLY
        except NoTime as error:
            took = time.monotonic() - start
            transcript.say(f"{name}: not finished after {took:.0f} s: {error}")
            transcript.say("call again")
            return AGAIN
        except StageFailed as error:
            transcript.say(f"{name}: failed: {error}")
            return FAILED
        state.finish(name, said)
        transcript.say(f"{name}: {said} ({time.monotonic() - start:.0f} s)")
    failed = failures(ended(setup))
    transcript.say(f"done: {failed} tests failed" if failed else "done: all hold")
    return FAILED if failed else DONE


def forget_failures(findings: Path) -> None:
    """Removes the tests that failed from the file of findings, so that they are run again."""
    stored = json.loads(findings.read_text("utf-8"))
    stored["ended"] = {name: one for name, one in stored["ended"].items() if one["failed"] is None}
    findings.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def bring_back(setup: Setup, results: Path) -> None:
    """Copies the small files of the working folder, as they are now."""
    results.mkdir(parents=True, exist_ok=True)
    for name in BROUGHT_BACK:
        if (setup.work / name).exists():
            shutil.copy(setup.work / name, results / name)


def main() -> int:
    """Runs one call; returns the exit code."""
    options = _arguments()
    setup = Setup(
        work=options.work.resolve(),
        pieces=options.pieces.resolve() if options.pieces else None,
        is_rehearsal=options.rehearse,
        until=time.time() + 60 * options.minutes,
        workers=options.workers,
        only=options.only,
    )
    key = {
        "python": sys.version.split()[0],
        "pieces": str(setup.pieces),
        "rehearse": str(setup.is_rehearsal),
        "only": setup.only,
    }
    state = State(setup.work / "state.json", key)
    transcript = Transcript(setup.work / "transcript.txt")
    if state.is_new:
        setup.findings.unlink(missing_ok=True)
    if options.again:
        state.forget(options.again)
        if state.done("tests") is None:
            setup.findings.unlink(missing_ok=True)
    if options.failed:
        forget_failures(setup.findings)
        state.forget("tests")
    transcript.say(f"# {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())} UTC")
    code = run_stages(setup, state, transcript)
    bring_back(setup, options.results)
    return code


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, required=True, help="folder for what is found")
    parser.add_argument(
        "--work",
        type=Path,
        default=ROOT / "build" / "gpu_proof",
        help="folder that stays from call to call (default: build/gpu_proof)",
    )
    parser.add_argument("--pieces", type=Path, help="folder of what scripts/gpu/pack.py made")
    parser.add_argument("--rehearse", action="store_true", help="on CPUs, to try the command")
    parser.add_argument(
        "--minutes", type=float, default=9.0, help="at most, for this call (default: 9)"
    )
    parser.add_argument("--workers", type=int, default=6, help="fixtures at a time (default: 6)")
    parser.add_argument("--only", default="", help="tests to run, as for pytest -k")
    parser.add_argument("--failed", action="store_true", help="run the tests once more that failed")
    parser.add_argument("--again", choices=STAGES, help="forget this stage and those after it")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
