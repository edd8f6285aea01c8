"""The contenders of the training benchmarks: how their programs are written and run."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "training"
# Timed steps of each model: some seconds of the fastest contender.
STEPS = {"dense": 6000, "conv": 1500, "embedding": 3000, "recurrent": 1500, "resnet": 20}
TF1, ESTIMATOR = "original, TF 1.15", "tf.estimator, TF 2.15"
LEGACY, DEFAULT, NATIVE = "original, legacy runtime", "migrated", "--target keras"
EAGER = "--target eager"  # of programs of sessions
FIT, FUSED, LOOP = "Keras fit", "Keras fit, 20 steps a call", "tf.function loop"


@dataclass(frozen=True)
class Contender:
    """One way to train the model.

    Attributes:
        form: The folder of its program, as `prepare` writes it.
        command: What the interpreter runs, with files of that folder.
    """

    form: str
    command: tuple[str, ...]


CONTENDERS = {
    TF1: Contender("original", ("towers.py",)),
    ESTIMATOR: Contender("default", ("estimator_2_15.py",)),
    LEGACY: Contender("original", ("-m", "tfmigrate_runtime.tf1_shim", "towers.py")),
    DEFAULT: Contender("default", ("towers.py",)),
    NATIVE: Contender("native", ("on_devices.py", "towers_without_hook.py")),
    FIT: Contender("original", ("keras_fit.py", "1")),
    FUSED: Contender("original", ("keras_fit.py", "20")),
    LOOP: Contender("original", ("function_loop.py",)),
}


def prepare(folder: Path, model: str) -> None:
    """Writes the programs of a model: as they were, and as tfmigrate migrates them.

    Args:
        folder: Where to write them, in MODEL/original, MODEL/default and MODEL/native.
        model: A file of training/networks.
    """
    migrated = ("model.py", "towers.py", "towers_without_hook.py")
    for form in ("original", "default", "native"):
        place = folder / model / form
        place.mkdir(parents=True)
        shutil.copy(PROGRAMS / "networks" / f"{model}.py", place / "network.py")
        shutil.copy(PROGRAMS / "model.py", place)
        shutil.copy(PROGRAMS / migrated[2 if form == "native" else 1], place)
        if form != "original":
            target = ["--target", "keras"] if form == "native" else []
            command = [sys.executable, "-m", "tfmigrate", "-q", *target, str(place)]
            subprocess.run(command, check=True, capture_output=True)
        for path in PROGRAMS.glob("*.py"):
            if path.name not in migrated:
                shutil.copy(path, place)


def examples_per_second(
    python: str, contender: Contender, folder: Path, settings: Mapping[str, str]
) -> float:
    """Runs one contender; the program prints its rate as its last word.

    Args:
        python: The interpreter.
        contender: What it runs.
        folder: The folder of the model, as `prepare` writes it.
        settings: Variables of the environment, which rows.py reads.
    """
    command = [python, *contender.command]
    if "tfmigrate_runtime.tf1_shim" in contender.command:
        command[3:3] = ["--devices", f"cpu:{settings['BENCHMARK_REPLICAS']}"]
    result = subprocess.run(
        command,
        cwd=folder / contender.form,
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=600,
    )
    if result.returncode:
        sys.exit(f"{' '.join(command)} failed in {folder}:\n{result.stderr[-3000:]}")
    return float(result.stdout.split()[-1])


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of a contender, with its settings."""
    # oneDNN stays on, as users have it: an exported 0 would slow down TensorFlow 2 alone.
    left_out = ("PYTHONPATH", "TF2_BEHAVIOR", "TF_ENABLE_ONEDNN_OPTS")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "TF_CPP_MIN_LOG_LEVEL": "3", **settings}


def settings_of(model: str, replicas: int, steps: int) -> dict[str, str]:
    """Returns the environment of one run."""
    return {
        "BENCHMARK_MODEL": model,
        "BENCHMARK_REPLICAS": str(replicas),
        "BENCHMARK_STEPS": str(steps),
        "BENCHMARK_WARM_UP": str(min(steps, 100)),
    }


def ratios(rates: list[float], others: list[float]) -> list[float]:
    """Returns the ratio of each round."""
    return [one / other for one, other in zip(rates, others, strict=True)]


def ratio(rates: list[float], others: list[float]) -> str:
    """Returns the median of the rounds' ratios, and their lowest and highest."""
    each = ratios(rates, others)
    return f"{statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})"
