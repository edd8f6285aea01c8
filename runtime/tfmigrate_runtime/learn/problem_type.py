"""What kind of problem a model solves (``tf.contrib.learn.ProblemType``)."""


class ProblemType:
    """Decides which signature a SavedModel gets: predict, classify or regress."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3
