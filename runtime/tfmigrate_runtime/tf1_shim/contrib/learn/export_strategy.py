"""An export under a name, as Experiment makes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class _Fields(NamedTuple):
    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None = None


class ExportStrategy(_Fields):
    """A name, the folder below ``export``, and the function that exports."""

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: str | None = None,
        eval_result: dict[str, Any] | None = None,
    ) -> Any:
        """Exports and returns what ``export_fn`` returns, given only what it takes.

        Raises:
            ValueError: export_fn takes eval_result but no checkpoint_path.
        """
        taken = inspect.getfullargspec(self.export_fn).args
        if "eval_result" in taken and "checkpoint_path" not in taken:
            raise ValueError("An export_fn accepting eval_result must also accept checkpoint_path.")
        offered = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        arguments = {name: value for name, value in offered.items() if name in taken}
        return self.export_fn(estimator, export_path, **arguments)
