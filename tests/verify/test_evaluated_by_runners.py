"""``variable.eval()`` of an eager program is a run, as it is with a session."""

from __future__ import annotations

import pytest
from changed_program import Changed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
EAGER, RESULTS = ("IS_EAGER, SCALE = False", "IS_EAGER, SCALE = True"), "same calls and results"


def test_a_runner_makes_the_runs_of_the_session(changed: Changed) -> None:
    said = changed("evaluated.py", EAGER)
    assert (said.code, said.failed) == (0, [])


def test_another_value_is_found(changed: Changed) -> None:
    said = changed("evaluated.py", ("IS_EAGER, SCALE = False, 1.0", "IS_EAGER, SCALE = True, 1.1"))
    assert (said.code, said.failed) == (1, [RESULTS])
