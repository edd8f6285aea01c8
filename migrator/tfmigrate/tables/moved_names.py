"""Names that moved in Python, its packages and Keras since TensorFlow 1.x, and those removed."""

from functools import cache

from tfmigrate.tables.chains import Chain, and_above
from tfmigrate.tables.listed import sections
from tfmigrate.tables.present_names import KERAS_3, missing_part

_NAMES = sections("moved_names")["modules and names"]
_MOVED, _GONE = _NAMES.became, _NAMES.others
TEST_METHODS = sections("moved_names")["unittest.TestCase"].became
# Of which package names are gone; the others are Python's.
RELEASES = {
    "gym": "current Gym", "matplotlib": "current Matplotlib", "numpy": "current NumPy",
    "pandas": "current pandas", "pkg_resources": "current setuptools",
    "scipy": "current SciPy", "skimage": "current scikit-image", "sklearn": "current scikit-learn",
    "tensorflow_serving": "current tensorflow-serving-api",
}  # fmt: skip
_VERSION_2 = ("cleverhans", "sonnet", "tensorlayer")
_OF_TENSORFLOW_1 = sections("moved_names")["packages of TensorFlow 1.x"].others
# Those of them of which no release runs on TensorFlow 2: a program that imports one is of 1.x.
NEED_TENSORFLOW_1 = frozenset(n.partition(".")[0] for n in _OF_TENSORFLOW_1).difference(_VERSION_2)
ROOTS = frozenset(name.partition(".")[0] for name in (*_MOVED, *_GONE, *_OF_TENSORFLOW_1))


def new_name(qualified: str) -> str | None:
    """Returns the current name of a moved name; None where it did not move or does not exist."""
    if (current_name := moved(qualified)) is None or not current_name.startswith("keras."):
        return current_name
    parent, _, last = current_name.rpartition(".")
    return None if missing_part(Chain(parent, last), KERAS_3) else current_name


def moved(qualified: str) -> str | None:
    """Returns where a name moved to, even if that is missing; None where it did not move."""
    for name in and_above(qualified):
        if name in _MOVED:
            return _MOVED[name] + qualified.removeprefix(name)
    return None


def what_to_do(qualified: str) -> str | None:
    """Returns what to do about a removed name of Python's library; None for other names."""
    return next((_GONE[name] for name in and_above(qualified) if name in _GONE), None)


def package_of_tensorflow_1(qualified: str) -> tuple[str, str] | None:
    """Returns the package of a name and why it does not run on TensorFlow 2; None if it does."""
    package = next((name for name in and_above(qualified) if name in _OF_TENSORFLOW_1), None)
    if package is None:
        return None
    if (root := package.partition(".")[0]) in _VERSION_2:
        return (
            package,
            f"{package} needs TensorFlow 1.x, and {root} for TensorFlow 2 has a different API",
        )
    return package, f"no release of {root} runs on TensorFlow 2.16 or later"


@cache
def old_names() -> frozenset[str]:
    """Returns the last parts of names that are not of Keras or of string, and packages."""
    known = (*_MOVED, *_GONE)
    packages = frozenset(name.partition(".")[0] for name in _OF_TENSORFLOW_1)
    # Those of the module string are methods of texts, too.
    named = [name for name in known if not name.startswith(("keras.", "string."))]
    return packages.union(name.rpartition(".")[2] for name in named)
