"""Names that moved in Python, its packages and Keras since TensorFlow 1.x, and those removed."""

from collections.abc import Mapping
from functools import cache

from tfmigrate.tables.chains import Chain, and_above
from tfmigrate.tables.present_names import KERAS_3, missing_part

# The same module under a different name, with the same contents.
_MODULES = {
    "ConfigParser": "configparser",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "SocketServer": "socketserver",
    "Tkinter": "tkinter",
    "__builtin__": "builtins",
    "cPickle": "pickle",
    "copy_reg": "copyreg",
    "sklearn.externals.joblib": "joblib",
    "sklearn.externals.six": "six",
    "xml.etree.cElementTree": "xml.etree.ElementTree",
    "cookielib": "http.cookiejar",
    "httplib": "http.client",
    "keras.utils.data_utils": "keras.utils",
    "keras.utils.generic_utils": "keras.utils",
    "keras.utils.np_utils": "keras.utils",
    "keras.utils.vis_utils": "keras.utils",
    "keras.backend.tensorflow_backend": "keras.backend",
    "keras.objectives": "keras.losses",
    "thread": "_thread",
    "tkMessageBox": "tkinter.messagebox",
    "urlparse": "urllib.parse",
    **{
        f"keras.layers.{module}": "keras.layers"
        for module in (
            "advanced_activations",
            "convolutional",
            "convolutional_recurrent",
            "core",
            "embeddings",
            "merge",
            "noise",
            "normalization",
            "pooling",
            "recurrent",
            "wrappers",
        )
    },
}
_ABSTRACT = (
    *("Awaitable", "ByteString", "Callable", "Collection", "Container", "Coroutine", "Generator"),
    *("Hashable", "ItemsView", "Iterable", "Iterator", "KeysView", "Mapping", "MappingView"),
    *("MutableMapping", "MutableSequence", "MutableSet", "Sequence", "Set", "Sized", "ValuesView"),
)
_NAMES = {
    **{f"collections.{name}": f"collections.abc.{name}" for name in _ABSTRACT},
    "PIL.Image.ANTIALIAS": "PIL.Image.LANCZOS",
    "base64.decodestring": "base64.decodebytes",
    "base64.encodestring": "base64.encodebytes",
    "fractions.gcd": "math.gcd",
    "keras.engine.InputSpec": "keras.layers.InputSpec",
    "keras.engine.Layer": "keras.layers.Layer",
    "keras.engine.base_layer.InputSpec": "keras.layers.InputSpec",
    "keras.engine.base_layer.Layer": "keras.layers.Layer",
    "keras.engine.topology.Input": "keras.layers.Input",
    "keras.engine.topology.InputSpec": "keras.layers.InputSpec",
    "keras.engine.topology.Layer": "keras.layers.Layer",
    "keras.engine.topology.get_source_inputs": "keras.utils.get_source_inputs",
    "keras.engine.training.Model": "keras.models.Model",
    "os.getcwdu": "os.getcwd",
    "pkg_resources.parse_version": "packaging.version.parse",
    "string.letters": "string.ascii_letters",
    "string.lowercase": "string.ascii_lowercase",
    "string.uppercase": "string.ascii_uppercase",
    "sys.maxint": "sys.maxsize",
    "time.clock": "time.perf_counter",
}
_URLLIB = "use urllib.request, urllib.error and urllib.parse"
_IMAGES = "use imageio or Pillow"
_SELECTION = "use sklearn.model_selection"
_GONE: Mapping[str, str] = {
    "StringIO": "use io.BytesIO for bytes, io.StringIO for text",
    "asynchat": "use asyncio",
    "asyncore": "use asyncio",
    "cgi": "use html.escape, urllib.parse or the email package",
    "crypt": "use hashlib",
    "distutils": "use setuptools, packaging, shutil or subprocess",
    "imghdr": "use Pillow's Image.open, or the package filetype",
    "locale.format": "use locale.format_string",
    "pipes": "use shlex.quote or subprocess",
    "pkg_resources": "use packaging.version, importlib.metadata or importlib.resources",
    "platform.dist": "use the distro package",
    "scipy.misc.comb": "use scipy.special.comb",
    "scipy.misc.factorial": "use scipy.special.factorial",
    "scipy.misc.logsumexp": "use scipy.special.logsumexp",
    **{
        f"scipy.misc.{name}": _IMAGES
        for name in (
            *("bytescale", "fromimage", "imfilter", "imread", "imresize", "imrotate", "imsave"),
            *("imshow", "toimage"),
        )
    },
    "scipy.signal.hanning": "use scipy.signal.windows.hann",
    "scipy.integrate.cumtrapz": "use scipy.integrate.cumulative_trapezoid",
    "scipy.integrate.simps": "use scipy.integrate.simpson",
    "scipy.integrate.trapz": "use scipy.integrate.trapezoid",
    "scipy.interp": "use numpy.interp",
    "scipy.stats.betai": "use scipy.special.betainc",
    **{
        f"scipy.signal.{name}": f"use scipy.signal.windows.{name}"
        for name in (
            *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin"),
            *("flattop", "gaussian", "general_gaussian", "hamming", "hann", "kaiser"),
            *("nuttall", "parzen", "triang", "tukey"),
        )
    },
    **{
        f"skimage.measure.{old}": f"use skimage.metrics.{new}"
        for old, new in (
            ("compare_mse", "mean_squared_error"),
            ("compare_nrmse", "normalized_root_mse"),
            ("compare_psnr", "peak_signal_noise_ratio"),
            ("compare_ssim", "structural_similarity"),
        )
    },
    "matplotlib.finance": "use the mplfinance package",
    "matplotlib.mlab.PCA": "use sklearn.decomposition.PCA",
    "matplotlib.mlab.bivariate_normal": "compute it with scipy.stats.multivariate_normal",
    "matplotlib.mlab.normpdf": "use scipy.stats.norm.pdf",
    "matplotlib.pyplot.hold": "remove the line",
    "matplotlib.cm.get_cmap": "use matplotlib.colormaps[...]",
    "numpy.core.umath_tests": "use numpy.einsum",
    "pandas.Panel": "use a DataFrame with a MultiIndex, or xarray",
    "pandas.scatter_matrix": "use pandas.plotting.scatter_matrix",
    "pandas.tools.plotting": "use pandas.plotting",
    **{
        f"pandas.rolling_{name}": f"use .rolling(...).{name}()"
        for name in ("apply", "corr", "count", "max", "mean", "median", "min", "std", "sum", "var")
    },
    "sklearn.cross_validation": _SELECTION,
    "sklearn.datasets.samples_generator": "import from sklearn.datasets",
    "sklearn.decomposition.RandomizedPCA": "use PCA(svd_solver='randomized')",
    "sklearn.lda": "use sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.metrics.jaccard_similarity_score": "use sklearn.metrics.jaccard_score",
    "sklearn.mixture.DPGMM": "use sklearn.mixture.BayesianGaussianMixture",
    "sklearn.mixture.GMM": "use sklearn.mixture.GaussianMixture",
    "sklearn.qda": "use sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
    "sklearn.datasets.fetch_mldata": "use sklearn.datasets.fetch_openml",
    "sklearn.datasets.load_boston": "use a data set of sklearn.datasets that is still there",
    "sklearn.externals": "import the package itself",
    "sklearn.grid_search": _SELECTION,
    "sklearn.learning_curve": _SELECTION,
    "sklearn.preprocessing.Imputer": "use sklearn.impute.SimpleImputer",
    "sklearn.utils.linear_assignment_": "use scipy.optimize.linear_sum_assignment",
    "sys.exc_clear": "remove the line",
    "sys.exc_type": "use sys.exc_info()",
    "sys.exc_value": "use sys.exc_info()",
    "sys.setdefaultencoding": "remove the line, with reload(sys): the encoding is UTF-8",
    "sys.setcheckinterval": "use sys.setswitchinterval",
    "telnetlib": "use a package such as telnetlib3",
    "cStringIO": "use io.BytesIO for bytes, io.StringIO for text",
    "commands": "use subprocess",
    "imp": "use importlib (importlib.reload, importlib.util)",
    "inspect.getargspec": "use inspect.getfullargspec, whose result has more fields",
    "itertools.ifilter": "use filter",
    "itertools.imap": "use map",
    "itertools.izip": "use zip",
    "itertools.izip_longest": "use itertools.zip_longest",
    "md5": "use hashlib.md5",
    "os.errno": "import errno",
    "platform.linux_distribution": "use the distro package",
    "sets": "use set",
    "sha": "use hashlib.sha1",
    "smtpd": "use the aiosmtpd package",
    "string.atof": "use float",
    "string.atoi": "use int",
    "string.join": "call separator.join(...)",
    "string.joinfields": "call separator.join(...)",
    "string.splitfields": "call text.split(...)",
    **{
        f"string.{name}": f"call text.{name}(...)"
        for name in (
            *("capitalize", "center", "count", "expandtabs", "find", "index", "ljust", "lower"),
            *("lstrip", "replace", "rfind", "rindex", "rjust", "rsplit", "rstrip", "split"),
            *("strip", "swapcase", "translate", "upper", "zfill"),
        )
    },
    "string.maketrans": "use str.maketrans, or bytes.maketrans",
    "urllib2": _URLLIB,
    **{
        f"urllib.{name}": f"use urllib.{module}.{name}"
        for module, names in (
            ("parse", ("quote", "quote_plus", "unquote", "unquote_plus", "urlencode")),
            ("request", ("URLopener", "urlcleanup", "urlopen", "urlretrieve")),
        )
        for name in names
    },
}
# Methods of unittest.TestCase, which Python 3.12 removed.
TEST_METHODS = {
    "assertAlmostEquals": "assertAlmostEqual",
    "assertEquals": "assertEqual",
    "assertItemsEqual": "assertCountEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertNotEquals": "assertNotEqual",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertRegexpMatches": "assertRegex",
    "assert_": "assertTrue",
    "failIf": "assertFalse",
    "failUnless": "assertTrue",
    "failUnlessEqual": "assertEqual",
    "failUnlessRaises": "assertRaises",
}
# Of which package names are gone; the others are Python's.
RELEASES = {
    "matplotlib": "current Matplotlib", "numpy": "current NumPy", "pandas": "current pandas",
    "pkg_resources": "current setuptools",
    "scipy": "current SciPy", "skimage": "current scikit-image", "sklearn": "current scikit-learn",
}  # fmt: skip
_VERSION_2 = ("cleverhans", "sonnet", "tensorlayer")
# Packages that need TensorFlow 1.x, or tf.estimator, in all releases or with the names of these.
_OF_TENSORFLOW_1 = (
    *("adanet", "dltk.core", "dltk.networks", "edward", "niftynet", "prettytensor"),
    *("stable_baselines", "sugartensor", "tensor2tensor", "tensorflow_fold", "tensorflow_gan"),
    *("texar.tf", "tflearn", "sonnet", "tensorlayer"),
    # Its logger needs no TensorFlow.
    *(f"baselines.{name}" for name in ("a2c", "acer", "acktr", "ddpg", "deepq", "gail", "her")),
    *(f"baselines.{name}" for name in ("ppo1", "ppo2", "trpo_mpi")),
    *(f"baselines.common.{name}" for name in ("distributions", "models", "policies", "tf_util")),
    *(f"cleverhans.{name}" for name in ("attacks", "loss", "model", "train", "utils_tf")),
)
ROOTS = frozenset(
    name.partition(".")[0] for name in (*_MODULES, *_NAMES, *_GONE, *_OF_TENSORFLOW_1)
)


def new_name(qualified: str) -> str | None:
    """Returns the current name of a moved name; None where it did not move or does not exist."""
    if (current_name := moved(qualified)) is None or not current_name.startswith("keras."):
        return current_name
    parent, _, last = current_name.rpartition(".")
    return None if missing_part(Chain(parent, last), KERAS_3) else current_name


def moved(qualified: str) -> str | None:
    """Returns where a name moved to, even if that is missing; None where it did not move."""
    for name in and_above(qualified):
        if name in _moved():
            return _moved()[name] + qualified.removeprefix(name)
    return None


def what_to_do(qualified: str) -> str | None:
    """Returns what to do about a removed name of Python's library; None for other names."""
    return next((_GONE[name] for name in and_above(qualified) if name in _GONE), None)


def package_of_tensorflow_1(qualified: str) -> tuple[str, str] | None:
    """Returns the package of a name and why it does not run on TensorFlow 2; None if it does."""
    package = next((name for name in and_above(qualified) if name in _OF_TENSORFLOW_1), None)
    if package is None:
        return None
    root = package.partition(".")[0]
    if root in _VERSION_2:
        return (
            package,
            f"{package} needs TensorFlow 1.x, and {root} for TensorFlow 2 has a different API",
        )
    return package, f"no release of {root} runs on TensorFlow 2.16 or later"


@cache
def old_names() -> frozenset[str]:
    """Returns the last parts of names that are not of Keras or of string, and packages."""
    known = (*_MODULES, *_NAMES, *_GONE)
    packages = frozenset(name.partition(".")[0] for name in _OF_TENSORFLOW_1)
    # Those of the module string are methods of texts, too.
    named = [name for name in known if not name.startswith(("keras.", "string."))]
    return packages.union(name.rpartition(".")[2] for name in named)


@cache
def _moved() -> dict[str, str]:
    return {**_MODULES, **_NAMES}
