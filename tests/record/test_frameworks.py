"""The examples of ports and their faults, in PyTorch, JAX and Keras: ``make test-ports``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-ports" / "bin" / "python"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not PYTHON.exists(), reason="needs PyTorch and JAX: `make test-ports`"),
]


def _report() -> ModuleType:
    path = ROOT / "scripts" / "report" / "port_faults.py"
    spec = importlib.util.spec_from_file_location("port_faults", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REPORT = _report()


@pytest.mark.parametrize("fault", REPORT.FAULTS, ids=lambda fault: f"{fault.port}: {fault.what}")
def test_a_port_is_judged(tmp_path: Path, fault: object) -> None:
    judged = REPORT.judge(fault, str(PYTHON), tmp_path)
    assert judged.is_found, judged.line
    assert judged.is_named or not fault.causes, (judged.cause, judged.line)  # type: ignore[attr-defined]
