"""Unsafe migrations do what the program says: they train like the original once it is mended."""

from __future__ import annotations

from pathlib import Path

from fixture_cases import FIXTURES
from recorded_cases import load_case

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace


def test_zip_trains_as_list_of_zip_did(tmp_path: Path) -> None:
    """apply_gradients(zip(...)) lost towers on TF 1.x (1.9); migrated, it is what list(zip) was."""
    case = load_case(FIXTURES / "replicate_model_fn/clip_gradients")
    text = case.original.read_text()
    mended, trap = "list(zip(gradients, variables))", "zip(gradients, variables)"
    assert mended in text
    script = tmp_path / "program.py"
    source = SourceFile(script, "program.py", text.replace(mended, trap), "utf-8", bom=False)
    assert migrate([source], Options()).texts == {}
    result = migrate([source], Options(unsafe=True))
    assert "TFM205" in {finding.code for finding in result.findings}
    script.write_text(result.texts[script])
    program = Program(script, case.arguments, replicas=case.replicas)
    run_recorded(program, tmp_path / "trace.npz", 300.0, initial_values=case.trace)
    verdict = climb(load_trace(case.trace), load_trace(tmp_path / "trace.npz"), case.tolerance)
    assert verdict.failed is None, verdict.failed
