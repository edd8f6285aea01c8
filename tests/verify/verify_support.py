"""Programs to record."""

from pathlib import Path

from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

PROGRAMS = Path(__file__).parent / "programs"
# A tiny program takes about 4 s; a loaded machine may need a multiple of that.
TIMEOUT = 120.0


def record(script, target, *arguments, initial_values=None, timeout=TIMEOUT, **options):
    """Records a program with this interpreter and returns its trace."""
    run_recorded(Program(script, arguments, **options), target, timeout, initial_values)
    return load_trace(target)
