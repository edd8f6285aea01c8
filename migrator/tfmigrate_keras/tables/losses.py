"""Losses: which class of keras.losses computes what a function of TensorFlow 1.x did."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Loss:
    """A loss of labels and of the output of the model.

    Attributes:
        target: the class.
        labels: the parameter of the labels, and its position.
        output: the parameter of the output, and its position.
        added: arguments that are added.
        renamed: other parameters of the function that the class has, by their names there.
        classes: whether the labels are one row a class, which ``tf.one_hot`` makes from numbers.
        rows: whether the function returns a loss for each row, whose mean is taken.
        summed: the class, written out, of the sum over a batch; "" for none.
    """

    target: str
    labels: tuple[str, int]
    output: tuple[str, int]
    added: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    classes: bool = False
    rows: bool = False
    summed: str = ""


_LOGITS = ("from_logits=True",)
SPARSE = "keras.losses.SparseCategoricalCrossentropy"
LOSSES: dict[str, Loss] = {
    "tensorflow.losses.sparse_softmax_cross_entropy": Loss(
        SPARSE, ("labels", 0), ("logits", 1), _LOGITS
    ),
    "tensorflow.losses.softmax_cross_entropy": Loss(
        "keras.losses.CategoricalCrossentropy",
        ("onehot_labels", 0),
        ("logits", 1),
        _LOGITS,
        (("label_smoothing", "label_smoothing"),),
        classes=True,
    ),
    "tensorflow.losses.sigmoid_cross_entropy": Loss(
        "keras.losses.BinaryCrossentropy", ("multi_class_labels", 0), ("logits", 1), _LOGITS
    ),
    "tensorflow.losses.mean_squared_error": Loss(
        "keras.losses.MeanSquaredError", ("labels", 0), ("predictions", 1), summed="SumOfSquares"
    ),
    "tensorflow.losses.absolute_difference": Loss(
        "keras.losses.MeanAbsoluteError",
        ("labels", 0),
        ("predictions", 1),
        summed="SumOfDifferences",
    ),
    "tensorflow.losses.huber_loss": Loss(
        "keras.losses.Huber", ("labels", 0), ("predictions", 1), renamed=(("delta", "delta"),)
    ),
    "tensorflow.nn.sparse_softmax_cross_entropy_with_logits": Loss(
        SPARSE, ("labels", 1), ("logits", 2), _LOGITS, rows=True
    ),
    "tensorflow.nn.softmax_cross_entropy_with_logits": Loss(
        "keras.losses.CategoricalCrossentropy",
        ("labels", 1),
        ("logits", 2),
        _LOGITS,
        classes=True,
        rows=True,
    ),
    "tensorflow.nn.softmax_cross_entropy_with_logits_v2": Loss(
        "keras.losses.CategoricalCrossentropy",
        ("labels", 1),
        ("logits", 2),
        _LOGITS,
        classes=True,
        rows=True,
    ),
    "tensorflow.nn.sigmoid_cross_entropy_with_logits": Loss(
        "keras.losses.BinaryCrossentropy", ("labels", 1), ("logits", 2), _LOGITS, rows=True
    ),
}
"""By the name of a function. Weights other than 1 are refused."""

OF_LAST_AXIS = frozenset(
    f"keras.losses.{name}"
    for name in ("BinaryCrossentropy", "Huber", "MeanAbsoluteError", "MeanSquaredError")
)
"""Losses that are one number for an output of rank 1, of which replicas have no share in Keras."""
