"""The three ways in which a model function is called."""


class ModeKeys:
    """Names of the modes, with the values that tf.estimator gave them (``tf.estimator.ModeKeys``).

    Attributes:
        TRAIN: build the loss and the training op.
        EVAL: build the loss and the metrics.
        PREDICT: build the predictions.
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
