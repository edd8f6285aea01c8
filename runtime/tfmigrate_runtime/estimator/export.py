"""What a SavedModel offers and takes: outputs of a model function, and serving inputs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

Tensors = Mapping[str, Any]
_SINGLE_FEATURE = "feature"
_SINGLE_RECEIVER = "input"


class ExportOutput:
    """What a signature of a SavedModel gives (``tf.estimator.export.ExportOutput``)."""

    def signature(self, receivers: Tensors) -> Any:
        """Returns the SignatureDef for inputs given by name."""
        raise NotImplementedError


@dataclass(frozen=True)
class PredictOutput(ExportOutput):
    """Any outputs (``tf.estimator.export.PredictOutput``).

    Attributes:
        outputs: a tensor, or tensors by name; parts of a name that is a tuple are joined by "/".
    """

    outputs: Any

    def signature(self, receivers: Tensors) -> Any:
        """Returns the SignatureDef for inputs given by name."""
        return tf.saved_model.predict_signature_def(dict(receivers), self.by_name())

    def by_name(self) -> dict[str, Any]:
        """Returns the outputs by the names that they have in a SavedModel."""
        outputs = self.outputs if isinstance(self.outputs, Mapping) else {"output": self.outputs}
        return {
            "/".join(key) if isinstance(key, tuple) else key: tensor
            for key, tensor in outputs.items()
        }


@dataclass(frozen=True)
class ClassificationOutput(ExportOutput):
    """Scores or classes (``tf.estimator.export.ClassificationOutput``).

    Attributes:
        scores: float tensor [batch, classes], or None.
        classes: string tensor [batch, classes], or None.

    Raises:
        ValueError: neither is given.
    """

    scores: Any = None
    classes: Any = None

    def __post_init__(self) -> None:
        if self.scores is None and self.classes is None:
            raise ValueError("ClassificationOutput needs scores, classes or both")

    def signature(self, receivers: Tensors) -> Any:
        """Returns the SignatureDef; it takes serialized examples, as TensorFlow Serving asks."""
        return tf.saved_model.classification_signature_def(
            _single_string(receivers, "ClassificationOutput"), self.classes, self.scores
        )


@dataclass(frozen=True)
class RegressionOutput(ExportOutput):
    """A regressed value (``tf.estimator.export.RegressionOutput``).

    Attributes:
        value: float tensor [batch].
    """

    value: Any

    def signature(self, receivers: Tensors) -> Any:
        """Returns the SignatureDef; it takes serialized examples, as TensorFlow Serving asks."""
        return tf.saved_model.regression_signature_def(
            _single_string(receivers, "RegressionOutput"), self.value
        )


@dataclass(frozen=True)
class _Receiver:
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Mapping[str, Any] | None = None

    # Receivers can be unpacked: they were named tuples.
    def __iter__(self) -> Iterator[Any]:
        return iter((self.features, self.receiver_tensors, self.receiver_tensors_alternatives))


@dataclass(frozen=True)
class ServingInputReceiver(_Receiver):
    """The inputs of a SavedModel (``tf.estimator.export.ServingInputReceiver``).

    Attributes:
        features: what the model function gets: tensors by name (a lone tensor gets the name
            "feature").
        receiver_tensors: the placeholders that a request feeds, by name (a lone one: "input").
        receiver_tensors_alternatives: other sets of placeholders, by the name of their signature.
    """

    def __post_init__(self) -> None:
        features = _named(self.features, "feature", _SINGLE_FEATURE, int_keys=True)
        object.__setattr__(self, "features", features)
        _check_receivers(self)


@dataclass(frozen=True)
class TensorServingInputReceiver(_Receiver):
    """As ServingInputReceiver, for a model function that takes one tensor and no dict."""

    def __post_init__(self) -> None:
        if isinstance(self.features, Mapping):
            raise ValueError("feature must be a Tensor: use ServingInputReceiver for several")
        _named(self.features, "feature", _SINGLE_FEATURE)
        _check_receivers(self)


def _named(tensors: Any, what: str, single: str, *, int_keys: bool = False) -> Tensors:
    """Returns tensors by name: a dict as it is, one tensor under the name ``single``.

    Raises:
        ValueError: there is none, a name is not a string (or int, where these may be), or a value
            is not a tensor (tensorflow_estimator 1.15, ``wrap_and_check_input_tensors``).
    """
    if tensors is None:
        raise ValueError(f"{what}s must be defined.")
    by_name: Tensors = tensors if isinstance(tensors, Mapping) else {single: tensors}
    for name, tensor in by_name.items():
        if not isinstance(name, (str, int) if int_keys else str):
            kinds = "strings or ints" if int_keys else "strings"
            raise ValueError(f"{what} keys must be {kinds}: {name}.")
        if not isinstance(tensor, (tf.Tensor, tf.SparseTensor, tf.RaggedTensor)):
            raise ValueError(f"{what} {name} must be a Tensor, SparseTensor, or RaggedTensor.")
    return by_name


def _check_receivers(receiver: Any) -> None:
    """Checks what a request feeds, and gives it names.

    Raises:
        ValueError: it is not a tensor, or the alternatives have no names.
    """
    tensors = _named(receiver.receiver_tensors, "receiver_tensor", _SINGLE_RECEIVER)
    object.__setattr__(receiver, "receiver_tensors", tensors)
    if (alternatives := receiver.receiver_tensors_alternatives) is None:
        return
    if not isinstance(alternatives, Mapping):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")
    for others in alternatives.values():
        _named(others, "receiver_tensors_alternative", _SINGLE_RECEIVER)


def build_raw_serving_input_receiver_fn(
    features: Tensors, default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that makes a placeholder for every feature.

    Args:
        features: tensors (or placeholders) that give the dtypes and shapes, batch axis first.
        default_batch_size: the size of the batch axis, None for any.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        receivers = {}
        for name, tensor in features.items():
            shape = None
            if tensor.shape.rank is not None:  # one of a scalar has a batch axis, too
                shape = [default_batch_size, *tensor.shape.as_list()[1:]]
            # A tensor that was made eagerly has no op.
            is_eager = isinstance(tensor, tf2.__internal__.EagerTensor)
            of_op = name if is_eager else tensor.op.name
            receivers[name] = tf.placeholder(tensor.dtype, shape, name=of_op)
        return ServingInputReceiver(receivers, receivers)

    return serving_input_receiver_fn


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that parses serialized ``tf.Example`` protos by a feature spec.

    Args:
        feature_spec: as for ``tf.io.parse_example``.
        default_batch_size: the number of examples in a request, None for any.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(
            tf.io.parse_example(serialized, dict(feature_spec)), {"examples": serialized}
        )

    return serving_input_receiver_fn


def _single_string(receivers: Tensors, kind: str) -> Any:
    tensors = list(receivers.values())
    if len(tensors) != 1 or tensors[0].dtype != tf.string:
        raise ValueError(
            f"{kind} needs a single string input (serialized examples), got {dict(receivers)}; "
            "use PredictOutput for other inputs"
        )
    return tensors[0]
