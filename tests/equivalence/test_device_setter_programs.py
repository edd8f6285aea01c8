"""The programs of fixtures/replica_device_setter: clusters on TensorFlow 1.15.5 and on 2.x."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fixture_cases import FIXTURES
from long_tail import one_in
from recorded_cases import Case, load_case, program_of

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate_runtime.verify.chance.run_statistics import final_loss
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.running.run_program import run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording
from tfmigrate_runtime.verify.traces.trace import load_trace

TIMEOUT_SECONDS = 300.0
CASES = sorted(path.parent for path in FIXTURES.glob("replica_device_setter/*/case.toml"))
ONE_MACHINE = [path for path in CASES if load_case(path).cluster is None]
CLUSTERS = [path for path in CASES if load_case(path).cluster is not None]
each_case = pytest.mark.parametrize("program", CASES, ids=lambda path: path.name)
each_single = pytest.mark.parametrize("program", ONE_MACHINE, ids=lambda path: path.name)
each_cluster = pytest.mark.parametrize("program", CLUSTERS, ids=lambda path: path.name)


def same_as_trace(case: Case, script: Path, python: str | None, folder: Path) -> Verdict:
    """Runs a script as its case says, and compares it with the golden trace."""
    new = folder / "new.npz"
    program = program_of(case, script, python or sys.executable)
    run_recorded(program, new, TIMEOUT_SECONDS, case.trace)
    return climb(load_recording(case.trace), load_recording(new), case.tolerance)


@each_single
def test_golden_trace_of_one_machine_has_the_steps_and_learns(program: Path) -> None:
    case = load_case(program)
    trace = load_trace(case.trace)
    assert trace.meta["tensorflow"] == "1.15.5"
    assert len(trace.step) == case.steps <= 60
    assert case.trace.stat().st_size < 150_000
    assert trace.loss[-5:].mean() < 0.9 * trace.loss[:5].mean()


@each_cluster
def test_golden_trace_of_a_cluster_has_the_steps_of_all_workers_and_learns(program: Path) -> None:
    case = load_case(program)
    trace = load_recording(case.trace)
    assert trace.meta["tensorflow"] == "1.15.5"
    assert trace.cluster == case.cluster
    assert trace.turns == case.turns == program.name.startswith("async")
    assert trace.synchronous == program.name.startswith("sync")
    assert list(trace.tasks) == ["worker/0", "worker/1"][: trace.cluster.jobs["worker"]]
    assert sum(len(task.step) for task in trace.tasks.values()) == case.steps <= 60
    assert case.trace.stat().st_size < 150_000
    for task in trace.tasks.values():
        assert task.meta["skipped"] == 0
        assert task.loss[-5:].mean() < 0.9 * task.loss[:5].mean()
    jobs = {device.split("/")[1] for device in trace.placement.values()}
    assert jobs == {"job:ps"}


@each_case
def test_migrated_program_is_what_tfmigrate_writes(program: Path) -> None:
    case = load_case(program)
    source = decode_source(read_bytes(case.original), case.original, case.original.name)
    result = migrate([source], Options())
    assert all(finding.applied for finding in result.findings)
    assert case.migrated.read_bytes() == source.encode(result.texts[source.path])


@pytest.mark.parametrize("program", one_in(2, CASES), ids=lambda path: path.name)
def test_migrated_program_trains_like_the_original(program: Path, tmp_path: Path) -> None:
    case = load_case(program)
    verdict = same_as_trace(case, case.migrated, None, tmp_path)
    assert verdict.failed is None, verdict.failed


def test_another_learning_rate_is_seen(tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replica_device_setter" / "async_done_queue")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(case.migrated.read_text().replace("Optimizer(0.8)", "Optimizer(0.80001)"))
    verdict = same_as_trace(case, wrong, None, tmp_path)
    assert verdict.failed is not None
    assert "loss" in verdict.failed.name


@pytest.mark.reference
@each_case
def test_original_still_trains_like_its_trace(
    program: Path, tmp_path: Path, reference_python: str
) -> None:
    case = load_case(program)
    verdict = same_as_trace(case, case.original, reference_python, tmp_path)
    assert verdict.failed is None, verdict.failed


@pytest.mark.parametrize(
    "form",
    [
        "with tf.device(tf.train.replica_device_setter(",
        "setter = tf.train.replica_device_setter(",
        "return tf.train.replica_device_setter(",
        "replica_device_setter(ps_tasks=0",
        "replica_device_setter()",
        'NUM_PS, "/job:ps", "/job:worker/task:%d" % index',
        "ps_strategy=",
        'with tf.device("/job:ps/task:1"):',
        "ClusterSpec({\n",
        "TF_CONFIG",
        "FIFOQueue(",
        "server.join()",
        "tf.train.Supervisor(",
        ".prepare_or_wait_for_session(",
        ".managed_session(",
        "tf.train.MonitoredTrainingSession(",
        "tf.train.Scaffold(",
        "tf.Session(server.target",
        "if FLAGS.sync_replicas:",
        ".get_chief_queue_runner()",
        ".get_init_tokens_op(num_tokens=0)",
        ".make_session_run_hook(is_chief, num_tokens=0)",
        ".chief_init_op if is_chief else",
        "tf.clip_by_global_norm(",
        "tf.nn.embedding_lookup(",
        "make_one_shot_iterator()",
        "tf.Variable(",
        "tf.get_variable(",
        "tf.layers.dense(",
        "AdamOptimizer(",
        "AdagradOptimizer(",
        "MomentumOptimizer(",
        "RMSPropOptimizer(",
        "\tsv = tf.train.Supervisor(",
        "tf.summary.FileWriter(",
        "sharded=True",
    ],
)
def test_there_is_a_program_of_every_form(form: str) -> None:
    assert [case.name for case in CASES if form in load_case(case).original.read_text()]


def test_free_runs_end_within_the_spread_of_the_original(tmp_path: Path) -> None:
    case = next(case for case in map(load_case, CLUSTERS) if case.free_runs)
    trace = load_recording(case.trace)
    losses = tuple(trace.meta["final_losses"])
    assert len(losses) == case.free_runs == 5
    # The order of steps is left to chance: none may be one that never varies.
    assert max(losses) > min(losses)
    program = replace(program_of(case, case.migrated), turns=False)
    run_recorded(program, tmp_path / "free.npz", TIMEOUT_SECONDS, case.trace)
    free = load_recording(tmp_path / "free.npz")
    verdict = climb(trace, free, case.tolerance)
    assert verdict.failed is None, verdict.failed
    # One more run is outside the range of five in one of three cases, and by how much is chance.
    width = 3 * (max(losses) - min(losses))
    assert min(losses) - width <= final_loss(free.tasks) <= max(losses) + width
