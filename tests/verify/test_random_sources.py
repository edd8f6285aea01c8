"""Every source of random numbers draws the same in TensorFlow 1.15 and here, at every step.

random_sources_of_tensorflow_1_15.npz and cluster_random_sources_of_tensorflow_1_15.npz are what
programs/random_sources.py drew on TensorFlow 1.15.5:

    python recorder/all_sessions.py --out random_sources_of_tensorflow_1_15.npz \
        programs/random_sources.py
    tfmigrate verify --cluster ps=1,worker=2 --turns --reference-python PYTHON \
        --record cluster_random_sources_of_tensorflow_1_15.npz \
        programs/random_sources.py -- --job_name={job_name} --task_index={task_index} \
        --ps_hosts={ps_hosts} --worker_hosts={worker_hosts}
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from verify_support import PROGRAMS, TIMEOUT, record

from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording
from tfmigrate_runtime.verify.traces.trace import Trace, load_trace

HERE = Path(__file__).parent
STORED = HERE / "random_sources_of_tensorflow_1_15.npz"
STORED_CLUSTER = HERE / "cluster_random_sources_of_tensorflow_1_15.npz"
SCRIPT = PROGRAMS / "random_sources.py"
# The draws are the same bits; what is computed of them (contrast, hue, Adam) may round otherwise.
TOLERANCE = 1e-6

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def drawn_otherwise(old: Trace, new: Trace) -> list[str]:
    """Returns the variables, and so the sources, that differ."""
    assert new.step.tolist() == old.step.tolist()
    assert new.variables.keys() == old.variables.keys()
    return [
        name
        for name, values in old.variables.items()
        if not np.allclose(new.variables[name], values, rtol=0, atol=TOLERANCE)
    ]


def test_sources_differ_from_step_to_step() -> None:
    trace = load_trace(STORED)
    assert trace.meta["tensorflow"].startswith("1.15")
    sources = {name: v for name, v in trace.variables.items() if name.startswith("drawn/")}
    assert len(sources) > 30
    same = {name for name, values in sources.items() if np.ptp(values, axis=0).max() == 0}
    # Its seeds are constants; the other one draws once where it has a seed.
    assert same == {"drawn/stateless", "drawn/fractional_pool"}


def test_one_process_draws_as_on_tensorflow_1(tmp_path: Path) -> None:
    new = record(SCRIPT, tmp_path / "new.npz")
    assert drawn_otherwise(load_trace(STORED), new) == []


# In two of five runs of the whole suite a worker's session call ended with an InvalidArgumentError
# that alone it never shows: not among those that every change has to pass, until that is known.
@pytest.mark.long
def test_workers_of_a_cluster_draw_as_on_tensorflow_1(tmp_path: Path) -> None:
    old = load_recording(STORED_CLUSTER)
    cluster = Cluster.parse("ps=1,worker=2")
    program = Program(SCRIPT, old.meta["args"], cluster=cluster, turns=True)
    run_recorded(program, tmp_path / "new.npz", TIMEOUT)
    new = load_recording(tmp_path / "new.npz")
    assert {name: drawn_otherwise(old.tasks[name], trace) for name, trace in new.tasks.items()} == {
        "worker/0": [],
        "worker/1": [],
    }


def test_only_what_draws_is_kept_in_order() -> None:
    command = [sys.executable, str(PROGRAMS / "parallel_inputs.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    loops = found.pop("loops")
    assert loops == {"v1": [1], "v2": [1]}
    assert found.pop("queues") == [1, 2]
    for name, ops in found.items():
        for function in ("draw", "call_python"):
            assert ops[function] and not [op for op in ops[function] if "Parallel" in op], name
            assert "AndBatch" not in "".join(ops[function])
    assert all(
        "Parallel" in op or "AndBatch" in op for ops in found.values() for op in ops["nothing"]
    )


def test_a_queue_shuffles_the_same_elements_however_fast_it_is_filled(tmp_path: Path) -> None:
    """Read while it fills, it drew among 16 to 24 elements, as fast as the machine was."""
    program = (PROGRAMS / "shuffled_queue.py").read_text("utf-8")
    traces = []
    for seconds in ("0.0", "0.02"):
        script = tmp_path / "shuffled_queue.py"
        script.write_text(program.replace("SECONDS = 0.0", f"SECONDS = {seconds}"), "utf-8")
        out = tmp_path / f"{seconds}.npz"
        run_recorded(Program(script, ()), out, TIMEOUT)
        traces.append(load_trace(out))
    fast, slow = traces
    assert len(fast.step) == len(slow.step) == 10
    assert fast.loss.tolist() == slow.loss.tolist()
