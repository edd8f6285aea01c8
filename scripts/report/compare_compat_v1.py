"""Compares the functions of TensorFlow 1.15 with those that kept their names in compat.v1.

    python scripts/report/compare_compat_v1.py PYTHON_1_15 PYTHON_2_21 FOLDER [NAME ...]

Every public function that both have is called on generated arguments (compat_v1/arguments.py), in
graph mode and with fixed seeds. What worked on TensorFlow 1.15 is repeated on the other. FOLDER
keeps the calls; what is there already is not made again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from compat_v1.report import write_report

from tfmigrate.tables import symbol_table

HERE = Path(__file__).parent / "compat_v1"
# Neither arithmetic nor part of a graph: they change the process, write files or wait.
SKIPPED = [
    "raw_ops",
    "keras",
    "estimator",
    "compat",
    "contrib",
    "app",
    "flags",
    "logging",
    "test",
    "gfile",
    "saved_model",
    "io",
    "tpu",
    "lite",
    "distribute",
    "config",
    "profiler",
    "sysconfig",
    "resource_loader",
    "python_io",
    "xla",
    "experimental",
    "mixed_precision",
]
SKIPPED_NAMES = ("enable_", "disable_", "Session", "InteractiveSession", "reset_default_graph")
_TIME = 3000
# Some functions break the process for those that follow.
_JOBS = 40


def names() -> list[str]:
    """Returns the public names below ``tf.`` that both versions have."""
    both = [
        name
        for name in symbol_table.places()
        if symbol_table.is_leaf(name)
        and symbol_table.is_found(name, symbol_table.OLD)
        and symbol_table.is_found(name, f"v1-{symbol_table.NEWEST}")
    ]
    kept = [n for n in both if n.split(".")[0] not in SKIPPED]
    return sorted(kept, key=lambda name: (name.count("."), name))


def callables() -> list[str]:
    """Returns the names that are called: functions, and the classes of initializers."""
    found = [name for name in names() if not name.startswith(SKIPPED_NAMES)]
    return [
        name
        for name in found
        if not name.rpartition(".")[2][0].isupper() and not name.startswith("train.NewCheckpoint")
    ]


def asked(python: str, what: str, jobs: Iterable[Any], target: Path) -> Iterator[dict[str, Any]]:
    """Yields the lines that the probe writes; a job that ends the process is a crash."""
    todo = list(enumerate(jobs))
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    crashed = target.with_suffix(".crashed")
    while True:
        done = {line["job"] for line in _lines(target)} | {line["job"] for line in _lines(crashed)}
        left = [job for job in todo if job[0] not in done]
        if not left:
            break
        source = target.with_suffix(".jobs")
        source.write_text("".join(json.dumps(job) + "\n" for job in left[:_JOBS]))
        command = [python, str(HERE / "probe.py"), what, str(source), str(target)]
        code = subprocess.run(
            command, env=environment, timeout=_TIME, check=False, stderr=subprocess.DEVNULL
        ).returncode
        begun = [line["job"] for line in _lines(target)]
        if code and begun:
            with crashed.open("a") as file:
                line = {"job": begun[-1], "error": "crash", "text": str(code)}
                file.write(json.dumps(line) + "\n")
        elif code:
            raise RuntimeError(f"{command} ended with {code}")
    yield from (line for line in _lines(target) if line.get("done"))
    yield from _lines(crashed)


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def main(old: str, new: str, folder: str, *chosen: str) -> None:
    """Finds the calls, repeats them, and writes what differs."""
    at = Path(folder)
    at.mkdir(parents=True, exist_ok=True)
    functions = list(chosen) or callables()
    found = [line for line in asked(old, "find", functions, at / "found.jsonl") if "given" in line]
    calls = [{"name": functions[line["job"]], "given": line["given"]} for line in found]
    again = {line["job"]: line for line in asked(new, "repeat", calls, at / "again.jsonl")}
    listed = names()
    before = {line["job"]: line for line in asked(old, "signatures", listed, at / "before.jsonl")}
    after = {line["job"]: line for line in asked(new, "signatures", listed, at / "after.jsonl")}
    pairs = enumerate(zip(calls, found, strict=True))
    compared = [(call, line["came"], again[i]) for i, (call, line) in pairs]
    signatures = {
        name: (before[i].get("signature", {}), after[i].get("signature", {}))
        for i, name in enumerate(listed)
    }
    write_report(compared, signatures, len(functions))


if __name__ == "__main__":
    main(*sys.argv[1:])
