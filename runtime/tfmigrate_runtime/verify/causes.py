"""What a verdict says in a code: a closed list, for programs that read ``--format json``.

A code stays what it is; codes may be added. docs/reference/verify_causes.md is made of this list.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """One code.

    Attributes:
        code: its name.
        meaning: what was found, in one sentence.
        advice: what to look at and change.
    """

    code: str
    meaning: str
    advice: str


@dataclass(frozen=True)
class FirstDifference:
    """Where two programs first differ.

    Attributes:
        step: the global step, None before the first.
        variable: its name, None for what is not a variable.
        index: the element where they differ most.
        original: the original's value, None for what is not a number.
        migrated: the migrated program's.
    """

    step: int | None = None
    variable: str | None = None
    index: tuple[int, ...] = ()
    original: float | None = None
    migrated: float | None = None


# Of a rung that fails, by its number from 1, where nothing more is known.
OF_RUNGS = (
    "steps", "trainable-variables", "initial-values", "losses", "updates", "results", "checkpoints",
    "exports", "files",
)  # fmt: skip
DISTRIBUTION = "distribution"
IN_GRAPH = "graph"
FED = "fed"
DIRECTION = "direction"
NOT_DECIDED = "not-decided"
INTERNAL = "internal-error"
_LIST = (
    # Rungs.
    Cause(
        "steps",
        "One program trains more steps, models or tasks than the other, or counts them "
        "differently.",
        "Compare max_steps, epochs and batch size, how often global_step is incremented, and the "
        "number of replicas.",
    ),
    Cause(
        "trainable-variables",
        "The trainable variables differ in name, shape or dtype.",
        "Compare layers, variable scopes and the arguments of their constructors. For a Keras "
        "program whose names differ, pair them with --map.",
    ),
    Cause(
        "initial-values",
        "A variable starts from a value, or a distribution, that differs.",
        "Give its layer the initializer and the seed of the original, with all their arguments.",
    ),
    Cause(
        "seed",
        "The graph has another seed than the original's, or none: in production other random "
        "numbers are drawn.",
        "Give it the original's: tf.set_random_seed, or tf_random_seed of a RunConfig.",
    ),
    Cause(
        "first-batch",
        "Both start from the same values, but the first batch of data differs.",
        "Compare the input pipeline: order, shuffling and its seed, batch size, preprocessing, and "
        "how a batch is divided among replicas.",
    ),
    Cause(
        "losses",
        "Variables are as the original's, but the loss computed from them differs.",
        "Compare the loss: its terms, weights, reduction, regularizers, and dropout.",
    ),
    Cause(
        "updates",
        "From the same variables, a step makes another update, and no other code explains it.",
        "Compare the optimizer and its slots, and what changes variables outside of it.",
    ),
    Cause(
        "results",
        "Training is the same, but evaluations, predictions or fetched values differ.",
        "Compare metrics, the data and steps of evaluations, and when they are made.",
    ),
    Cause(
        "checkpoints",
        "A checkpoint of one program cannot be restored by the other.",
        "Compare the names of what is saved.",
    ),
    Cause(
        "exports",
        "Exported models differ.",
        "Compare signatures, their inputs and outputs, and which checkpoint is exported.",
    ),
    Cause(
        "files",
        "Summaries, checkpoints or calls of hooks differ.",
        "Compare how often they are written, and their tags.",
    ),
    Cause(
        DISTRIBUTION,
        "Random numbers or timing are free, and losses are distributed differently.",
        "Compare rates, sizes and the number of updates: what changes training on the average.",
    ),
    # What updates show.
    Cause(
        "learning-rate",
        "Updates of weights are those of the original, multiplied by a factor.",
        "Correct the learning rate or its schedule, or a factor of the loss.",
    ),
    Cause(
        "gradient-scale",
        "Gradients are those of the original, multiplied by a factor.",
        "Correct a factor of the loss, its reduction, or the mean over replicas.",
    ),
    Cause(
        "weight-decay",
        "A multiple of the weights is added to their updates.",
        "Add or remove weight decay or a regularizer of the loss.",
    ),
    Cause(
        "regularizer",
        "A multiple of the weights is added to their gradients.",
        "Add or remove a regularizer of the loss.",
    ),
    Cause(
        "epsilon",
        "Updates are smaller where the mean square of the gradient is small.",
        "Give the optimizer the epsilon of the original: defaults of Keras and tf.train differ.",
    ),
    Cause(
        "decay-rate",
        "A slot of the optimizer forgets at another rate.",
        "Give the optimizer the momentum, rho or beta of the original.",
    ),
    Cause(
        "nesterov",
        "The momentum is applied in another way.",
        "Add or remove use_nesterov (nesterov).",
    ),
    Cause(
        "momentum-rate",
        "Where the learning rate changes, the momentum has the former one in it: Keras' SGD adds "
        "up steps, TensorFlow 1.x gradients, which it multiplies by the present rate.",
        "Keep the optimizer of TensorFlow 1.x, or write the update; constant rates need nothing.",
    ),
    Cause(
        "rows",
        "The programs update different rows of an embedding (those that a batch has, or all), or "
        "square what a batch adds to one row before or after it is added up.",
        "Optimizers of TensorFlow 1.x update the rows of a batch (tf.IndexedSlices) by the sum of "
        "its gradients; only Adam decays the slots of all. Keep its optimizer, or write the "
        "update; for Keras 3, make the gradient dense (tf.convert_to_tensor).",
    ),
    Cause(
        "average-decay",
        "A moving average moves at another rate.",
        "Give it the decay, or the momentum of the batch normalization, of the original.",
    ),
    Cause(
        "average-value",
        "A moving average averages a multiple of the original's values.",
        "Average the variance of the batch over the same number of rows: n - 1 where the layer of "
        "TensorFlow is fused, else n.",
    ),
    Cause(
        "lost-updates",
        "Variables that the original updates never move.",
        "Run what updates them: UPDATE_OPS, moving averages, training=True; or train them: "
        "trainable=True, the list of variables of the optimizer.",
    ),
    Cause(
        IN_GRAPH,
        "The graphs of the steps differ in a constant, a setting or an op.",
        "Look at the line of the program that makes what is named.",
    ),
    Cause(
        FED,
        "A step is fed other numbers: a batch, a share of dropout, a learning rate.",
        "Look at the feed_dict of the step that is named, and at what it is made of.",
    ),
    Cause(
        DIRECTION,
        "Updates point elsewhere: nothing that is known of the original explains them.",
        "Compare the gradients (clipping, stop_gradient, terms of the loss), the data of the steps "
        "named, and the kind of optimizer.",
    ),
    # No verdict.
    Cause(
        NOT_DECIDED,
        "Nothing differs, but what was compared does not show that the programs train the same.",
        "Set the seeds of both programs, or make numbers finite; the report names what is open.",
    ),
    Cause(
        "usage",
        "The command line is wrong, or its programs and options do not belong together.",
        "Do what the message says.",
    ),
    Cause(
        "source",
        "A program could not be found, taken from git, or migrated.",
        "Do what the message says.",
    ),
    Cause("cluster", "The cluster cannot be made.", "Correct --cluster."),
    Cause(
        "trace",
        "A stored trace cannot be used for this program.",
        "Record it again, or leave --trace out.",
    ),
    Cause("report", "A report cannot be written.", "Correct the path of --report."),
    Cause(
        "original-failed",
        "The original did not run to its end.",
        "Correct its arguments, data or interpreter (--reference-python); the message ends with "
        "its output.",
    ),
    Cause(
        "migrated-failed",
        "The migrated program did not run to its end.",
        "Correct it: the message ends with its traceback.",
    ),
    Cause("program-failed", "A program could not be run.", "Do what the message says."),
    Cause("time-limit", "The runs took longer than --total-timeout.", "Raise it, or use --steps."),
    Cause(INTERNAL, "tfmigrate verify itself failed.", "Report it, with the traceback."),
)
CAUSES = {cause.code: cause for cause in _LIST}
