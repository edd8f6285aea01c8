"""Packages of TensorFlow 1.x that packages of the runtime replace: data/runtime_packages.txt."""

from importlib import resources

from tfmigrate.tables.package import Package

__all__ = [
    "ARRAYS", "BETWEEN_GRAPH", "COORDINATOR", "DISTRIBUTE", "ESTIMATOR", "GRAPHS", "HOROVOD",
    "IMAGE_OPS", "LAYERS", "LEARN", "MNIST", "MULTI_GPU", "MULTI_GPU_OF_KERAS", "PACKAGES",
    "RUNTIME_PACKAGES", "TOWERS", "TRAINING", "Package", "is_offered", "replaced",
]  # fmt: skip


def _listed() -> dict[str, Package]:
    """Returns the packages of the runtime by their names below tfmigrate_runtime."""
    text = resources.files("tfmigrate").joinpath("data/runtime_packages.txt").read_text("utf-8")
    listed: dict[str, Package] = {}
    for section in text.split("\n[")[1:]:
        header, _, lines = section.partition("]\n")
        target, _, source = header.partition(": ")
        modules: dict[str, frozenset[str]] = {}
        constants: dict[str, frozenset[str]] = {}
        for line in filter(None, lines.replace("\n  ", " ").splitlines()):
            is_class = " = " in line
            key, _, names = line.partition(" = " if is_class else ":")
            known = set(names.split())
            if "*layers" in known:
                known = known - {"*layers"} | listed["layers"].modules[""]
            (constants if is_class else modules)[key] = frozenset(known)
        listed[target] = Package(source, f"tfmigrate_runtime.{target}", modules, constants)
    return listed


RUNTIME_PACKAGES = _listed()
PACKAGES = tuple(package for package in RUNTIME_PACKAGES.values() if package.source)
ARRAYS = RUNTIME_PACKAGES["arrays"]
BETWEEN_GRAPH = RUNTIME_PACKAGES["between_graph"]
COORDINATOR = RUNTIME_PACKAGES["coordinator"]
DISTRIBUTE = RUNTIME_PACKAGES["distribute"]
ESTIMATOR = RUNTIME_PACKAGES["estimator"]
GRAPHS = RUNTIME_PACKAGES["graphs"]
HOROVOD = RUNTIME_PACKAGES["horovod"]
IMAGE_OPS = RUNTIME_PACKAGES["image_ops"]
LAYERS = RUNTIME_PACKAGES["layers"]
LEARN = RUNTIME_PACKAGES["learn"]
MNIST = RUNTIME_PACKAGES["datasets.mnist"]
MULTI_GPU = RUNTIME_PACKAGES["multi_gpu.multi_gpu_model"]
# Where the package keras had this function from 2.0.9 to 2.3.
MULTI_GPU_OF_KERAS = tuple(
    f"keras.utils.{module}multi_gpu_model" for module in ("", "training_utils.", "multi_gpu_utils.")
)
TOWERS = RUNTIME_PACKAGES["towers"]
TRAINING = RUNTIME_PACKAGES["training"]


def is_offered(qualified: str) -> bool:
    """Returns whether a package of the runtime has a name of TensorFlow 1.x."""
    return any(package.offers_qualified(qualified) for package in PACKAGES)


def replaced(qualified: str) -> str:
    """Returns the name of TensorFlow 1.x that one of the runtime replaces, or the name itself."""
    for package in PACKAGES:
        if qualified == package.target or qualified.startswith(f"{package.target}."):
            name = qualified.removeprefix(package.target).lstrip(".")
            if package.offers(name):
                return f"{package.source}.{name}".rstrip(".")
    return qualified
