"""What frameworks define differently: the same argument, and another update.

``diagnosis.py`` finds by what an update differs. Where that is what a framework's own definition
makes of the original's number, the definition is named, with the number to write. Measured against
TensorFlow 1.15.5, each with a test.
"""

import re
from collections.abc import Mapping
from typing import Any

from tfmigrate_runtime.verify.causes import DIRECTION

_RATIO = re.compile(r" is ([0-9.e+-]+) times")
_BY = re.compile(r"greater by (?:about )?([0-9.e+-]+)")
_DECOUPLED = (
    " AdamW, optax.adamw and Keras' weight_decay take it from the variable: a penalty in "
    "TensorFlow's loss is a part of the gradient (torch.optim.Adam(weight_decay=))."
)
_UNBIASED = (
    " PyTorch and fused layers of TensorFlow average the variance over n - 1; layers that are not "
    "fused (of rows without height and width) and Keras average that over n."
)
_NEAR = 0.03  # of a factor that is read from the updates


def definition(line: str, code: str, migrated: Mapping[str, Any]) -> str:
    """Returns the sentence about a definition that explains a diagnosis, "" where none does.

    Args:
        line: the diagnosis, in words.
        code: its code.
        migrated: ``meta`` of the port.
    """
    of_tensorflow = "keras" if "native" in migrated else ""
    if not (framework := str(migrated.get("framework", of_tensorflow)).split(" ")[0]):
        return ""
    ratio, more = (_number(pattern, line) for pattern in (_RATIO, _BY))
    rules = {
        "average-decay": _of_averages(framework, line, ratio),
        "epsilon": _of_epsilon(framework, more),
        "decay-rate": _of_squares(line),
        "learning-rate": _of_biases(framework, line, ratio),
        "weight-decay": _DECOUPLED,
        "average-value": _UNBIASED if "variance" in line else "",
        DIRECTION: _of_rows(framework, line),
    }
    return rules.get(code, "")


def _number(pattern: re.Pattern[str], line: str) -> float | None:
    match = pattern.search(line)
    return float(match.group(1).rstrip(".")) if match else None


def _of_averages(framework: str, line: str, ratio: float | None) -> str:
    if ratio is None or "ExponentialMovingAverage" in line:
        return ""
    if framework == "torch" and ratio > 1 + _NEAR:
        return (
            " PyTorch's momentum is what is taken of the batch, TensorFlow's what stays: for 0.99 "
            "of TensorFlow pass momentum=0.01."
        )
    return ""


def _of_epsilon(framework: str, more: float | None) -> str:
    if more is None:
        return ""
    if framework == "keras" and more > 0:
        return " Keras' own epsilon is 1e-07, TensorFlow 1.x's Adam has 1e-08: pass epsilon."
    if framework in ("torch", "numpy") and more < 0:
        return (
            " TensorFlow 1.x adds Adam's epsilon before the bias correction, PyTorch and optax "
            "after it, where it is sqrt(1 - beta2^step) times as large: it counts where gradients "
            "are as small as epsilon, in the first steps most."
        )
    return ""


def _of_squares(line: str) -> str:
    if "RMSProp" not in line:
        return ""
    return (
        " TensorFlow's RMSProp starts its mean square from ones, PyTorch's and optax' from zeros, "
        "and TensorFlow adds epsilon under the root."
    )


def _of_rows(framework: str, line: str) -> str:
    # The gradient's mean would be named first if it differed, too.
    if framework != "keras" or not line.startswith(("slots Adam_1:", "slots Adagrad:")):
        return ""
    return (
        " Keras adds up the squares of the gradients of an embedding's row that a batch has more "
        "than once, TensorFlow squares their sum: for a dense gradient use "
        "tf.convert_to_tensor(gradient)."
    )


def _of_biases(framework: str, line: str, ratio: float | None) -> str:
    if framework != "torch" or ratio is None or abs(ratio - 2) > _NEAR or "bias" not in line:
        return ""
    return (
        " torch.nn.LSTM has two biases, whose sum is the original's and moves by both updates: set "
        "requires_grad to False for bias_hh."
    )
