"""Wrong and right forms of a cluster's program, in lock-step, by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from changed_program import Said
from long_tail import one_in
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, JOBS = PROGRAMS / "cluster_normalized.py", "ps=1,worker=2"
ARGUMENTS = tuple(
    f"--{name}={{{name}}}" for name in ("job_name", "task_index", "ps_hosts", "worker_hosts")
)
SYNC, TURNS = "sync", "turns"
RIGHT = [
    (TURNS, "tf.matmul(x, kernel) + bias", "tf.nn.bias_add(tf.matmul(x, kernel), bias)"),
    (SYNC, "tf.clip_by_norm(g, 0.5)", "g * tf.minimum(1.0, 0.5 / tf.norm(g))"),
    (
        SYNC,
        "mean, variance = tf.nn.moments(hidden, [0])",
        "mean = tf.reduce_mean(hidden, 0)\n"
        "    variance = tf.reduce_mean(tf.square(hidden - mean), 0)",
    ),
    (TURNS, "(tf.clip_by_norm(g, 0.5), v)", "(0.5 * tf.clip_by_norm(2.0 * g, 1.0), v)"),
]
WRONG = [
    (TURNS, "exponential_decay(0.01", "exponential_decay(0.0101", "0.01"),
    (SYNC, "(optimizer, WORKERS, WORKERS)", "(optimizer, 1, WORKERS)", ""),
    (SYNC, "clip_by_norm(g, 0.5)", "clip_by_norm(g, 0.45)", ""),
    (TURNS, ", staircase=True", "", ""),
    (TURNS, "variance, shift, scale, 1e-3", "variance, shift, scale, 1e-5", ""),
    (SYNC, "AdamOptimizer(rate)", "AdamOptimizer(rate, beta2=0.99)", ""),
]
_recorded: dict[str, Path] = {}


def verified(
    way: str, old: str, new: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> Said:
    """Verifies the program against a copy in which a text is replaced."""
    arguments = (*ARGUMENTS, *(("--sync",) if way == SYNC else ()))
    if way not in _recorded:
        target = folder.parent / f"cluster-{way}.npz"
        program = Program(PROGRAM, arguments, cluster=Cluster.parse(JOBS), turns=way == TURNS)
        run_recorded(program, target, TIMEOUT)
        _recorded[way] = target
    text = PROGRAM.read_text()
    assert old in text
    copy = folder / PROGRAM.name
    copy.write_text(text.replace(old, new))
    options = ["--trace", str(_recorded[way]), "--cluster", JOBS, "-q", "--format", "json"]
    capsys.readouterr()
    code = main([str(PROGRAM), str(copy), *options, "--", *arguments])
    return Said(code, json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(("way", "old", "new"), one_in(4, RIGHT))
def test_right_forms_are_the_same(
    way: str, old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verified(way, old, new, tmp_path, capsys)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("way", "old", "new", "named"), one_in(6, WRONG))
def test_wrong_forms_are_found(
    way: str, old: str, new: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verified(way, old, new, tmp_path, capsys)
    assert said.code == 1
    assert named in said.details(said.failed[0])


@pytest.mark.parametrize(("step", "code"), one_in(2, [("3", 0), ("4", 1)]))
def test_what_the_chief_alone_writes_between_steps(
    step: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What lock-step writes to the copies is nothing that the workers write themselves."""
    script, arguments = PROGRAMS / "cluster_cooled.py", ARGUMENTS[:4]
    trace = tmp_path.parent / "cooled.npz"
    if not trace.exists():
        run_recorded(Program(script, arguments, cluster=Cluster.parse(JOBS)), trace, TIMEOUT)
    copy = tmp_path / "mirrored.py"
    text = (PROGRAMS / "cluster_cooled_mirrored.py").read_text()
    assert "made == 3" in text
    copy.write_text(text.replace("made == 3", f"made == {step}"))
    options = ["--cluster", JOBS, "--migrated-cluster", "worker=2", "-q", "--format", "json"]
    capsys.readouterr()
    assert (
        main([str(script), str(copy), "--trace", str(trace), *options, "--", *arguments]) == code
    ), capsys.readouterr().out[-2000:]
