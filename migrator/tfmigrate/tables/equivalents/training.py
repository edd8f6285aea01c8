"""tf.contrib.training."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.training"
NAMES: Mapping[str, Equivalent] = {}
_RESAMPLE = Missing(
    "it drew examples from queues, and no seed of TensorFlow 2 reproduces the draws",
    "use tf.data: Dataset.rejection_resample for class proportions, or Dataset.filter with "
    "tf.random.uniform for a rate",
)
_STATES = Missing(
    "it kept the states of long sequences in queues (SequenceQueueingStateSaver)",
    "split the sequences with tf.data, and keep the states in variables",
)
MISSING: Mapping[str, Missing] = {
    "FeedingQueueRunner": Missing(
        "it fed tf.contrib.learn's queues from pandas and NumPy",
        "use tf.data.Dataset.from_tensor_slices, or estimator.inputs.numpy_input_fn",
    ),
    "NextQueuedSequenceBatch": _STATES,
    "SequenceQueueingStateSaver": _STATES,
    "batch_sequences_with_states": _STATES,
    "rejection_sample": _RESAMPLE,
    "resample_at_rate": _RESAMPLE,
    "stratified_sample": _RESAMPLE,
    "weighted_resample": _RESAMPLE,
}
