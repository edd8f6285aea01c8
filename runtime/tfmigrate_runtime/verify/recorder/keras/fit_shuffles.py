"""The order in which ``fit`` of tf.keras 1.x visits its rows, which Keras 3 is given.

``fit`` shuffles by default, TensorFlow 1.x with NumPy's generator and Keras 3 with an op of
TensorFlow, so that a right port had other batches. The orders of the original's epochs are
``shuffle/<n>`` in its trace, int64[rows]; the port's epochs take them one after the other as long
as they have as many rows. TensorFlow 1.x shuffles the rows of its validations, too (``validation/
<n>``): the losses of several outputs are means over batches, of which the last has fewer rows.

Private names of Keras that are touched: ``np`` of the loops of tf.keras 1.x, and the TensorFlow of
``module_utils`` while ``ArrayDataAdapter`` makes its dataset: programs shuffle with both as well,
which is not to be changed, and no argument of ``fit`` is an order of rows.
"""

import functools
from typing import Any, Callable, Dict, List

import numpy as np

from ..program import imports, wrapping

_TRAINING, _VALIDATING = "shuffle/", "validation/"
_ADAPTER = "keras.src.trainers.data_adapters.array_data_adapter"


def numbered(path: str, prefix: str) -> List[Any]:
    """Returns the arrays ``<prefix><n>`` of a trace, in the order of their numbers."""
    with np.load(path, allow_pickle=False) as arrays:
        names = [name for name in arrays.files if name.startswith(prefix)]
        return [arrays[name] for name in sorted(names, key=lambda name: int(name[len(prefix) :]))]


class Shuffles:
    """The orders that a program draws or, where they are given, takes."""

    def __init__(self) -> None:
        self._orders: Dict[str, List[Any]] = {_TRAINING: [], _VALIDATING: []}

    def record(self, module: Any, is_training: Callable[[], bool]) -> None:
        """Records what a loop of tf.keras 1.x draws to train, and to validate."""
        numpy = getattr(module, "np", None)
        if numpy is None:  # the loop of generators draws nothing
            return

        def shuffle(rows: Any) -> None:
            numpy.random.shuffle(rows)
            kind = _TRAINING if is_training() else _VALIDATING
            self._orders[kind].append(numpy.array(rows))

        module.np = wrapping.with_random(numpy, "shuffle", shuffle)

    def give(self, path: str, validates: Callable[[], bool]) -> None:
        """Lets Keras 3 take the orders in the trace at a path.

        Args:
            path: of the trace.
            validates: returns whether the dataset that is made now is that of validations.
        """
        left = {prefix: numbered(path, prefix) for prefix in (_TRAINING, _VALIDATING)}
        if any(left.values()):
            replace = functools.partial(_replace, left=left, validates=validates)
            imports.when_loaded([_ADAPTER], replace)

    def arrays(self) -> Dict[str, Any]:
        """Returns the orders for the trace."""
        return {
            prefix + str(number): order
            for prefix, orders in self._orders.items()
            for number, order in enumerate(orders)
        }

    def meta(self) -> Dict[str, Any]:
        """Returns no entries for ``meta``."""
        return {}


def _replace(module: Any, left: Dict[str, List[Any]], validates: Callable[[], bool]) -> None:
    """Lets the adapters of Keras 3 visit rows in these orders."""
    from keras.src.utils import module_utils

    tf, kind = module_utils.tensorflow, module.ArrayDataAdapter

    def ordered(rows: Any, orders: List[Any]) -> Any:
        def chosen(drawn: Any) -> Any:
            if not orders or len(orders[0]) != len(drawn):
                return drawn
            return orders.pop(0).astype(drawn.dtype)

        order = tf.numpy_function(chosen, [rows], rows.dtype)
        order.set_shape(rows.shape)
        return order

    def shuffle(rows: Any) -> Any:
        return ordered(tf.random.shuffle(rows), left[_TRAINING])

    def in_order(*arguments: Any, **options: Any) -> Any:
        return ordered(tf.range(*arguments, **options), left[_VALIDATING])

    def get_tf_dataset(original: Any, this: Any) -> Any:
        ordering = (
            wrapping.With(tf, "range", in_order)
            if validates()
            else wrapping.with_random(tf, "shuffle", shuffle)
        )
        with wrapping.setting(module_utils, "tensorflow", ordering):
            return original(this)

    wrapping.wrap(kind, "get_tf_dataset", get_tf_dataset)
