"""Names of predictions (``tf.contrib.learn.PredictionKey``)."""


class PredictionKey:
    """The keys by which models give their predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"
