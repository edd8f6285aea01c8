"""Examples and features from files: queues of file names, of examples and of parsed batches.

The order of examples, the sizes of queues and of last batches are those of TensorFlow 1.15's
contrib/learn/python/learn/learn_io/graph_io.py.
"""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.passed_on import pass_on

_KEYS = "__key__"


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns keys and examples, string [batch], or what parse_fn makes of examples.

    Args:
        file_pattern: a pattern of file names, or a list of them.
        batch_size: the last batch is smaller where num_epochs is given.
        reader: makes a tf.ReaderBase.
        randomize_input: whether files and examples are shuffled.
        num_epochs: None for no end.
        queue_capacity: of the queue of examples.
        num_threads: of readers.
        read_batch_size: the examples that a reader takes at once.
        parse_fn: given what a reader takes, [] or [n]; returns tensors or a dict.
        name: a scope.
        seed: of the shuffling.

    Raises:
        ValueError: no file matches, or a number is out of its range.
    """
    files = _file_names(file_pattern, randomize_input)
    _check_numbers(batch_size, queue_capacity, num_threads, read_batch_size, num_epochs)
    with tf.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with tf.name_scope("file_name_queue") as queue_scope:
            queue = tf.train.string_input_producer(
                tf.constant(files, name="input"),
                shuffle=randomize_input,
                num_epochs=num_epochs,
                name=queue_scope,
                seed=seed,
            )
        with tf.name_scope("read"):
            read = [_read(reader(), queue, read_batch_size, parse_fn) for _ in range(num_threads)]
        options: dict[str, Any] = {
            "capacity": queue_capacity,
            "enqueue_many": read_batch_size > 1,
            "name": scope,
            "allow_smaller_final_batch": num_epochs is not None,
        }
        if randomize_input:
            left = int(queue_capacity * 0.4)
            if not tf.is_tensor(batch_size):
                left = max(queue_capacity - 3 * batch_size, batch_size)
            batch = tf.train.shuffle_batch_join(
                read, batch_size, min_after_dequeue=left, seed=seed, **options
            )
        else:
            batch = tf.train.batch_join(read, batch_size, **options)
        return (batch.pop(_KEYS), batch) if isinstance(batch, dict) else batch


def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns the examples of ``read_keyed_batch_examples``."""
    _, examples = pass_on(read_keyed_batch_examples, locals())
    return examples


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Returns keys and parsed features of batches of tf.Examples.

    Args:
        file_pattern: as in ``read_keyed_batch_examples``, like all that is not named here.
        batch_size: of the batches that are parsed.
        features: how they are parsed, tf.FixedLenFeature and so on by name.
        reader: makes a tf.ReaderBase.
        randomize_input: whether files and examples are shuffled.
        num_epochs: None for no end.
        queue_capacity: of the queue of examples.
        reader_num_threads: of readers.
        feature_queue_capacity: of the queue of parsed batches.
        num_enqueue_threads: that parse; with more than one, batches may change places.
        parse_fn: makes serialized tf.Examples of what a reader takes.
        name: a scope.
        read_batch_size: the examples that a reader takes at once, by default batch_size.
    """
    with tf.name_scope(name, "read_batch_features", [file_pattern]) as scope:
        read_batch_size = batch_size if read_batch_size is None else read_batch_size
        name, num_threads = scope, reader_num_threads
        keys, examples = pass_on(read_keyed_batch_examples, locals())
        parsed = tf.parse_example(examples, features)
        return queue_parsed_features(
            parsed, keys, feature_queue_capacity, num_enqueue_threads, name=scope
        )


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """Returns the features of ``read_keyed_batch_features``."""
    _, parsed = pass_on(read_keyed_batch_features, locals())
    return parsed


def read_batch_record_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """Returns the features of tf.Examples in TFRecord files; see ``read_keyed_batch_features``."""
    return pass_on(read_batch_features, locals(), reader=tf.TFRecordReader)


def queue_parsed_features(
    parsed_features: dict[str, Any],
    keys: Any = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Returns keys (None without) and features after a queue, with a summary of how full it is."""
    inputs = [*parsed_features.values(), *([] if keys is None else [keys])]
    with tf.name_scope(name, "queue_parsed_features", inputs):
        parts = {
            key: [tensor.indices, tensor.values, tensor.dense_shape]
            if isinstance(tensor, tf.SparseTensor)
            else [tensor]
            for key, tensor in sorted(parsed_features.items())
        }
        queued = [part for tensors in parts.values() for part in tensors]
        queued += [] if keys is None else [keys]
        queue = tf.FIFOQueue(feature_queue_capacity, [tensor.dtype for tensor in queued])
        fraction = tf.cast(queue.size(), tf.float32) * (1.0 / feature_queue_capacity)
        tag = f"queue/parsed_features/{queue.name}/fraction_of_{feature_queue_capacity}_full"
        tf.summary.scalar(tag, fraction)
        runner = tf.train.QueueRunner(
            queue,
            [queue.enqueue(queued) for _ in range(num_enqueue_threads)],
            queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
        )
        tf.train.add_queue_runner(runner)
        taken = queue.dequeue()
        taken = list(taken) if isinstance(taken, (list, tuple)) else [taken]
        for tensor, before in zip(taken, queued, strict=True):
            tensor.set_shape(before.shape)
        left = iter(taken)
        features = {}
        for key, tensors in parts.items():
            own = [next(left) for _ in tensors]
            features[key] = tf.SparseTensor(*own) if len(own) > 1 else own[0]
        return (None if keys is None else next(left)), features


def _file_names(file_pattern: Any, is_shuffled: bool) -> list[str]:
    if isinstance(file_pattern, list):
        if not file_pattern:
            raise ValueError("No files given to dequeue_examples.")
        names = [name for pattern in file_pattern for name in tf.gfile.Glob(pattern)]
    else:
        names = list(tf.gfile.Glob(file_pattern))
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names if is_shuffled else sorted(names)


def _check_numbers(
    batch: Any, capacity: int, threads: int, read_batch: int, epochs: int | None
) -> None:
    if not capacity or capacity <= 0:
        raise ValueError(f"Invalid queue_capacity {capacity}.")
    if batch is None or (not tf.is_tensor(batch) and not 0 < batch < capacity):
        raise ValueError(f"Invalid batch_size {batch}, with queue_capacity {capacity}.")
    if read_batch is None or (not tf.is_tensor(read_batch) and read_batch <= 0):
        raise ValueError(f"Invalid read_batch_size {read_batch}.")
    if not threads or threads <= 0:
        raise ValueError(f"Invalid num_threads {threads}.")
    if epochs is not None and epochs <= 0:
        raise ValueError(f"Invalid num_epochs {epochs}.")


def _read(reader: Any, queue: Any, number: int, parse_fn: Any) -> Any:
    """Returns keys and examples that one reader takes, in a dict if parse_fn returns one."""
    keys, examples = reader.read_up_to(queue, number) if number > 1 else reader.read(queue)
    parsed = parse_fn(examples) if parse_fn else examples
    return {**parsed, _KEYS: keys} if isinstance(parsed, dict) else (keys, parsed)
