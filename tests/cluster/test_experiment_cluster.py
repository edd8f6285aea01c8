"""A migrated Experiment in a cluster that TensorFlow 1.x describes: a master, workers and a ps."""

from __future__ import annotations

import re
from pathlib import Path

from cluster_support import Task, start
from task_hosts import free_addresses

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes

ORIGINAL = Path(__file__).parent / "programs" / "experiment_original.py"
STEPS = 120


def test_one_master_two_workers_and_a_parameter_server(tmp_path: Path) -> None:
    source = decode_source(read_bytes(ORIGINAL), ORIGINAL, ORIGINAL.name)
    migration = migrate([source], Options())
    assert all(finding.applied for finding in migration.findings)
    program = tmp_path / "program.py"
    program.write_text(migration.texts[ORIGINAL])
    model_dir = tmp_path / "model"
    tasks = start(
        {},
        tmp_path / "logs",
        [str(program), str(model_dir), str(STEPS)],
        {"environment": "cloud"},
        ps=1,
        master=1,
        worker=2,
    )
    for name, task in tasks.items():
        # In TensorFlow 1.x the parameter server went on for ever: here it ends with the others.
        assert task.wait() == 0, f"{name}:\n{task.text()[-3000:]}"
        assert task.text().endswith("DONE\n")
    calls = re.findall(r"CALL (\w+) (\d+)", tasks["master0"].text())
    kinds, steps = [kind for kind, _ in calls], [int(step) for _, step in calls]
    # What TensorFlow 1.15.5 did with the original: evaluate 0, evaluate 120, export 120. Workers
    # may make steps while the master still writes the first checkpoint, and each of three tasks may
    # be making a step when another makes the last one.
    assert kinds == ["evaluate", "evaluate", "export"]
    assert 0 <= steps[0] < STEPS
    # The last checkpoint has the name of a step that is read before the variables are: workers may
    # make another one in between, which the evaluation of this checkpoint finds in it.
    assert STEPS <= steps[2] <= steps[1] <= STEPS + len(tasks) - 1
    for name in ("ps0", "worker0", "worker1"):
        assert "CALL" not in tasks[name].text(), "the master evaluates and exports"
    assert len(list((model_dir / "export" / "Servo").iterdir())) == 1


def test_workers_under_a_device_setter_and_a_server_that_joins(tmp_path: Path) -> None:
    original = ORIGINAL.with_name("setter_original.py")
    migration = migrate([decode_source(read_bytes(original), original, original.name)], Options())
    assert all(finding.applied for finding in migration.findings)
    program = tmp_path / "program.py"
    program.write_text(migration.texts[original])
    ps, *workers = free_addresses(3)
    arguments = [ps, ",".join(workers), "30"]
    tasks = [
        Task(
            {},
            None,
            tmp_path / f"{job}{index}.log",
            [str(program), job, str(index), *arguments],
            address,
        )
        for job, index, address in (
            ("ps", 0, ps),
            ("worker", 0, workers[0]),
            ("worker", 1, workers[1]),
        )
    ]
    try:
        for worker in tasks[1:]:
            assert worker.wait() == 0, worker.text()[-3000:]
            # An Estimator has graphs of its own, which the setter around it does not reach: each
            # worker trained by itself. TensorFlow 1.15.5 printed the same of the original.
            assert worker.text().endswith("RESULT 30 0.00003054\n")
        tasks[0].wait_for("SERVES")
    finally:
        tasks[0].kill()  # its server joins for ever, as it did
