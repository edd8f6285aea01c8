"""tf.contrib.training."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.training"
NAMES: Mapping[str, Equivalent] = {}
_RESAMPLE = Missing(
    "it drew examples by queues whose numbers no seed of TensorFlow 2 gives again",
    "use tf.data: Dataset.rejection_resample for the shares of classes, Dataset.filter with "
    "tf.random.uniform for a rate",
)
_STATES = Missing(
    "it kept the states of long sequences in queues of the graph (SequenceQueueingStateSaver)",
    "cut the sequences into parts by tf.data, and carry the states in variables of your own",
)
MISSING: Mapping[str, Missing] = {
    "FeedingQueueRunner": Missing(
        "it fed queues from pandas and numpy for tf.contrib.learn",
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
