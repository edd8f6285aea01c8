"""Names that NumPy removed: those with the same meaning under another name, and the others.

The list is that of NumPy 1.18, with which TensorFlow 1.x runs, without what NumPy 2.4 has;
A test compares it with the installed NumPy.
"""

BUILT_IN = {
    "bool": "bool", "complex": "complex", "float": "float", "int": "int",
    "issubclass_": "issubclass", "long": "int", "object": "object", "str": "str", "unicode": "str",
}  # fmt: skip
RENAMED = {
    "Inf": "inf", "Infinity": "inf", "NAN": "nan", "NaN": "nan", "PINF": "inf", "alltrue": "all",
    "bool8": "bool_", "bytes0": "bytes_", "cfloat": "complex128", "clongfloat": "clongdouble",
    "complex_": "complex128", "cumproduct": "cumprod", "float_": "float64", "infty": "inf",
    "int0": "intp", "longcomplex": "clongdouble", "longfloat": "longdouble", "mat": "asmatrix",
    "object0": "object_", "product": "prod", "rank": "ndim", "round_": "round",
    "row_stack": "vstack", "singlecomplex": "complex64", "sometrue": "any", "str0": "str_",
    "string_": "bytes_", "typeDict": "sctypeDict", "uint0": "uintp", "unicode_": "str_",
    "void0": "void",
}  # fmt: skip
# What to do about the others, where it is not to look for it in NumPy's migration guide.
REMOVED = {
    "AxisError": "use np.exceptions.AxisError",
    "ComplexWarning": "use np.exceptions.ComplexWarning",
    "NINF": "use -np.inf",
    "NZERO": "use -0.0",
    "PZERO": "use 0.0",
    "RankWarning": "use np.exceptions.RankWarning",
    "TooHardError": "use np.exceptions.TooHardError",
    "VisibleDeprecationWarning": "use np.exceptions.VisibleDeprecationWarning",
    "alen": "use len()",
    "asfarray": "use np.asarray(..., dtype=float)",
    "asscalar": "use .item()",
    "byte_bounds": "use np.lib.array_utils.byte_bounds",
    "cast": "use np.asarray(..., dtype=...)",
    "disp": "use print()",
    "find_common_type": "use np.promote_types or np.result_type",
    "fv": "install numpy-financial",
    "in1d": "use np.isin of flattened arrays",
    "ipmt": "install numpy-financial",
    "irr": "install numpy-financial",
    "issubsctype": "use np.issubdtype",
    "loads": "use pickle.loads",
    "math": "import math",
    "maximum_sctype": "name the type",
    "mirr": "install numpy-financial",
    "msort": "use np.sort(..., axis=0)",
    "nbytes": "use np.dtype(...).itemsize",
    "nper": "install numpy-financial",
    "npv": "install numpy-financial",
    "obj2sctype": "use np.dtype(...).type",
    "pmt": "install numpy-financial",
    "ppmt": "install numpy-financial",
    "pv": "install numpy-financial",
    "rate": "install numpy-financial",
    "recfromcsv": "use np.genfromtxt(..., delimiter=',')",
    "recfromtxt": "use np.genfromtxt",
    "safe_eval": "use ast.literal_eval",
    "sctype2char": "use np.dtype(...).char",
    "set_string_function": "use np.set_printoptions",
    "sys": "import sys",
    "trapz": "use np.trapezoid (NumPy 2) or scipy.integrate.trapezoid",
    "warnings": "import warnings",
}
_OTHERS = """
BUFSIZE CLIP DataSource ERR_CALL ERR_DEFAULT ERR_IGNORE ERR_LOG ERR_PRINT ERR_RAISE ERR_WARN
FLOATING_POINT_SUPPORT FPE_DIVIDEBYZERO FPE_INVALID FPE_OVERFLOW FPE_UNDERFLOW MAXDIMS
MAY_SHARE_BOUNDS MAY_SHARE_EXACT MachAr ModuleDeprecationWarning RAISE SHIFT_DIVIDEBYZERO
SHIFT_INVALID SHIFT_OVERFLOW SHIFT_UNDERFLOW Tester UFUNC_BUFSIZE_DEFAULT UFUNC_PYVALS_NAME WRAP
add_docstring add_newdoc add_newdoc_ufunc compare_chararrays compat deprecate deprecate_with_doc
fastCopyAndTranspose format_parser get_array_wrap geterrobj int_asbuffer issctype lookfor
mafromtxt ndfromtxt numarray oldnumeric sctypeNA sctypes set_numeric_ops seterrobj source
tracemalloc_domain typeNA who
"""
REMOVED |= dict.fromkeys(_OTHERS.split(), "see NumPy's migration guide for its replacement")
# What numpy.lib had, the same functions as numpy has.
_IN_LIB = """
angle append apply_along_axis apply_over_axes array_split asarray_chkfinite average bartlett
bincount blackman broadcast_arrays broadcast_to column_stack common_type copy corrcoef cov delete
diag diag_indices diag_indices_from diagflat diff digitize dsplit dstack ediff1d expand_dims
extract eye fill_diagonal fix flip fliplr flipud fromregex genfromtxt get_include gradient hamming
hanning histogram histogram2d histogram_bin_edges histogramdd hsplit i0 imag info insert interp
intersect1d iscomplex iscomplexobj isin isneginf isposinf isreal isrealobj issubdtype iterable ix_
kaiser kron load loadtxt mask_indices median meshgrid mintypecode nan_to_num nanargmax nanargmin
nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd
nansum nanvar ndenumerate ndindex packbits pad percentile piecewise place poly poly1d polyadd
polyder polydiv polyfit polyint polymul polysub polyval put_along_axis quantile ravel_multi_index
real real_if_close roots rot90 row_stack save savetxt savez savez_compressed select setdiff1d
setxor1d sinc sort_complex split take_along_axis tile tri tril tril_indices tril_indices_from
trim_zeros triu triu_indices triu_indices_from typename union1d unique unpackbits unravel_index
unwrap vander vectorize vsplit
"""
IN_LIB = frozenset(_IN_LIB.split())
