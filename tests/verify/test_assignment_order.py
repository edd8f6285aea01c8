"""Steps that read a variable and assign it in no order: a port may follow either order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from changed_program import Said
from native_program import Native
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main

PROGRAM, NATIVE = "unordered_step.py", "unordered_step_native.py"
WARNING = "reads step before or after assigning it: here it was {} first"


def verified(port: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Verifies the program, which is run, against a port."""
    capsys.readouterr()
    names = [str(PROGRAMS / PROGRAM), str(port), "--legacy", "--fresh"]
    code = main([*names, "-q", "--format", "json"])
    return Said(code, json.loads(capsys.readouterr().out))


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    ("exponent", "code", "order"),
    [("number", 0, "read"), ("(number + 1)", 0, "assigned"), ("(number + 2)", 1, "assigned")],
    ids=["of this step", "of the next", "of the one after"],
)
def test_a_port_in_either_order(
    exponent: str, code: int, order: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = tmp_path / NATIVE
    port.write_text((PROGRAMS / NATIVE).read_text().replace("**number", f"**{exponent}"))
    said = verified(port, capsys)
    assert said.code == code
    assert WARNING.format(order) in said.warnings


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_program_with_the_same_races_is_warned_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / PROGRAM
    copy.write_text((PROGRAMS / PROGRAM).read_text())
    said = verified(copy, capsys)
    assert said.code == 0
    assert "of the original, and of the migrated program," in said.warnings


@pytest.mark.usefixtures("tensorflow_installed")
def test_of_a_stored_trace_the_other_order_is_not_known(native: Native) -> None:
    assert native(PROGRAM, NATIVE).code == 0
    said = native(PROGRAM, NATIVE, ("**number", "**(number + 1)"))
    assert (said.code, said.failed) == (1, ["same variables and slots"])
    assert WARNING.format("read") in said.warnings
