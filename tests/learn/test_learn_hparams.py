"""HParams do what those of TensorFlow 1.15 did, with its messages.

What they did is in hparams.json, by scripts/record/record_learn_settings.py.
"""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import hparams_cases
import pytest

from tfmigrate_runtime import training
from tfmigrate_runtime.training.hparams_proto import HParamDef

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "hparams.json").read_text())
SERIALIZED = bytes.fromhex(RECORDED.pop("serialized"))
# Through JSON as the record was: tuples are lists there.
RESULTS = json.loads(json.dumps(hparams_cases.results(training)))


@pytest.mark.parametrize("name", RECORDED)
def test_does_what_tensorflow_1_did(name: str) -> None:
    # As text: NaN is not NaN.
    assert json.dumps(RESULTS[name], sort_keys=True) == json.dumps(RECORDED[name], sort_keys=True)


def test_all_cases_are_recorded() -> None:
    assert set(RESULTS) == set(RECORDED)


def test_they_can_be_copied() -> None:
    made = training.HParams(a=1, b=[2.0])
    for same in (copy.deepcopy(made), copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert same.parse("a=3").values() == {"a": 3, "b": [2.0]}
    assert made.a == 1


def test_messages_of_tensorflow_1_can_be_read() -> None:
    message = HParamDef.FromString(SERIALIZED)
    made = training.HParams(hparam_def=message)
    assert json.loads(json.dumps(sorted(made.values().items()))) == RESULTS["other: proto"]
    # The order of a map is nobody's promise: the messages are the same, their bytes may differ.
    assert HParamDef.FromString(bytes.fromhex(hparams_cases.serialized(training))) == message


def test_wrong_messages() -> None:
    with pytest.raises(ValueError, match="must be an HParamDef, given: dict"):
        training.HParams(hparam_def={"a": 1})
    message = training.HParams(a=1).to_proto()
    message.hparam["b"].SetInParent()
    with pytest.raises(ValueError, match="no value for b"):
        training.HParams.from_proto(message)
