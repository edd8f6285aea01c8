"""Writes docs/reference/native_vocabulary.md: what --target keras knows, from its tables.

python scripts/pages/native_vocabulary.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tfmigrate_keras.tables.batch_losses import LOSSES_OF_BATCHES
from tfmigrate_keras.tables.columns import COLUMNS
from tfmigrate_keras.tables.entry import Entry
from tfmigrate_keras.tables.initializers import ACTIVATIONS, INITIALIZERS, REGULARIZERS
from tfmigrate_keras.tables.layers import CLASSES, FUNCTIONS
from tfmigrate_keras.tables.losses import LOSSES
from tfmigrate_keras.tables.metrics import METRICS
from tfmigrate_keras.tables.operations import COMPOSED, OPERATIONS
from tfmigrate_keras.tables.optimizers import OPTIMIZERS, SCHEDULES
from tfmigrate_keras.tables.variables import VARIABLES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/native_vocabulary.md"
sys.path.insert(0, str(ROOT / "tests/native"))

import native_cases as cases  # noqa: E402
import native_training_cases as training  # noqa: E402

HEAD = """\
# Vocabulary of --target keras

What [`tfmigrate --target keras`](../how_to/target_keras.md) knows in a model function, made from
the tables of the migrator by `scripts/pages/native_vocabulary.py`. Everything else keeps a program
in its default form ([TFM802](../rules/TFM802.md)).

The last column counts the lines of code with an entry that TensorFlow 1.15.5 ran
(`scripts/record/record_native.py`). `tests/native` converts the same lines and compares what Keras
computes, in one process and on one device: outputs, gradients, variables and penalties to 2e-5, 30
updates of optimizers to 2e-6, losses with gradients, metrics and learning rates to 1e-6.
Initializers and dropout are random: means, deviations and quantiles are compared.
`data_format='channels_first'` is not compared: most of its layers need a GPU.

Arguments are those of TensorFlow 1.x. Those that are not listed, and other values than those in
parentheses, are refused.
"""


def _lines() -> list[str]:
    of_training = (
        *(training.SCHEDULES, training.OPTIMIZERS, training.OPTIMIZED_LOSSES),
        *(training.LOSSES, training.METRICS),
    )
    return [
        *cases.forward(),
        *cases.LAWS,
        *cases.DROPOUT,
        *(c for some in of_training for c in some),
    ]


LINES = _lines()


def evidence(name: str) -> int:
    """Returns the number of recorded lines that use a name."""
    used = re.compile(re.escape(name) + r"\b(?!\.)")
    return sum(bool(used.search(line)) for line in LINES)


def arguments(entry: Entry) -> str:
    """Returns the arguments of an entry that may be given, as Markdown."""
    return ", ".join(
        f"`{p.old}`" if p.values is None else f"`{p.old}` ({' or '.join(p.values)})"
        for p in entry.parameters
    )


def of_entries(entries: Mapping[str, Entry]) -> Iterator[tuple[str, str, str]]:
    """Yields name, successor and arguments of entries."""
    for name, entry in entries.items():
        added = f" with {', '.join(f'`{text}`' for text in entry.added)}" if entry.added else ""
        target = f"`{entry.target}`" if entry.target else "its argument"
        yield name, f"{target}{added}", arguments(entry)


def of_templates(templates: Mapping[str, tuple[str, Entry]]) -> Iterator[tuple[str, str, str]]:
    """Yields name, successor and arguments of entries whose code has places."""
    for name, (template, entry) in templates.items():
        names = [p.old for p in entry.parameters if p.new]
        yield name, f"`{template.format(*names)}`", arguments(entry)


def table(title: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """Returns a section with a table of entries."""
    lines = [
        f"## {title}",
        "",
        "| TensorFlow 1.x | Keras 3 | arguments | lines |",
        "|---|---|---|---|",
    ]
    for qualified, successor, given in rows:
        name = qualified.replace("tensorflow.", "tf.", 1)
        lines.append(f"| `{name}` | {successor} | {given} | {evidence(name)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Returns the text of the page."""
    losses = (
        (
            name,
            f"`{loss.target}`" + (f"; its sum: `{loss.summed}`" if loss.summed else ""),
            ", ".join(f"`{p}`" for p in (loss.labels[0], loss.output[0], *loss.shared)),
        )
        for name, loss in LOSSES.items()
    )
    metrics = (
        (
            name,
            ", ".join(f"`{target}` of {form}" for form, (target, _) in forms.items()),
            "`labels`, `predictions`",
        )
        for name, forms in METRICS.items()
    )
    sections = [
        table("Layers", of_entries({**FUNCTIONS, **CLASSES})),
        "`tf.nn.dropout` becomes `keras.layers.Dropout` where it is for training alone.\n",
        table("Feature columns", of_entries(COLUMNS)),
        table("Operations", [*of_entries(OPERATIONS), *of_templates(COMPOSED)]),
        "In the function of a loss (`BatchLoss`), these as well:\n",
        table("Operations of losses", of_templates(LOSSES_OF_BATCHES)),
        table("Variables", of_entries(VARIABLES)),
        table("Initializers", of_entries(INITIALIZERS)),
        table(
            "Regularizers",
            ((n, f"`{t.format('scale')}`", "the scale") for n, t in REGULARIZERS.items()),
        ),
        table("Activations", ((n, f"`'{t}'`", "") for n, t in ACTIVATIONS.items())),
        table("Losses", losses),
        table("Metrics", metrics),
        table("Optimizers", of_entries(OPTIMIZERS)),
        table("Learning rates", of_entries(SCHEDULES)),
    ]
    return "\n".join([HEAD, *sections])


if __name__ == "__main__":
    PAGE.write_text(page())
