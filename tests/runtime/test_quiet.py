"""Deprecation notices that nobody can act on are not printed; those of programs are."""

from __future__ import annotations

import logging
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from tfmigrate_runtime.train import quiet

SPEC = find_spec("tensorflow")
assert SPEC is not None
assert SPEC.origin is not None
TENSORFLOW = Path(SPEC.origin).parent
RUNTIME = Path(quiet.__file__).parents[1]
NOTICE = "From {}:7: {} is deprecated and will be removed in a future version."
AUC = "auc (from tensorflow.python.ops.metrics_impl)"
COLUMN = "numeric_column (from tensorflow.python.feature_column.feature_column_v2)"


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        (NOTICE.format(RUNTIME / "estimator" / "heads.py", AUC), False),
        (NOTICE.format(TENSORFLOW / "python" / "compat" / "v2_compat.py", AUC), False),
        (NOTICE.format("/home/user/tensorflow/model.py", AUC), True),
        (NOTICE.format("model.py", AUC), True),
        (NOTICE.format("model.py", COLUMN), False),
        (f"Signature a is left out, see {RUNTIME}", True),
    ],
)
def test_notices_are_printed_by_who_calls(message: str, printed: bool) -> None:
    record = logging.LogRecord("tensorflow", logging.WARNING, "", 0, message, None, None)
    assert quiet.is_of_the_program(record) is printed
    assert quiet.is_of_the_program in logging.getLogger("tensorflow").filters


def test_tensorflow_2_logs_what_1_15_did() -> None:
    lines = {
        "Reduce to /device:CPU:0 then broadcast to ('/device:CPU:0',).": False,
        "Calling checkpoint listeners before saving checkpoint 0...": False,
        "Saving checkpoints for 0 into model.ckpt.": True,
    }
    for line, printed in lines.items():
        record = logging.LogRecord("tensorflow", logging.INFO, "", 0, line, None, None)
        assert quiet.is_of_the_program(record) is printed


def test_errors_are_always_printed() -> None:
    message = NOTICE.format(RUNTIME / "towers" / "strategy.py", AUC)
    record = logging.LogRecord("tensorflow", logging.ERROR, "", 0, message, None, None)
    assert quiet.is_of_the_program(record)


def test_keras_2_does_not_warn_of_layers() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message=quiet.KERAS_2, category=UserWarning)
        warnings.warn("`tf.layers.dense` is deprecated and will be removed", stacklevel=1)
        warnings.warn("`layer.add_variable` is deprecated and will be removed", stacklevel=1)
        warnings.warn("the learning rate is 0", stacklevel=1)
    assert [str(one.message) for one in caught] == ["the learning rate is 0"]
