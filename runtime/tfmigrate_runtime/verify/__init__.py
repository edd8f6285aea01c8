"""Runs an original and a migrated program and compares how they train.

    from pathlib import Path
    from tfmigrate_runtime.verify import VerifyRequest, verify

    report = verify(VerifyRequest(Path("original.py"), Path("train.py"), ("--model_dir", "{out}")))
    print(report.conclusion)

``recorder`` runs in the user's interpreter, everything else here needs NumPy and rich only. These
names are imported on first use: this file is also read where those packages are missing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfmigrate_runtime.verify.pipeline import REFUSED, verify
    from tfmigrate_runtime.verify.reports.written_reports import Report
    from tfmigrate_runtime.verify.request import VerifyRequest

__all__ = ["REFUSED", "Report", "VerifyRequest", "verify"]
_MODULES = {"Report": "reports.written_reports", "VerifyRequest": "request"}


def __getattr__(name: str) -> Any:
    """Returns one of the names above.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'pipeline')}"), name)
