"""TPUEstimator without TPUs: that of tensorflow-estimator, as in TensorFlow 1.15."""

from typing import Any

from tfmigrate_runtime.compat.shim_estimator import tpu_estimator
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated


class TPUEstimator(tpu_estimator.TPUEstimator):  # type: ignore[misc]
    """An Estimator that gives its functions ``params["batch_size"]``; ``use_tpu=False`` only."""

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        *arguments: Any,
        **options: Any,
    ) -> None:
        """Makes it; the other arguments are those of tensorflow-estimator.

        Raises:
            AttributeError: it shall use TPUs.
            ValueError: an option is wrong.
        """
        if use_tpu:
            raise not_emulated("tf.contrib.tpu.TPUEstimator(use_tpu=True)")
        super().__init__(model_fn, model_dir, config, params, use_tpu, *arguments, **options)
