"""Judges ports with seeded faults: the examples of docs/examples/ports, each changed in one place.

    python scripts/report/port_faults.py --torch-python P --jax-python J [--only TEXT] [--table]

The interpreters have PyTorch, and JAX with optax and Keras 3; none needs TensorFlow. Originals are
the traces of TensorFlow 1.15.5 beside the examples. With ``--table`` the result is written into
docs/explanation/ports.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "ports"
PAGE = ROOT / "docs" / "explanation" / "ports.md"
_BEGIN, _END = "<!-- faults: begin -->\n", "<!-- faults: end -->"


@dataclass(frozen=True)
class Fault:
    """A port with a fault.

    Attributes:
        port: its file, without the ending.
        what: is wrong, in words.
        old: the text that is replaced, "" for the port as it is.
        new: by this.
        causes: the codes that name it; any other verdict than "same" finds it.
    """

    port: str
    what: str
    old: str = ""
    new: str = ""
    causes: tuple[str, ...] = ()


_TORCH, _JAX, _KERAS = "convolution_torch", "characters_jax", "words_keras_jax"
FAULTS = (
    Fault(_TORCH, "nothing"),
    Fault(_TORCH, "learning rate 0.04 for 0.05", "lr=0.05", "lr=0.04", ("learning-rate",)),
    Fault(_TORCH, "momentum 0.8 for 0.9", "momentum=0.9", "momentum=0.8", ("decay-rate",)),
    Fault(
        _TORCH,
        "Nesterov's momentum",
        "momentum=0.9)",
        "momentum=0.9, nesterov=True)",
        ("nesterov",),
    ),
    Fault(
        _TORCH,
        "batch norm's momentum as PyTorch has it: 0.1",
        "momentum=0.01",
        "momentum=0.1",
        ("average-decay",),
    ),
    Fault(_TORCH, "batch norm's epsilon 1e-5", "eps=1e-3", "eps=1e-5"),
    Fault(_TORCH, "dropout 0.3 for 0.25", "Dropout(0.25)", "Dropout(0.3)"),
    Fault(_TORCH, "no weight decay", "+ 1e-3 * penalty", "+ 0 * penalty", ("regularizer",)),
    Fault(_TORCH, "weight decay without the half", "0.5 * (net", "1.0 * (net", ("regularizer",)),
    Fault(_TORCH, "evaluation in training mode", "net.eval()", "pass", ("results",)),
    Fault(_TORCH, "rows with the channels first", ".permute(0, 2, 3, 1)", ""),
    Fault(_JAX, "nothing"),
    Fault(_JAX, "learning rate 0.11 for 0.1", "sgd(0.1,", "sgd(0.11,", ("learning-rate",)),
    Fault(_JAX, "momentum 0.95 for 0.9", "momentum=0.9", "momentum=0.95", ("decay-rate",)),
    Fault(
        _JAX, "Nesterov's momentum", "momentum=0.9)", "momentum=0.9, nesterov=True)", ("nesterov",)
    ),
    Fault(_JAX, "clipped by element", "clip_by_global_norm(0.5)", "clip(0.05)"),
    Fault(_JAX, "clipped at 1", "norm(0.5)", "norm(1.0)", ("gradient-scale",)),
    Fault(_JAX, "gates in a different order", "i, f, g, o =", "i, g, f, o ="),
    Fault(_JAX, "no forget bias", "f + 1.0", "f"),
    Fault(_JAX, "loss summed over rows", "labels).mean()", "labels).sum()", ("gradient-scale",)),
    Fault(
        _JAX,
        "weight decay added",
        "optax.sgd(",
        "optax.add_decayed_weights(1e-3), optax.sgd(",
        ("regularizer",),
    ),
    Fault(_KERAS, "nothing"),
    Fault(_KERAS, "Keras' own epsilon 1e-7", ", epsilon=1e-8", "", ("epsilon",)),
    Fault(_KERAS, "learning rate 0.001 for 0.01", "Adam(0.01", "Adam(0.001", ("learning-rate",)),
    Fault(_KERAS, "beta_2 0.99", "epsilon=1e-8", "epsilon=1e-8, beta_2=0.99", ("decay-rate",)),
    Fault(_KERAS, "rows shuffled", "shuffle=False", "shuffle=True", ("first-batch",)),
    Fault(
        _KERAS,
        "another initializer",
        'activation="relu"',
        'activation="relu", kernel_initializer="he_normal"',
        ("initial-values",),
    ),
    Fault(
        _KERAS,
        "a regularizer",
        "Dense(1,",
        "Dense(1, kernel_regularizer=keras.regularizers.L2(1e-2),",
        ("regularizer",),
    ),
    Fault(_KERAS, "half the batch", "batch_size=ROWS, sh", "batch_size=ROWS // 2, sh", ("steps",)),
    Fault(_KERAS, "tanh for relu", '"relu"', '"tanh"'),
    Fault(_KERAS, "plain gradient descent", "Adam(0.01, epsilon=1e-8)", "SGD(0.01)"),
)


@dataclass(frozen=True)
class Judged:
    """What verify says of a fault.

    Attributes:
        fault: it.
        code: verify's exit code.
        cause: the code of the cause, "" where there is none.
        line: what it says first.
    """

    fault: Fault
    code: int
    cause: str
    line: str

    @property
    def is_found(self) -> bool:
        """Whether the verdict is right."""
        return self.code == (1 if self.fault.old else 0)

    @property
    def is_named(self) -> bool:
        """Whether the cause is the fault's."""
        return self.cause in self.fault.causes


def judge(fault: Fault, python: str, folder: Path) -> Judged:
    """Runs verify on a port with a fault."""
    original = EXAMPLES / f"{fault.port.split('_')[0]}.py"
    text = (EXAMPLES / f"{fault.port}.py").read_text("utf-8")
    assert fault.old in text, f"{fault.port}: {fault.old!r} is not there"
    port = folder / f"{fault.port}.py"
    port.write_text(text.replace(fault.old, fault.new, 1) if fault.old else text, "utf-8")
    command = [sys.executable, "-m", "tfmigrate", "verify", str(original), str(port)]
    command += ["--trace", str(original.with_suffix(".npz")), "--migrated-python", python]
    mapped = EXAMPLES / f"{fault.port}.map.json"
    command += ["--map", str(mapped)] if mapped.exists() else []
    done = subprocess.run(
        [*command, "--format", "json", "-q"], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    details = [line for rung in report.get("rungs", ()) for line in rung["details"]]
    failed = [r for r in report.get("rungs", ()) if r["verdict"] == "different"]
    of_updates = [line for line in details if line.startswith(("weights:", "slots", "average"))]
    line = [*of_updates, *(failed[0]["details"] if failed else ()), report["conclusion"]][0]
    return Judged(fault, done.returncode, str(report.get("cause") or ""), line)


def table(judged: list[Judged]) -> str:
    """Returns the Markdown table, with its sums."""
    rows = ["| port | wrong is | exit code | cause | said |", "|---|---|---|---|---|"]
    for each in judged:
        said = each.line.replace("|", "\\|")
        rows.append(
            f"| {each.fault.port} | {each.fault.what} | {each.code} | {each.cause} | {said} |"
        )
    faults = [each for each in judged if each.fault.old]
    found, named = sum(j.is_found for j in faults), sum(j.is_named for j in faults)
    rows += ["", f"{found} of {len(faults)} faults are found, {named} are named by their cause."]
    return "\n".join(rows) + "\n"


def main() -> int:
    """Judges all; returns 1 where a port without a fault is not the same."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--torch-python", required=True, help="an interpreter with PyTorch")
    parser.add_argument("--jax-python", required=True, help="one with JAX, optax and Keras 3")
    parser.add_argument("--only", default="", help="a part of the port's name or the fault")
    parser.add_argument("--table", action="store_true", help=f"write the result into {PAGE.name}")
    options = parser.parse_args()
    judged = []
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            if options.only not in f"{fault.port}: {fault.what}":
                continue
            python = options.torch_python if fault.port == _TORCH else options.jax_python
            judged.append(judge(fault, python, Path(folder)))
            print(f"{judged[-1].code} {fault.port}: {fault.what}: {judged[-1].cause}", flush=True)
            print(f"    {judged[-1].line}", flush=True)
    text = table(judged)
    print(text.splitlines()[-1])
    if options.table:
        page = PAGE.read_text("utf-8")
        start, end = page.index(_BEGIN) + len(_BEGIN), page.index(_END)
        PAGE.write_text(page[:start] + "\n" + text + "\n" + page[end:], "utf-8")
    return int(not all(each.is_found for each in judged if not each.fault.old))


if __name__ == "__main__":
    sys.exit(main())
