"""Verifies every cluster fixture with each task on a host of its own, at two network delays.

Both forms are run: the default one, and that of --target keras where the fixture has it.

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

from tfmigrate_runtime.verify.hosts import Network
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import ProgramFailed, run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from recorded_cases import load_case, program_of

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_NETWORKS = {"0": Network(), "50": Network(delay=0.05)}
_FORMS = ("migrated", "migrated_keras")
_RUNS = [(form, network) for form in _FORMS for network in _NETWORKS]
_SECONDS = 900.0


def main(results: Path) -> int:
    """Runs what was not run yet; returns 1 where a fixture trains differently."""
    found = json.loads(results.read_text()) if results.exists() else {}
    for folder in sorted(path.parent for path in _FIXTURES.glob("*/*/case.toml")):
        if load_case(folder).cluster is None:
            continue
        entry = found.setdefault(folder.name, {})
        for form, network in _RUNS:
            name = f"{form} {network}"
            if name in entry or not getattr(load_case(folder), form).exists():
                continue
            begin = time.monotonic()
            verdict = _verdict(folder, form, _NETWORKS[network])
            entry[name] = {"verdict": verdict, "seconds": round(time.monotonic() - begin)}
            print(folder.name, name, entry[name], flush=True)
            results.write_text(json.dumps(found, indent=1))
        write_table("fixtures", _rows(found))
    return int(any(run["verdict"] != "same" for runs in found.values() for run in runs.values()))


def _verdict(folder: Path, form: str, network: Network) -> str:
    case = load_case(folder)
    program = replace(program_of(case, getattr(case, form)), network=network)
    limits = case.tolerance
    if form == "migrated_keras":
        limits = replace(limits, loss=1e-5, variable=1e-5)  # Keras rounds differently
    with tempfile.TemporaryDirectory() as place:
        trace = Path(place) / "trace.npz"
        try:
            run_recorded(program, trace, _SECONDS, case.trace)
        except ProgramFailed as error:
            return f"failed: {error}"
        verdict = climb(load_recording(case.trace), load_recording(trace), limits)
    return "same" if verdict.failed is None else f"differs: {verdict.failed}"


def _rows(found: dict[str, dict[str, dict[str, object]]]) -> list[list[str]]:
    header = ["fixture", "tasks", "a host each", "50 ms apart", "Keras form", "Keras, 50 ms apart"]
    rows = [header]
    for name, runs in found.items():
        (folder,) = _FIXTURES.glob(f"*/{name}")
        done = [runs.get(f"{form} {network}") for form, network in _RUNS]
        cells = [f"{run['verdict']}, {run['seconds']} s" if run else "-" for run in done]
        rows.append([name, str(load_case(folder).cluster), *cells])
    return rows


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
