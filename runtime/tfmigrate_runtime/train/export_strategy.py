"""How a model is exported after evaluations (``tf.contrib.learn.ExportStrategy``)."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class ExportStrategy(NamedTuple):
    """A way to export a model.

    Attributes:
        name: the folder below ``<model_dir>/export``.
        export_fn: takes ``(estimator, export_path)`` and any of ``checkpoint_path``,
            ``eval_result`` (only with the former) and ``strip_default_attrs``; returns the folder
            of the export.
        strip_default_attrs: what export_fn gets, if it takes it.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str | None = None,
        eval_result: Mapping[str, Any] | None = None,
    ) -> Any:
        """Exports an Estimator.

        Args:
            estimator: the Estimator.
            export_path: the folder that gets a folder of this export.
            checkpoint_path: the checkpoint, None for the latest.
            eval_result: the metrics of that checkpoint.

        Returns:
            What export_fn returns.

        Raises:
            ValueError: export_fn takes eval_result without checkpoint_path.
        """
        names = inspect.signature(self.export_fn).parameters
        if "eval_result" in names and "checkpoint_path" not in names:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        offered = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        return self.export_fn(
            estimator,
            export_path,
            **{name: value for name, value in offered.items() if name in names},
        )


def listed(strategies: Any) -> tuple[ExportStrategy, ...]:
    """Returns strategies as a tuple: one, several, or None for none.

    Raises:
        ValueError: something else is among them.
    """
    if not strategies:
        return ()
    strategy_tuple = (strategies,) if isinstance(strategies, ExportStrategy) else tuple(strategies)
    for strategy in strategy_tuple:
        if not isinstance(strategy, ExportStrategy):
            raise ValueError(
                "`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or "
                f"`None`, found {strategy}."
            )
    return strategy_tuple
