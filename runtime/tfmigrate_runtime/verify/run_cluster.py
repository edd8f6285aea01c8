r"""Records a cluster of an original program.

    python -m tfmigrate_runtime.verify.run_cluster --cluster ps=1,worker=2 --turns \
        --python ~/tf1/bin/python --out trace.npz original.py -- --job_name={job_name} \
        --task_index={task_index} --ps_hosts={ps_hosts} --worker_hosts={worker_hosts} --logdir={out}

or, from Python, ``run_recorded(Program(...), Path("trace.npz"), 120.0)`` and
``load_recording(Path("trace.npz"))``. Without ``--turns`` asynchronous workers run freely;
synchronous programs step together with or without it.
"""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from tfmigrate_runtime.verify.cluster import Cluster, ClusterError
from tfmigrate_runtime.verify.program import Program
from tfmigrate_runtime.verify.recording import load_recording
from tfmigrate_runtime.verify.run_program import run_recorded
from tfmigrate_runtime.verify.surroundings import ProgramFailed
from tfmigrate_runtime.verify.trace import TraceError


def main(arguments: Sequence[str]) -> int:
    """Records one cluster; returns 0, or 2 where it failed."""
    parser = argparse.ArgumentParser(
        prog="run_cluster", description="Records a cluster.", allow_abbrev=False
    )
    parser.add_argument("--cluster", required=True, help="jobs, such as ps=1,worker=2")
    parser.add_argument(
        "--turns", action="store_true", help="let workers take turns, one step each"
    )
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs it")
    parser.add_argument("--out", required=True, type=Path, metavar="TRACE.npz")
    parser.add_argument("--logs", type=Path, help="a folder for the output of each task")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--initial-values", type=Path, metavar="TRACE0.npz")
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args(arguments)
    try:
        program = Program(
            options.script,
            options.arguments,
            options.python,
            every=options.every,
            cluster=Cluster.parse(options.cluster),
            turns=options.turns,
        )
        values, logs = options.initial_values, options.logs
        run_recorded(program, options.out, options.timeout, values, logs=logs)
        trace = load_recording(options.out)
    except (ClusterError, ProgramFailed, TraceError) as failure:
        print(failure, file=sys.stderr)
        return 2
    print(f"{options.out}: TensorFlow {trace.meta['tensorflow']}")
    for name, task in trace.tasks.items():
        losses = f", loss {task.loss[0]:.6g} .. {task.loss[-1]:.6g}" if len(task.loss) else ""
        print(f"  {name}: {len(task.step)} steps{losses}")
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
