"""``tf.estimator.experimental.InMemoryEvaluatorHook``: evaluations while a model is trained."""

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.input_pipeline import InputFunction


class InMemoryEvaluatorHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Evaluates the current weights at the start, every so many steps, and at the end.

    The weights pass through a temporary folder, not through the model directory: its checkpoints
    and their number stay as they are.
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: InputFunction,
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        """Plans evaluations.

        Args:
            estimator: the Estimator that is trained.
            input_fn: the input of evaluations.
            steps: batches of an evaluation, None for all.
            hooks: SessionRunHooks of evaluations.
            name: names the folder of events, "eval_<name>".
            every_n_iter: steps from one evaluation to the next.

        Raises:
            ValueError: every_n_iter is not positive, or there are several processes.
        """
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn = estimator, input_fn
        self._steps, self._hooks, self._name = steps, hooks, name
        self._every = every_n_iter
        self._saver: Any = None
        self._global_step: Any = None
        self._evaluated_at = 0

    def begin(self) -> None:
        """Makes what saves the weights."""
        self._saver = tf.train.Saver(sharded=True, save_relative_paths=True)
        self._global_step = tf.train.get_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates the weights that training begins with."""
        self._evaluate(session)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates when it is time."""
        step = int(run_context.session.run(self._global_step))
        if step - self._evaluated_at >= self._every:
            self._evaluate(run_context.session)

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many of the next steps do not end with an evaluation."""
        return self._evaluated_at + self._every - 1 - global_step

    def end(self, session: Any) -> None:
        """Evaluates the weights that training ends with."""
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        self._evaluated_at = int(session.run(self._global_step))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.ckpt")
            # Not by its method, which keeps a list of what it has saved.
            definition = self._saver.saver_def
            session.run(definition.save_tensor_name, {definition.filename_tensor_name: path})
            self._estimator._evaluate_run(
                input_fn=self._input_fn,
                steps=self._steps,
                hooks=self._hooks,
                path=path,
                name=self._name,
            )
