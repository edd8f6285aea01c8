"""Verifies every cluster fixture with each task on a host of its own, at two network delays.

    python scripts/faults/fixtures.py RESULTS.json

The originals are their traces of TensorFlow 1.15. A fixture that RESULTS.json has already is not
run again. It writes the table of docs/how_to/clusters.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from table import write_table

from tfmigrate_runtime.verify.case import load_case
from tfmigrate_runtime.verify.golden import program_of
from tfmigrate_runtime.verify.hosts import Network
from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.recording import load_recording
from tfmigrate_runtime.verify.run_program import ProgramFailed, run_recorded

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_NETWORKS = {"0": Network(), "50": Network(delay=0.05)}
_SECONDS = 900.0


def main(results: Path) -> int:
    """Runs what was not run yet; returns 1 where a fixture trains differently."""
    found = json.loads(results.read_text()) if results.exists() else {}
    for folder in sorted(path.parent for path in _FIXTURES.glob("*/*/case.toml")):
        if load_case(folder).cluster is None:
            continue
        entry = found.setdefault(folder.name, {})
        for name, network in _NETWORKS.items():
            if name in entry:
                continue
            begin = time.monotonic()
            verdict = _verdict(folder, network)
            entry[name] = {"verdict": verdict, "seconds": round(time.monotonic() - begin)}
            print(folder.name, name, entry[name], flush=True)
            results.write_text(json.dumps(found, indent=1))
        write_table("fixtures", _rows(found))
    return int(any(run["verdict"] != "same" for runs in found.values() for run in runs.values()))


def _verdict(folder: Path, network: Network) -> str:
    case = load_case(folder)
    program = replace(program_of(case, case.migrated), network=network)
    with tempfile.TemporaryDirectory() as place:
        trace = Path(place) / "trace.npz"
        try:
            run_recorded(program, trace, _SECONDS, case.trace)
        except ProgramFailed as error:
            return f"failed: {error}"
        verdict = climb(load_recording(case.trace), load_recording(trace), case.tolerance)
    return "same" if verdict.failed is None else f"differs: {verdict.failed}"


def _rows(found: dict[str, dict[str, dict[str, object]]]) -> list[list[str]]:
    header = ["fixture", "tasks", "a host each", "50 ms apart"]
    rows = [header]
    for name, runs in found.items():
        (folder,) = _FIXTURES.glob(f"*/{name}")
        done = [runs.get(network) for network in _NETWORKS]
        cells = [f"{run['verdict']}, {run['seconds']} s" if run else "not run" for run in done]
        rows.append([name, str(load_case(folder).cluster), *cells])
    return rows


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
