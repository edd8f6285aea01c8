"""Names of predictions (contrib.learn's ``PredictionKey``)."""

from __future__ import annotations


class PredictionKey:
    """Names that contrib.learn's models and exports gave to predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"
