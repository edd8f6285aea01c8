"""The launchers of docs/examples/clusters start clusters: what is outside is set as it is there.

A shell starts all tasks on this machine. The environment of SLURM's steps and of the pods of an
Indexed Job is that of their documentation; addresses are those of this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from cluster_support import PROGRAM, free_addresses, variables

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "clusters"
STEPS = 10
OUTSIDE = ("TF_CONFIG", "CUDA_VISIBLE_DEVICES")
SECONDS = 300


def free_port(count: int) -> int:
    """Returns the first of some ports in a row, whose last digits count from 0."""
    while True:
        port = int(free_addresses(1)[0].rpartition(":")[2]) // 10 * 10
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for number in range(port, port + count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", number))
            return port


def program(folder: Path) -> list[str]:
    options = {
        "strategy": "parameter_server",
        "steps": STEPS,
        "save_steps": 5,
        "train_and_evaluate": True,
        "model_dir": str(folder / "model"),
    }
    return [str(PROGRAM), json.dumps(options)]


def assert_trained(folder: Path) -> None:
    assert variables(folder / "model")["global_step"] >= STEPS
    assert np.isfinite(variables(folder / "model")["a"]).all()


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in OUTSIDE}
    return {**kept, "TF_CPP_MIN_LOG_LEVEL": "2", **more}


def run_all(tasks: list[tuple[list[str], dict[str, str]]]) -> list[str]:
    """Runs tasks at the same time; returns what they printed."""
    started = [
        subprocess.Popen(
            [sys.executable, str(EXAMPLES / "run_task.py"), *arguments],
            env=environment(**variables_of_task),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for arguments, variables_of_task in tasks
    ]
    try:
        printed = [process.communicate(timeout=SECONDS)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    for process, text in zip(started, printed, strict=True):
        assert process.returncode == 0, text[-3000:]
    return printed


def test_tf_config_by_hand(tmp_path: Path) -> None:
    """All tasks end, the parameter server and the evaluator too."""
    done = subprocess.run(
        [str(EXAMPLES / "tf_config.sh"), *program(tmp_path)],
        env=environment(PYTHON=sys.executable, PORT=str(free_port(3))),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("DONE") == 4
    assert list((tmp_path / "model").glob("eval*/events*"))  # the evaluator's
    assert_trained(tmp_path)


def test_pods_of_an_indexed_job(tmp_path: Path) -> None:
    _, job = yaml.safe_load_all((EXAMPLES / "indexed_job.yaml").read_text())
    command = job["spec"]["template"]["spec"]["containers"][0]["command"]
    given = command[command.index("run_task.py") + 1 : command.index("train.py")]
    here = f"127.0.0.1:{free_port(4) // 10}INDEX"
    given[given.index("--host") + 1] = here
    count = job["spec"]["completions"]
    run_all(
        [
            ([*given, *program(tmp_path)], {"JOB_COMPLETION_INDEX": str(number)})
            for number in range(count)
        ]
    )
    assert_trained(tmp_path)


@pytest.mark.parametrize("gpus", ["", "0,1,2"])
def test_steps_of_slurm(tmp_path: Path, gpus: str) -> None:
    """Every task finds its place; the program's flags get the addresses."""
    show = tmp_path / "show.py"
    show.write_text("import os, sys; print(os.environ['TF_CONFIG'], *sys.argv[1:])\n")
    port = free_port(3)
    flags = ["--job_name={job_name}", "--task_index={task_index}", "--ps_hosts={ps_hosts}"]
    step = {
        "SLURM_STEP_NUM_TASKS": "3",
        "SLURM_STEP_NODELIST": "node[1-2]",
        "SLURM_STEP_TASKS_PER_NODE": "2,1",
    }
    outside = {"CUDA_VISIBLE_DEVICES": gpus} if gpus else {}
    jobs = ["--jobs", "ps=1,worker=2", "--port", str(port), str(show), *flags]
    printed = run_all([(jobs, {**step, **outside, "SLURM_PROCID": str(n)}) for n in range(3)])
    cluster = {"ps": [f"node1:{port}"], "worker": [f"node1:{port + 1}", f"node2:{port}"]}
    tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
    for text, (job, index) in zip(printed, tasks, strict=True):
        line = text.splitlines()[-1]
        config, _, rest = line.partition(" --")
        assert json.loads(config) == {"cluster": cluster, "task": {"type": job, "index": index}}
        assert rest == f"job_name={job} --task_index={index} --ps_hosts=node1:{port}"


@pytest.mark.long  # trains as test_pods_of_an_indexed_job does
def test_a_job_of_slurm_trains(tmp_path: Path) -> None:
    """The command of the batch script, with the tasks of one node."""
    text = (EXAMPLES / "slurm.sbatch").read_text().replace("\\\n", " ")
    words = text[text.index("python run_task.py") :].split()[1:]
    given = words[1 : words.index("train.py")]
    step = {
        "SLURM_STEP_NUM_TASKS": "4",
        "SLURM_STEP_NODELIST": "localhost",
        "SLURM_STEP_TASKS_PER_NODE": "4",
    }
    path, options = program(tmp_path)
    options = options.replace("parameter_server", "multi_worker")
    arguments = [*given, "--port", str(free_port(4)), path, options]
    run_all([(arguments, {**step, "SLURM_PROCID": str(number)}) for number in range(4)])
    assert variables(tmp_path / "model")["global_step"] == STEPS
