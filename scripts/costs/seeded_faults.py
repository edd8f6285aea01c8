"""Seeds faults in copies of the packages, and has tests of ``make test`` find them.

    python scripts/costs/seeded_faults.py [--only N ...]

A suite that became faster must not have become blind. Each fault is one edit in a copy of the
packages, which comes first on PYTHONPATH; the tests named beside it are run without the long tail,
until one fails. Exit code 1 where a fault is not found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_RUNTIME = "runtime/tfmigrate_runtime"


class Fault(NamedTuple):
    """One wrong edit, and the tests that are to find it."""

    what: str
    path: str
    old: str
    new: str
    tests: str


FAULTS = [
    Fault(
        "replicas' losses are summed where the mean is asked for",
        f"{_RUNTIME}/estimator/replicas.py",
        "return 1.0 if summed else 1.0 / count",
        "return 1.0",
        "tests/runtime/test_keras_models.py",
    ),
    Fault(
        "a value that every replica adds is counted by each of them",
        f"{_RUNTIME}/estimator/replicas.py",
        "share = value / float(local_replica_count(strategy))",
        "share = value * 1.0",
        "tests/runtime/test_replicas.py",
    ),
    Fault(
        "synchronous workers apply the sum of their gradients",
        f"{_RUNTIME}/between_graph/mean_gradients.py",
        "means[place] = summed / workers",
        "means[place] = summed",
        "tests/between_graph/test_against_tensorflow_1_15.py",
    ),
    Fault(
        "slices of an embedding are summed over workers",
        f"{_RUNTIME}/between_graph/accumulated_slices.py",
        "means = sums / workers[:, np.newaxis]",
        "means = sums",
        "tests/between_graph/test_accumulated_slices.py",
    ),
    Fault(
        "training stops at the threshold, not above it",
        f"{_RUNTIME}/estimator/early_stopping.py",
        "metric_name, threshold, operator.gt, min_steps",
        "metric_name, threshold, operator.ge, min_steps",
        "tests/runtime/test_early_stopping.py",
    ),
    Fault(
        "greedy placement ignores sizes",
        f"{_RUNTIME}/train/device_setter.py",
        "self._loads[task] += self._load_fn(op)",
        "self._loads[task] += 1",
        "tests/between_graph/test_placement.py tests/runtime/test_device_setter_strategies.py",
    ),
    Fault(
        "fused steps go on after the session should stop",
        f"{_RUNTIME}/estimator/training_loop.py",
        "if free_steps is not None and not session.should_stop():",
        "if free_steps is not None:",
        "tests/runtime/test_fused_steps.py",
    ),
    Fault(
        "a warm start ignores the other names of variables",
        f"{_RUNTIME}/estimator/warm_start.py",
        "            settings.var_name_to_prev_var_name,\n",
        "            None,\n",
        "tests/runtime/test_checkpoints.py",
    ),
    Fault(
        "a ValidationMonitor is a step behind",
        f"{_RUNTIME}/estimator/experiment/validation_monitor.py",
        "self._step = done + 1",
        "self._step = done",
        "tests/learn/test_schedules.py",
    ),
    Fault(
        "contrib's optimize_loss reports no norms of gradients",
        f"{_RUNTIME}/contrib/optimize_loss.py",
        'return "global_gradient_norm" in reported or "gradient_norm" in reported',
        'return "gradient_norm" in reported and "global_gradient_norm" in reported',
        "tests/learn/test_optimize_loss.py",
    ),
    Fault(
        "seeds of layers with regularizers are others than on TensorFlow 1.15",
        "runtime/tfmigrate_runtime/tf1_shim/seeds.py",
        '_count_more(keras.L2, "__call__", lambda *_, **__: 4)',
        '_count_more(keras.L2, "__call__", lambda *_, **__: 3)',
        "tests/tf1_shim/test_seeds.py",
    ),
    Fault(
        "a converted checkpoint is of the next step",
        "runtime/tfmigrate_runtime/checkpoint/paired.py",
        "/ math.log(power.rate) - 1",
        "/ math.log(power.rate)",
        "tests/checkpoint",
    ),
    Fault(
        "verify accepts updates that are off by a hundredth",
        "runtime/tfmigrate_runtime/verify/rounding/tolerance.py",
        "SHARE = 1e-4",
        "SHARE = 1e-2",
        "tests/verify",
    ),
    Fault(
        "verify takes the length of all updates for known to a thousandth",
        "runtime/tfmigrate_runtime/verify/rounding/updates.py",
        "_LENGTH = 5e-6",
        "_LENGTH = 1e-3",
        "tests/verify",
    ),
    Fault(
        "new code gets no parentheses",
        "migrator/tfmigrate/rewrite/precedence.py",
        "if not part.lpar and (number or _binding(part) < needed):",
        "if not part.lpar and number:",
        "tests/migrator/test_precedence.py tests/migrator/test_plugins.py",
    ),
    Fault(
        "the Keras form sums squared errors",
        "migrator/tfmigrate_keras/data/vocabulary.txt",
        "keras.ops.mean(keras.ops.square(keras.ops.subtract({1}, {0})))",
        "keras.ops.sum(keras.ops.square(keras.ops.subtract({1}, {0})))",
        "tests/native tests/migrator/test_target_keras_losses.py",
    ),
    Fault(
        "a parameter server is chosen by another hash",
        f"{_RUNTIME}/train/device_setter.py",
        'key = f"{op.name}_{self._seed}".encode()',
        'key = f"{self._seed}_{op.name}".encode()',
        "tests/between_graph/test_placement.py tests/runtime/test_device_setter_strategies.py",
    ),
    Fault(
        "a SavedModel is not found by warm starts",
        f"{_RUNTIME}/estimator/warm_start.py",
        'tf.gfile.Exists(of_saved_model + ".index")',
        'tf.gfile.Exists(of_saved_model + ".meta")',
        "tests/runtime/test_brought_by_programs.py",
    ),
    Fault(
        "one more job is put into a list of jobs twice",
        "migrator/tfmigrate/families/device_setter/coordinator_roles.py",
        "and CHIEF not in values",
        "",
        "tests/migrator/test_tfm309.py",
    ),
    Fault(
        "code below a test of the version that never holds is rewritten",
        "migrator/tfmigrate/resolve/guards.py",
        "return any(_guards(module, node, _is_unlike(True, None)))",
        "return False",
        "tests/migrator/test_guarded_imports.py tests/migrator/test_versions.py",
    ),
]


def finds(fault: Fault) -> str | None:
    """Returns the first test that fails on a fault, None where none does.

    Raises:
        SystemExit: the text that the fault replaces is not in its file.
    """
    with tempfile.TemporaryDirectory() as folder:
        for package in ("migrator", "runtime/tfmigrate_runtime"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, Path(folder) / package, ignore=ignored)
        path = Path(folder) / fault.path
        text = path.read_text("utf-8")
        if fault.old not in text:
            sys.exit(f"{fault.path}: no {fault.old!r} to seed a fault in")
        path.write_text(text.replace(fault.old, fault.new, 1), "utf-8")
        paths = [str(Path(folder) / part) for part in ("migrator", "runtime")]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "-m", "not long", "--tb=no", *fault.tests.split()],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            check=False,
        )
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].split()[1] if failed else None


def main() -> int:
    """Prints a table; returns 1 where a fault was not found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="numbers of faults")
    options = parser.parse_args()
    missed = 0
    print("| | fault | found by |\n|---|---|---|")
    for number, fault in enumerate(FAULTS, 1):
        if options.only and number not in options.only:
            continue
        test = finds(fault)
        missed += test is None
        print(f"| {number} | {fault.what} | {test or 'NOT FOUND'} |", flush=True)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
