"""Losses: which class of keras.losses computes what a function of TensorFlow 1.x did."""

from dataclasses import dataclass

from tfmigrate_keras.tables.entry import options_of, texts


@dataclass(frozen=True)
class Loss:
    """A loss of labels and of the output of the model.

    Attributes:
        target: the class.
        labels: the parameter of the labels, and its position.
        output: the parameter of the output, and its position.
        added: arguments that are added.
        shared: other parameters of the function that the class has by the same names.
        classes: whether the labels are one row a class, which ``tf.one_hot`` makes from numbers.
        rows: whether the function returns a loss for each row, whose mean is taken.
        summed: the class, written out, of the sum over a batch; "" for none.
    """

    target: str
    labels: tuple[str, int]
    output: tuple[str, int]
    added: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    classes: bool = False
    rows: bool = False
    summed: str = ""


def _loss(text: str) -> Loss:
    target, parameters, *words = text.split(" | ")
    options = options_of(words)
    *first, labels, output = parameters.split()
    return Loss(
        target,
        (labels, len(first)),
        (output, len(first) + 1),
        tuple(options.get("adds", ())),
        tuple(options.get("keeps", ())),
        "classes" in options,
        "rows" in options,
        "".join(options.get("summed", ())),
    )


SPARSE = "keras.losses.SparseCategoricalCrossentropy"
LOSSES = {name: _loss(text) for name, text in texts("losses").items()}
"""By the name of a function. Weights other than 1 are refused."""

OF_LAST_AXIS = frozenset(
    f"keras.losses.{name}"
    for name in ("BinaryCrossentropy", "Huber", "MeanAbsoluteError", "MeanSquaredError")
)
"""Losses that are one number for an output of rank 1, of which replicas have no share in Keras."""
