"""Predicting with a model, example by example."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices
from tfmigrate_runtime.estimator.model_graph import ModelGraph
from tfmigrate_runtime.estimator.run_config import RunConfig


def open_session(
    model: ModelGraph, checkpoint_path: str | None, config: RunConfig, hooks: Sequence[Any]
) -> Any:
    """Returns a session for a prediction graph, which is the default one."""
    creator = tf.train.ChiefSessionCreator(
        scaffold=model.of_all.scaffold,
        checkpoint_filename_with_path=checkpoint_path,
        master=config.master,
        config=devices.session_config(config.session_config, [config.eval_distribute]),
    )
    all_hooks = [*model.input_hooks, *hooks, *model.of_all.prediction_hooks]
    return tf.train.MonitoredSession(creator, hooks=all_hooks)


def warn_if_endless() -> None:
    """Warns of an input of the default graph without an end: tensors of no queue or Dataset."""
    operations = tf.get_default_graph().get_operations()
    ends = any(operation.type == "IteratorGetNext" for operation in operations)
    if not ends and not tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        tf.logging.warning(
            "Input graph does not use tf.data.Dataset or contain a QueueRunner. "
            "That means predict yields forever. This is probably a mistake."
        )


def selected(predictions: Any, keys: str | Sequence[str] | None) -> Any:
    """Returns the predictions that are asked for.

    Raises:
        ValueError: keys are given but the predictions have no names, or none of these.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, Mapping):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    wanted = [keys] if isinstance(keys, str) else list(keys)
    if not (chosen := {name: value for name, value in predictions.items() if name in wanted}):
        raise ValueError(
            f"Expected to run at least one output from {sorted(predictions)}, provided {wanted}."
        )
    return chosen


def iterate(
    session: Any, model: ModelGraph, keys: str | Sequence[str] | None, single_examples: bool
) -> Iterator[Any]:
    """Yields predictions until the input ends, and closes the session.

    Args:
        session: the session of the model.
        model: the model, built for prediction for one or more replicas.
        keys: which predictions, None for all.
        single_examples: whether to yield examples, or the batches of the input.
    """
    fetches = {"predictions": [selected(spec.predictions, keys) for spec in model.specs]}
    if model.present is not None:
        fetches["present"] = model.present
    try:
        while not session.should_stop():
            try:
                with session.graph.as_default():  # which hooks ask for their tensors
                    results = session.run(fetches)
            except tf.errors.OutOfRangeError:
                break
            batches = results["predictions"]
            for batch, present in zip(batches, results.get("present", [True]), strict=True):
                if present:
                    yield from _examples(batch) if single_examples else [batch]
    finally:
        session.close()


def _examples(batch: Any) -> Iterator[Any]:
    if not isinstance(batch, Mapping):
        yield from batch
        return
    for index in range(_batch_size(batch)):
        yield {name: values[index] for name, values in batch.items()}


def _batch_size(batch: Mapping[str, Any]) -> int:
    sizes = {name: len(values) for name, values in batch.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"Batch length of predictions should be same, got {sizes}: "
            "use yield_single_examples=False"
        )
    return next(iter(sizes.values()), 0)
