"""Faults of clusters: what the originals did on TensorFlow 1.15, and what migrated programs do.

    python scripts/faults/run.py RESULTS --reference-python ~/tf1/bin/python

Every task has a host of its own (network namespaces: root, or user namespaces). A task that ends
with an error is started again after 5 s, as a supervisor of processes would. RESULTS gets a file
for each run, and is not run again where it has one. ``--form``, ``--scenario`` and ``--side``
choose some; ``--table`` runs nothing, and writes the tables of docs/how_to/clusters.md.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fault_table import write_fault_tables
from scenarios import SCENARIOS, SECONDS_AFTER, NotPossibleError, Run
from task import FaultyCluster

# TensorFlow lists all addresses at the start, and sessions that it has replaced.
_TELLS_NOTHING = r"---|.*(GrpcChannelCache|found old WorkerSessions)"
_PROGRAMS = Path(__file__).with_name("programs")
_FLAGS = ("--job_name={job_name}", "--task_index={task_index}")
_FLAGS = (*_FLAGS, "--ps_hosts={ps_hosts}", "--worker_hosts={worker_hosts}")
_WORKERS = {"chief": "worker/0", "worker": "worker/1", "ps": "ps/0"}
# What runs, by the options that it is migrated with.
SIDES: dict[str, tuple[str, ...]] = {
    "original": (),
    "migrated": (),
    "eager": ("--target", "eager"),
}
# By form: its jobs, its flags for them, and the tasks of the roles.
FORMS: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "asynchronous": ("ps=1,worker=2", _FLAGS, _WORKERS),
    "synchronous": ("ps=1,worker=2", _FLAGS, _WORKERS),
    "estimated": (
        "ps=1,chief=1,worker=1",
        (),
        {"chief": "chief/0", "worker": "worker/0", "ps": "ps/0"},
    ),
}


def main() -> None:
    """Runs what has no result yet, or writes the tables."""
    parser = argparse.ArgumentParser(description="Faults of clusters.")
    parser.add_argument("results", type=Path)
    parser.add_argument("--reference-python", metavar="PATH", help="TensorFlow 1.15's")
    parser.add_argument("--form", action="append", choices=sorted(FORMS))
    parser.add_argument("--scenario", action="append", choices=sorted(SCENARIOS))
    parser.add_argument("--side", action="append", choices=[*SIDES])
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="runs at the same time")
    parser.add_argument("--table", action="store_true", help="write the tables, run nothing")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    if options.table:
        write_fault_tables(options.results, list(FORMS))
        return
    wanted = [
        (form, scenario, side)
        for scenario in options.scenario or SCENARIOS
        for form in options.form or FORMS
        for side in options.side or SIDES
        if not (options.results / f"{form}-{scenario}-{side}.json").exists()
        if side != "eager" or form != "estimated"  # Estimators have a graph of their own
    ]
    # They sleep most of the time.
    with ThreadPoolExecutor(options.at_once) as pool:
        for _ in pool.map(
            lambda each: _run(*each, options.reference_python, options.results), wanted
        ):
            pass


def _run(form: str, scenario: str, side: str, reference_python: str, results: Path) -> None:
    name = f"{form}-{scenario}-{side}"
    jobs, flags, roles = FORMS[form]
    roles = dict(roles)
    if form == "synchronous" and side == "migrated":
        del roles["ps"]  # it ends at once: the workers keep the variables
    with tempfile.TemporaryDirectory() as place:
        script = shutil.copy(_PROGRAMS / f"{form}.py", place)
        python = reference_python
        if side != "original":
            python = sys.executable
            subprocess.run([python, "-m", "tfmigrate", "-q", *SIDES[side], script], check=True)
        folder = Path(place) / "model"
        folder.mkdir()
        steps = f"--steps={SCENARIOS[scenario].steps}"
        cluster = FaultyCluster(
            python, Path(script), jobs, [*flags, "--logdir={out}", steps], folder
        )
        run = Run(cluster, roles, folder, SCENARIOS[scenario].steps)
        try:
            SCENARIOS[scenario].act(run)
            run.wait(SECONDS_AFTER, run.is_over)
            found = _found(run, SCENARIOS[scenario].own_words)
        except NotPossibleError as error:
            found = {"not run": str(error)}
        finally:
            cluster.close()
    lines = [(at, task, line) for task, each in cluster.tasks.items() for at, line in each.lines]
    text = "".join(f"{at:7.2f} {task} {line}\n" for at, task, line in sorted(lines))
    (results / f"{name}.log").write_text(text)
    (results / f"{name}.json").write_text(json.dumps(found, indent=1))
    print(name, found, flush=True)


def _found(run: Run, own_words: bool) -> dict[str, Any]:
    """Returns what can be seen of a run that has ended, or that hangs."""
    cluster = run.cluster
    after = [step for each in cluster.training() for at, step in each.steps() if at > run.at]
    return {
        "done": cluster.is_done(),
        "trained": run.is_trained(),
        "seconds": round(cluster.now() - run.at),
        "step": cluster.step(),
        "at": round(run.at, 1),
        "before": run.before,
        "checkpoint": run.checkpoint,
        "resumed": min(after, default=None),
        "restarts": {name: t.restarts for name, t in cluster.tasks.items() if t.restarts},
        "ended": {each.task.name: each.code for each in cluster.training() if each.lines},
        "said": said(run, own_words),
    }


def said(run: Run, own_words: bool) -> dict[str, Any] | None:
    """Returns the first line that tells of the fault, and after how many seconds it came.

    Those of the runtime are preferred to TensorFlow's of the same second. What is wrong from the
    start cannot be said before TensorFlow is imported, which takes a minute on a busy machine.
    """
    lines = [
        (at - max(run.at, task.begun), name, line)
        for name, task in run.cluster.tasks.items()
        if own_words or name != run.missing
        for at, line in task.lines
        if at > run.at and not re.match(_TELLS_NOTHING, line) and re.search(run.pattern, line)
    ]
    if not lines:
        return None
    first = min(lines)
    ours = [each for each in lines if each[2].startswith("tfmigrate_runtime: ")]
    at, name, line = min([each for each in ours if each[0] < first[0] + 1], default=first)
    return {"after": round(at, 1), "by": name, "line": line}


if __name__ == "__main__":
    main()
