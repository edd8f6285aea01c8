"""Runs one test file of TensorFlow in this process, and writes down what came of each method.

    python run_file.py SUITE WAY CHECKOUT FILE OUT

Every method of OUT is a line: its name, "passed", "skipped", "not applicable" or "failed", and the
last line of the error. A method that asks for a private part of tf.estimator is not applicable.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import socket
import sys
import traceback
import unittest
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from reasons import read
from suites import MIGRATED, RUNTIME, RUNTIME_V1, SUITES, TF1_SHIM, Suite

SECONDS = 120
_TEXT = 300
_FRAMES = 30
_EAGER = "[eager_mode]"
_IRIS = "tensorflow/contrib/learn/python/learn/datasets/data/iris.csv"
# What a test asks of an object of ours that is private to tf.estimator: est._model_fn.
_PRIVATE = re.compile(r"(?:has no|does not have the) attribute '(_[a-z]\w*)'")
_NO_TEST = ".test_session"  # a helper of TensorFlow's
NO_COUNTERPART = "no counterpart: "


class _CheckoutFinder:
    """Finds the modules of the checkout that only tests import, and packages above them."""

    def __init__(self, checkout: Path, helpers: tuple[str, ...]) -> None:
        self._checkout = checkout
        self._helpers = helpers

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns the spec of a helper; of a package above one, where no other finder has it."""
        if name in self._helpers:
            file = self._checkout / f"{name.replace('.', '/')}.py"
            return importlib.util.spec_from_file_location(name, file)
        if not any(helper.startswith(f"{name}.") for helper in self._helpers):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Returns nothing: an empty module is made."""

    def exec_module(self, module: ModuleType) -> None:
        """Leaves the module empty."""


class _Outcomes(unittest.TestResult):
    """Writes a line for each method, at once."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._modes: list[str] = []  # in which a method has failed

    def write(
        self, test: unittest.TestCase, outcome: str, reason: str = "", where: str = ""
    ) -> None:
        """Writes the line of a method."""
        line = {"method": _name(test), "outcome": outcome, "reason": reason[:_TEXT], "where": where}
        print(json.dumps(line), file=self._out, flush=True)

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Sets the time limit."""
        super().startTest(test)
        signal.alarm(SECONDS)

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Ends the time limit; a method that fails with eager execution only passes in graphs."""
        signal.alarm(0)
        if self._modes and all(_EAGER in mode for mode in self._modes):
            self.write(test, "passed")
        self._modes.clear()
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Notes a method that passes."""
        self.write(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        """Notes a method that TensorFlow skips."""
        self.write(test, "skipped", reason)

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        """Notes an error."""
        outcome, reason = _judged(err[1])
        self.write(test, outcome, reason, "".join(traceback.format_exception(*err)[-_FRAMES:]))

    addFailure = addError  # noqa: N815

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        """Notes a part of a method that fails."""
        if err is not None:
            self._modes.append(str(subtest))
            self.addError(subtest, err)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _judged(error: BaseException) -> tuple[str, str]:
    """Returns the outcome of a method that raised an error, and the reason in one line."""
    for cause in _causes(error):
        text = str(cause)
        if NO_COUNTERPART in text:
            return "not applicable", text[text.index(NO_COUNTERPART) :]
        private = _PRIVATE.search(text)
        if isinstance(cause, AttributeError) and private:
            return "not applicable", f"{NO_COUNTERPART}{private[1]}"
    text = " ".join(str(error).split())
    return "failed", f"{type(error).__name__}: {text}"


def _time_is_up(*_: Any) -> None:
    raise TimeoutError(f"not done after {SECONDS} s")


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("", 0))
        return int(listening.getsockname()[1])


def _prepare(suite: Suite, way: str, checkout: Path, helpers: Path) -> None:
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    # Of Google's package of this name TensorFlow's tests of clusters ask nothing else.
    sys.modules["portpicker"] = ModuleType("portpicker")
    sys.modules["portpicker"].pick_unused_port = _free_port  # type: ignore[attr-defined]
    if way == TF1_SHIM:
        from tfmigrate_runtime import tf1_shim

        tf1_shim.install()
    elif way in (RUNTIME, RUNTIME_V1):
        import estimator_names

        estimator_names.install(version_1=way == RUNTIME_V1)
    if way in (TF1_SHIM, MIGRATED):
        # TensorFlow's package has the file.
        from tfmigrate_runtime.datasets import base

        base.load_iris.__defaults__ = (str(checkout / _IRIS),)
    sys.meta_path.insert(0, _CheckoutFinder(helpers, suite.helpers))  # type: ignore[arg-type]


def _name(test: unittest.TestCase) -> str:
    """Returns the name of a method with its class, without that of the module."""
    return test.id().split(".", 1)[-1]


def _methods(tests: Any) -> Iterator[Any]:
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from _methods(test)
        else:
            yield test


def _load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Runs the file of the command line; 1 where it cannot be imported."""
    name, way, checkout, file, out = sys.argv[1:6]
    only = sys.argv[6:]
    suite = next(suite for suite in SUITES if suite.name == name)
    sys.argv[1:] = []
    with Path(out).open("w", encoding="utf-8") as written:
        result = _Outcomes(written)
        _prepare(
            suite, way, Path(checkout), Path(file).parent if way == MIGRATED else Path(checkout)
        )
        from absl import flags

        flags.FLAGS.mark_as_parsed()
        signal.signal(signal.SIGALRM, _time_is_up)
        try:
            module = _load(Path(file))
        except Exception as error:
            outcome, reason = _judged(error)
            line = {"method": "", "outcome": outcome, "reason": reason[:_TEXT]}
            print(json.dumps({**line, "where": traceback.format_exc()}), file=written)
            return 1
        loader = unittest.TestLoader()
        if only:
            loader.testNamePatterns = [f"*{pattern}*" for pattern in only]
        not_run = [entry for entry in read() if not entry.run]
        chosen = unittest.TestSuite()
        for test in _methods(loader.loadTestsFromModule(module)):
            if any(entry.is_for(file, way, _name(test)) for entry in not_run):
                result.write(test, "failed", "not run")
            elif not test.id().endswith(_NO_TEST):
                chosen.addTest(test)
        chosen.run(result)
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    code = main()
    sys.stdout.flush()
    os._exit(code)  # servers of tests have threads that never end
