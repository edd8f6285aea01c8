"""The order in which ``fit`` of tf.keras 1.x visits its rows, which Keras 3 is given.

``fit`` shuffles by default, TensorFlow 1.x with NumPy's generator and Keras 3 with an op of
TensorFlow, so that a right port had other batches. The orders of the original's epochs are
``shuffle/<n>`` in its trace, int64[rows]; the port's epochs take them one after the other as long
as they have as many rows.

Private names of Keras that are touched: ``np`` of the loops of tf.keras 1.x, and the TensorFlow of
``module_utils`` while ``ArrayDataAdapter`` makes its dataset: programs shuffle with both as well,
which is not to be changed, and no argument of ``fit`` is an order of rows.
"""

from typing import Any, Callable, Dict, List

import numpy as np

from ..program import imports, wrapping

_PREFIX = "shuffle/"
_ADAPTER = "keras.src.trainers.data_adapters.array_data_adapter"


class With:
    """A module, or a part of one, with another attribute."""

    def __init__(self, module: Any, name: str, value: Any) -> None:
        self._module = module
        setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def numbered(path: str, prefix: str) -> List[Any]:
    """Returns the arrays ``<prefix><n>`` of a trace, in the order of their numbers."""
    with np.load(path, allow_pickle=False) as arrays:
        names = [name for name in arrays.files if name.startswith(prefix)]
        return [arrays[name] for name in sorted(names, key=lambda name: int(name[len(prefix) :]))]


class Shuffles:
    """The orders that a program draws or, where they are given, takes."""

    def __init__(self) -> None:
        self._drawn: List[Any] = []
        self._left: List[Any] = []

    def record(self, module: Any, is_training: Callable[[], bool]) -> None:
        """Records what a loop of tf.keras 1.x draws to train; it shuffles to validate, too."""
        numpy = getattr(module, "np", None)
        if numpy is None:  # the loop of generators draws nothing
            return

        def shuffle(rows: Any) -> None:
            numpy.random.shuffle(rows)
            if is_training():
                self._drawn.append(numpy.array(rows))

        module.np = With(numpy, "random", With(numpy.random, "shuffle", shuffle))

    def give(self, path: str) -> None:
        """Lets Keras 3 take the orders in the trace at a path."""
        self._left = numbered(path, _PREFIX)
        if self._left:
            imports.when_loaded([_ADAPTER], self._replace)

    def _replace(self, module: Any) -> None:
        from keras.src.utils import module_utils

        tf, kind = module_utils.tensorflow, module.ArrayDataAdapter

        def chosen(drawn: Any) -> Any:
            if not self._left or len(self._left[0]) != len(drawn):
                return drawn
            return self._left.pop(0).astype(drawn.dtype)

        def shuffle(rows: Any) -> Any:
            drawn = tf.random.shuffle(rows)
            order = tf.numpy_function(chosen, [drawn], drawn.dtype)
            order.set_shape(drawn.shape)
            return order

        def get_tf_dataset(original: Any, this: Any) -> Any:
            module_utils.tensorflow = With(tf, "random", With(tf.random, "shuffle", shuffle))
            try:
                return original(this)
            finally:
                module_utils.tensorflow = tf

        wrapping.wrap(kind, "get_tf_dataset", get_tf_dataset)

    def arrays(self) -> Dict[str, Any]:
        """Returns the orders for the trace."""
        return {_PREFIX + str(number): order for number, order in enumerate(self._drawn)}

    def meta(self) -> Dict[str, Any]:
        """Returns no entries for ``meta``."""
        return {}
