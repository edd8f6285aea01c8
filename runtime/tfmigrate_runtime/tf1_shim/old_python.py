"""Names that Python's standard library removed after 3.7, the last Python of TensorFlow 1.15.

Only what is missing is put back, and only what programs call: names of modules, and the module
``imp``.
"""

import asyncio
import base64
import collections
import collections.abc
import fractions
import importlib
import importlib.util
import inspect
import logging
import math
import sys
import threading
import time
import types
import unittest
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """What ``inspect.getargspec`` returned."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """Returns a function's arguments, as ``inspect.getargspec`` of Python 3.7 did.

    Raises:
        ValueError: it has arguments that are given by name only.
    """
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError(
            "Function has keyword-only parameters or annotations, use getfullargspec() API which "
            "can support them"
        )
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def gcd(a: int, b: int) -> int:
    """Returns the greatest common divisor with the sign of b, as ``fractions.gcd`` did."""
    divisor = math.gcd(a, b)
    return -divisor if b < 0 or (b == 0 and a < 0) else divisor


def set_check_interval(n: int) -> None:
    """Does nothing, as ``sys.setcheckinterval`` since Python 3.2."""


_ASSERTIONS = {
    "assertAlmostEquals": "assertAlmostEqual",
    "assertEquals": "assertEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertNotEquals": "assertNotEqual",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertRegexpMatches": "assertRegex",
    "assert_": "assertTrue",
    "failIf": "assertFalse",
    "failIfEqual": "assertNotEqual",
    "failUnless": "assertTrue",
    "failUnlessEqual": "assertEqual",
    "failUnlessRaises": "assertRaises",
}


def restore() -> None:
    """Puts back what this Python's library no longer has."""
    for name in collections.abc.__all__:
        _put(collections, name, getattr(collections.abc, name))
    _put(asyncio, "coroutine", types.coroutine)
    _put(base64, "decodestring", base64.decodebytes)
    _put(base64, "encodestring", base64.encodebytes)
    _put(fractions, "gcd", gcd)
    _put(inspect, "ArgSpec", ArgSpec)
    _put(inspect, "getargspec", getargspec)
    _put(logging, "warn", logging.warning)
    _put(logging.Logger, "warn", logging.Logger.warning)
    _put(sys, "setcheckinterval", set_check_interval)
    _put(threading.Thread, "isAlive", threading.Thread.is_alive)
    _put(time, "clock", time.process_time)
    for name, today in _ASSERTIONS.items():
        _put(unittest.TestCase, name, getattr(unittest.TestCase, today))
    if importlib.util.find_spec("imp") is None:
        from tfmigrate_runtime.tf1_shim.modules import imp

        sys.modules["imp"] = imp
    if importlib.util.find_spec("distutils") is None:
        _restore_distutils()


def _put(owner: Any, name: str, value: Any) -> None:
    if not hasattr(owner, name):
        setattr(owner, name, value)


def _restore_distutils() -> None:
    """Gives the copy of distutils that setuptools carries, where that is installed."""
    if importlib.util.find_spec("setuptools") is not None:
        importlib.import_module("setuptools")  # it lets distutils be imported
        importlib.import_module("distutils")
