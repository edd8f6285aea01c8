"""NumPy's old names, for programs that were written for NumPy 1.18 and before.

Only names that the installed NumPy no longer has are put back, with what they were: the names of
Python's own types, second names of types and functions, and a few functions that NumPy's release
notes say how to write otherwise. Behaviour that has changed stays as it is.
"""

import ast
import ctypes
import gc
import math
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

# By the old name: the name that it was another one of.
_SECOND_NAMES = {
    "Inf": "inf", "Infinity": "inf", "NAN": "nan", "NaN": "nan", "PINF": "inf", "alltrue": "all",
    "bool8": "bool_", "bytes0": "bytes_", "cfloat": "complex128", "clongfloat": "clongdouble",
    "complex_": "complex128", "cumproduct": "cumprod", "float_": "float64", "infty": "inf",
    "int0": "intp", "longcomplex": "clongdouble", "longfloat": "longdouble", "mat": "asmatrix",
    "object0": "object_", "product": "prod", "round_": "round", "row_stack": "vstack",
    "singlecomplex": "complex64", "sometrue": "any", "str0": "str_", "string_": "bytes_",
    "trapz": "trapezoid", "typeDict": "sctypeDict", "uint0": "uintp", "unicode_": "str_",
    "void0": "void",
}  # fmt: skip
_PYTHONS: dict[str, Any] = {
    "bool": bool, "complex": complex, "float": float, "int": int, "long": int, "object": object,
    "str": str, "unicode": str, "math": math, "sys": sys, "warnings": warnings,
}  # fmt: skip
_EXCEPTIONS = (
    "AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError",
    "VisibleDeprecationWarning",
)  # fmt: skip


def restore() -> None:
    """Puts the old names into the module numpy, where it has them no more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of names that it still knows
        for name, value in _old_names().items():
            if not hasattr(np, name):
                setattr(np, name, value)
    for name, method in _METHODS.items():
        # NumPy 2.0 to 2.2 keep some as attributes that raise.
        if not callable(getattr(np.ndarray, name, None)):
            _add_method(np.ndarray, name, method)


def _old_names() -> dict[str, Any]:
    names: dict[str, Any] = dict(_PYTHONS)
    for old, new in _SECOND_NAMES.items():
        if hasattr(np, new):  # trapezoid came with the NumPy that lost trapz
            names[old] = getattr(np, new)
    exceptions = getattr(np, "exceptions", np)
    names |= {n: getattr(exceptions, n) for n in _EXCEPTIONS if hasattr(exceptions, n)}
    return names | {
        "NINF": -np.inf,
        "NZERO": -0.0,
        "PZERO": 0.0,
        "alen": _alen,
        "asfarray": _asfarray,
        "asscalar": _asscalar,
        "find_common_type": _find_common_type,
        "in1d": _in1d,
        "issubclass_": _issubclass,
        "issubsctype": _issubsctype,
        "loads": pickle.loads,
        "msort": _msort,
        "obj2sctype": _obj2sctype,
        "safe_eval": ast.literal_eval,
        "sctypes": _sctypes(),
    }


def _sctypes() -> dict[str, list[Any]]:
    return {
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
        "float": [np.float16, np.float32, np.float64, np.longdouble],
        "complex": [np.complex64, np.complex128, np.clongdouble],
        "others": [bool, object, bytes, str, np.void],
    }


def _alen(a: Any) -> int:
    """Returns the length of the first axis, 1 for a scalar."""
    return len(np.atleast_1d(a))


def _asfarray(a: Any, dtype: Any = np.float64) -> Any:
    """Returns an array of a floating dtype; of float64 where an integer one is asked for."""
    if not np.issubdtype(np.dtype(dtype), np.inexact):
        dtype = np.float64
    return np.asarray(a, dtype=dtype)


def _asscalar(a: Any) -> Any:
    return np.asarray(a).item()


def _find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Returns the dtype of a sum: scalars count only where they are of a higher kind."""
    arrays = [np.dtype(kind) for kind in array_types]
    scalars = [np.dtype(kind) for kind in scalar_types]
    if not arrays or not scalars:
        return np.result_type(*arrays, *scalars)
    of_arrays, of_scalars = np.result_type(*arrays), np.result_type(*scalars)
    kinds = "buifc"
    if kinds.find(of_scalars.kind) > kinds.find(of_arrays.kind):
        return np.promote_types(of_scalars, of_arrays)
    return of_arrays


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _issubclass(arg1: Any, arg2: Any) -> bool:
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def _issubsctype(arg1: Any, arg2: Any) -> bool:
    return issubclass(_obj2sctype(arg1), _obj2sctype(arg2))


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def _obj2sctype(rep: Any, default: Any = None) -> Any:
    """Returns the type of a scalar, array or dtype, or the default."""
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    if isinstance(rep, np.ndarray):
        return rep.dtype.type
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def _itemset(self: Any, *arguments: Any) -> None:
    """Sets one element: a.itemset(value), a.itemset(position, value)."""
    *where, value = arguments
    if not where:
        self[(0,) * self.ndim] = value
    elif len(where) == 1 and not isinstance(where[0], tuple):
        self.flat[where[0]] = value
    else:
        self[where[0] if isinstance(where[0], tuple) else tuple(where)] = value


def _newbyteorder(self: Any, new_order: str = "S") -> Any:
    return self.view(self.dtype.newbyteorder(new_order))


def _ptp(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    return np.ptp(self, axis=axis, out=out, keepdims=keepdims)


def _tostring(self: Any, order: Any = "C") -> bytes:
    raw_bytes: bytes = self.tobytes(order)
    return raw_bytes


_METHODS: dict[str, Callable[..., Any]] = {
    "itemset": _itemset,
    "newbyteorder": _newbyteorder,
    "ptp": _ptp,
    "tostring": _tostring,
}


def _add_method(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Adds a method to a type of C, whose namespace Python shows for reading only.

    It is done for arrays alone, of which programs can have no subclass in their stead.
    """
    namespace = next(
        referent for referent in gc.get_referents(kind.__dict__) if isinstance(referent, dict)
    )
    namespace[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
