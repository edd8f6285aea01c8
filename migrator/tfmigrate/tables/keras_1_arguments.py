"""What became of the arguments of Keras 1: data/keras_1_arguments.txt."""

from collections.abc import Mapping
from functools import cache

from tfmigrate.tables.listed import listed

NONE, OTHER = "-", "?"
# How many integers the size of a kernel had, by the class that took them one by one.
_CONVOLUTIONS_2D = (
    "Conv2D", "Convolution2D", "Conv2DTranspose", "Convolution2DTranspose", "Deconv2D",
    "Deconvolution2D", "LocallyConnected2D", "SeparableConv2D", "SeparableConvolution2D",
)  # fmt: skip
SIZES = dict.fromkeys(_CONVOLUTIONS_2D, 2) | {"Conv3D": 3, "Convolution3D": 3}
SIZE_NAMES = {2: ("nb_row", "nb_col"), 3: ("kernel_dim1", "kernel_dim2", "kernel_dim3")}
# Layers whose input_dim is the last of two dimensions of their input.
OF_SEQUENCES = ("Conv1D", "Convolution1D", "GRU", "LSTM", "LocallyConnected1D", "SimpleRNN")


@cache
def keras_1_arguments() -> dict[str, dict[str, str]]:
    """Returns the new names of the arguments of a class ("Dense") or method (".fit").

    The name is NONE for one without an effect, OTHER for one that means something else now.
    """
    table: dict[str, dict[str, str]] = {}
    for line in listed("keras_1_arguments"):
        names, _, pairs = line.partition(": ")
        became = {old: new for old, _, new in (pair.partition("=") for pair in pairs.split())}
        for name in names.split():
            table.setdefault(name, {}).update(became)
    return table


def new_argument(name: str, argument: str) -> str:
    """Returns the new name of an argument of a class or method; "" where there is none."""
    known: Mapping[str, str] = keras_1_arguments().get(name, {})
    if argument in SIZE_NAMES.get(SIZES.get(name, 0), ()):
        return "kernel_size (a tuple)"
    new = known.get(argument, "")
    return "" if new in (NONE, OTHER) else new
