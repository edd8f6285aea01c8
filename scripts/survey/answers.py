"""Asks interpreters which names they have, in processes that live as long as the survey."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Chain = tuple[str, str, str]
_PROCESS = Path(__file__).with_name("answering.py")
_DOCTOR = Path(__file__).parents[2] / "runtime" / "tfmigrate_runtime" / "doctor.py"


class Interpreter:
    """A Python with a TensorFlow, which tells what it lacks."""

    def __init__(self, python: str, **environment: str) -> None:
        self._known: dict[Chain, str] = {}
        self._takes: dict[Chain, dict[str, Any] | None] = {}
        command = [python, str(_PROCESS), str(_DOCTOR)]
        settings = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        settings.pop("TF_USE_LEGACY_KERAS", None)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**settings, **environment},
        )

    def missing(self, chains: Iterable[Chain]) -> str:
        """Returns why none of some chains leads anywhere; "" where one does."""
        reasons = [self._why(chain) for chain in chains]
        return reasons[0] if all(reasons) else ""

    def parameters(self, chain: Chain) -> dict[str, Any] | None:
        """Returns what a function takes; None where that is not known."""
        if chain not in self._takes:
            self._takes[chain] = self._ask("parameters", chain)
        return self._takes[chain]

    def _why(self, chain: Chain) -> str:
        if chain not in self._known:
            self._known[chain] = self._ask("missing", chain)
        return self._known[chain]

    def _ask(self, question: str, chain: Chain) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps([question, chain]) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
