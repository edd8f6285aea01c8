"""What is called on Estimators of contrib.learn, of both runtimes: a runtime does what it means."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn import interfaces, tensor_signature
from tfmigrate_runtime.contrib.of_learn.sk_compat import SKCompat

InputFunction = Callable[[], Any]


class Calls(interfaces.Evaluable, interfaces.Trainable):
    """Checks what is passed, and lets the Estimator of a runtime train, evaluate and predict.

    Attributes:
        _sk_compat: the SKCompat of the runtime, which has the defaults for arrays.
        _of_arrays: returns the input function of (x, y, batch_size), and what feeds it, or None;
            ``shuffle`` for another order in each epoch, ``epochs`` for how many, None for no end.
        _train: trains with (input_fn, monitors, steps, max_steps).
        _evaluate: evaluates with (path, input_fn, feed_fn, steps, metrics, name, hooks,
            log_progress).
        _infer: predicts with (input_fn, feed_fn, outputs, as_iterable, iterate_batches).
    """

    _sk_compat: type[SKCompat]
    _of_arrays: Callable[..., tuple[InputFunction, Any]]
    _train: Callable[..., None]
    _evaluate: Callable[..., dict[str, Any]]
    _infer: Callable[..., Any]
    _features_signature: Any = None
    _labels_signature: Any = None

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains the model.

        Args:
            x: features as an array, or arrays by name; else None.
            y: labels as an array, or arrays by name; else None.
            input_fn: returns (features, labels), or a Dataset of them.
            steps: how many steps, from where the last checkpoint stands. None: no limit.
            batch_size: rows of a step from x and y, None for all.
            monitors: SessionRunHooks; a ValidationMonitor evaluates this Estimator.
            max_steps: the global step to stop at; nothing is done if it is reached already.

        Returns:
            This Estimator.

        Raises:
            ValueError: both limits are given, or both kinds of input.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        interfaces.check_input(x, y, input_fn, None, batch_size)
        if x is not None:
            self._sk_compat(self).fit(x, y, batch_size, steps, max_steps, monitors)
        elif max_steps is not None and max_steps <= self._saved_step():
            tf.logging.info("Skipping training since max_steps has already saved.")
        else:
            self._train(input_fn, monitors, steps, max_steps)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> Any:
        """Trains a step more: ``fit`` with ``steps=1`` unless it is said otherwise."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFunction | None = None,
        feed_fn: Callable[[], Mapping[Any, Any]] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[Any] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
            x: features as an array, or arrays by name; else None.
            y: labels as an array, or arrays by name; else None.
            input_fn: returns (features, labels), or a Dataset of them.
            feed_fn: returns what is fed in every step, by tensor.
            batch_size: rows of a batch from x and y, None for all.
            steps: how many batches, None for all.
            metrics: MetricSpecs by name, added to the model function's metrics. A function
                (predictions, labels) may stand for one.
            name: names the folder of events, "eval_<name>".
            checkpoint_path: which checkpoint, None for the latest.
            hooks: SessionRunHooks.
            log_progress: kept for compatibility.

        Returns:
            The metrics by name, with "loss" and "global_step".

        Raises:
            ValueError: both kinds of input are given, or metrics is not a dict.
            NotFittedError: there is no checkpoint.
        """
        interfaces.check_input(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return self._sk_compat(self).score(x, y, batch_size, steps, metrics, name)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        path = checkpoint_path or self._fitted_checkpoint()
        hooks = list(hooks or ())
        return self._evaluate(path, input_fn, feed_fn, steps, metrics, name, hooks, log_progress)

    def predict(
        self,
        x: Any = None,
        input_fn: InputFunction | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns predictions of the latest checkpoint, in the order of the input.

        Tensors that neither a Dataset nor a queue gives are one batch, as in contrib.learn: those
        of an iterator too.

        Args:
            x: features as an array, or arrays by name; else None.
            input_fn: returns features or (features, labels), or a Dataset of them.
            batch_size: rows of a batch from x, None for all.
            outputs: which predictions, None for all.
            as_iterable: whether to return an iterator; else the predictions for all of x, or for
                one batch of input_fn.
            iterate_batches: whether the iterator gives batches, not examples.

        Raises:
            ValueError: both kinds of input are given, or outputs do not fit the predictions.
            NotFittedError: there is no checkpoint.
        """
        interfaces.check_input(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return self._sk_compat(self).predict(x, batch_size)
        feed_fn = None
        if x is not None:
            input_fn, feed_fn = self._of_arrays(x, None, batch_size)
        return self._infer(input_fn, feed_fn, outputs, as_iterable, iterate_batches)

    def _newest_checkpoint(self) -> str | None:
        path: str | None = tf.train.latest_checkpoint(self.model_dir)
        return path

    def _fitted_checkpoint(self) -> str:
        """Returns the latest checkpoint.

        Raises:
            NotFittedError: there is none.
        """
        if not (path := self._newest_checkpoint()):
            raise interfaces.NotFittedError(f"Couldn't find trained model at {self.model_dir}.")
        return path

    def _saved_step(self) -> int:
        """Returns the global step of the latest checkpoint, -1 where there is none."""
        path = self._newest_checkpoint()
        if not path or "global_step" not in dict(tf.train.list_variables(path)):
            return -1
        return int(tf.train.load_variable(path, "global_step"))

    def _check_signatures(self, features: Any, labels: Any) -> None:
        """Checks that input has the kinds of earlier input.

        Raises:
            ValueError: it has not.
        """
        for name, tensors in (("features", features), ("labels", labels)):
            if (known := getattr(self, f"_{name}_signature")) is None:
                setattr(self, f"_{name}_signature", tensor_signature.create_signatures(tensors))
            elif tensors is not None and not tensor_signature.tensors_compatible(tensors, known):
                raise ValueError(
                    f"{name.capitalize()} are incompatible with given information. Given {name}: "
                    f"{tensors}, required signatures: {known}."
                )
