"""The error of an Estimator that has no checkpoint yet."""


class NotFittedError(ValueError, AttributeError):
    """There is no checkpoint to evaluate, predict with or export (``NotFittedError``)."""
