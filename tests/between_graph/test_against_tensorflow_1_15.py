"""Clusters make the steps that TensorFlow 1.15 made; ``record_original.py`` stored them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from between_graph_cases import CASES
from between_graph_support import results

ORIGINAL = json.loads((Path(__file__).parent / "original_traces.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_losses_variables_and_placement(tmp_path: Path, name: str) -> None:
    options, jobs = CASES[name]
    ours = results(options, tmp_path, **jobs)
    theirs: dict[str, Any] = ORIGINAL[name]
    assert set(ours) == set(theirs)
    for worker, wanted in theirs.items():
        found = ours[worker]
        # float32: sums in another order, over six steps of losses up to 15.
        np.testing.assert_allclose(found["losses"], wanted["losses"], rtol=1e-6, atol=1e-6)
        assert set(found["variables"]) == set(wanted["variables"])
        for variable, value in wanted["variables"].items():
            np.testing.assert_allclose(
                found["variables"][variable], value, rtol=0, atol=2e-6, err_msg=variable
            )
        if not options.get("sync"):
            assert found["devices"] == wanted["devices"]


def test_workers_in_lock_step_have_the_same_variables(tmp_path: Path) -> None:
    options = {"sync": True, "sparse": "repeated", "optimizer": "adam", "steps": 5, "random": True}
    first, second = results(options, tmp_path, worker=2).values()
    assert first["variables"] == second["variables"], "bit by bit"
    assert first["losses"] != second["losses"], "each has its own batch"
    assert first["steps"] == second["steps"] == [0, 1, 2, 3, 4]
