"""Runs every quirk of replicate_model_fn, then the rest of its package: PROGRAM OUT.json.

A program of TensorFlow 1.x: Python 3.7 has to understand it.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import contrib_estimator_heads as heads
import contrib_estimator_others as others
import replicate_spec_quirks as specs
import replicate_training_quirks as training
import tensorflow as tf

QUIRKS = {
    "1.1": training.split,
    "1.2": training.divisibility,
    "1.3": training.reductions,
    "1.4": training.three_towers,
    "1.6": training.weighted,
    "1.7": training.sparse_gradients,
    "1.8": training.clipped,
    "1.9": training.zipped,
    "1.10": training.graph_collections,
    "1.11": training.update_ops,
    "1.12": specs.evaluation,
    "1.12 uneven": specs.uneven_metrics,
    "1.13": specs.prediction,
    "1.13 default": specs.no_outputs,
    "1.14": specs.variables,
    "1.15": specs.own_copies,
    "1.16": specs.unnamed_layers,
    "1.17": specs.tower_optimizers,
    "1.18": specs.two_optimizers,
    "1.19": specs.spec_fields,
    "1.20": specs.keras_layers,
    "heads": heads.heads,
    "head errors": heads.head_errors,
    "clipped by norm": others.clipped_by_norm,
    "extended": others.extended,
    "early stopping": others.early_stopping,
    "exports": others.exports,
    "names": others.names,
}


class _Messages(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def main() -> None:
    """Writes the findings by the number of their quirk, a line each."""
    tf.logging.set_verbosity(tf.logging.INFO)
    logger = logging.getLogger("tensorflow")
    kept, logger.handlers, logger.propagate = _Messages(), [], False
    logger.addHandler(kept)
    found = {number: quirk() for number, quirk in QUIRKS.items()}
    found["logged"] = sorted({text for text in kept.texts if text.startswith("Replicating")})
    lines = (f'"{number}": {json.dumps(value, sort_keys=True)}' for number, value in found.items())
    with Path(sys.argv[1]).open("w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
