"""Replaces ``tensorflow_estimator.python.estimator.estimator_export``.

It registered names with TensorFlow, which knows no estimators any more, and gave every one of them
a warning that it is deprecated. The package's own list of names does without the registration.
"""

from typing import Any


class estimator_export:  # noqa: N801 - the name that tensorflow-estimator imports
    """Leaves what it decorates as it is."""

    def __init__(self, *names: str, v1: Any = None) -> None:
        del names, v1

    def __call__(self, exported: Any) -> Any:
        """Returns a class or function as it is."""
        return exported

    def export_constant(self, module_name: str, name: str) -> None:
        """Leaves a constant as it is."""
