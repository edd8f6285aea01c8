"""The migrator's table of an Experiment's arguments is that of the runtime's constructor."""

from __future__ import annotations

import inspect

from tfmigrate.families.experiment.experiments import ARGUMENTS
from tfmigrate_runtime.learn import Experiment


def test_every_argument_has_a_place() -> None:
    parameters = list(inspect.signature(Experiment).parameters)
    assert [argument.name for argument in ARGUMENTS] == parameters
