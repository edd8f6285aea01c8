"""Where the time of a step goes: the parts of a migrated program's step, from a trace.

Shares are of the time in ops, which run side by side. Tracing itself takes time: compare shares.
What a call of the session costs is measured without it.

    python benchmarks/step_time.py
    python benchmarks/step_time.py recurrent --kinds    # the types of ops, too
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from contenders import STEPS, prepare, settings_of
from plots import draw_shares
from rich.console import Console
from rich.table import Table


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    models = [model for model in STEPS if model != "resnet"]  # whose trace takes half an hour
    parser.add_argument("models", nargs="*", default=models, help=", ".join(STEPS))
    parser.add_argument("--replicas", type=int, default=2, help="CPU devices (default: 2)")
    parser.add_argument("--kinds", action="store_true", help="the types of ops, too")
    parser.add_argument("--plot", type=Path, help="an .svg of the shares (needs tfmigrate[bench])")
    arguments = parser.parse_args()
    unknown = set(arguments.models) - set(STEPS)
    if unknown:
        parser.error(f"no model {', '.join(sorted(unknown))}: choose of {', '.join(STEPS)}")
    console = Console()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            prepare(Path(folder), model)
            place = Path(folder, model, "default")
            found[model] = _run(place, model, arguments.replicas)
            if arguments.kinds:
                for kind, share in found[model]["kinds"].items():
                    console.print(f"{model}: {share:4.0%} {kind}")
    console.print(_table(found))
    if arguments.plot:
        draw_shares({model: each["parts"] for model, each in found.items()}, arguments.plot)


def _run(place: Path, model: str, replicas: int) -> dict[str, Any]:
    settings = settings_of(model, replicas, STEPS[model])
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **settings}
    command = [sys.executable, "traced.py"]
    done = subprocess.run(
        command, cwd=place, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _table(found: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="a fused step; shares of the time in ops")
    table.add_column("")
    for model in found:
        table.add_column(model, justify="right")
    names = sorted({part for each in found.values() for part in each["parts"]})
    table.add_row("ops", *(f"{each['ops']:.0f}" for each in found.values()))
    for name in names:
        table.add_row(name, *(f"{each['parts'].get(name, 0):.0%}" for each in found.values()))
    table.add_row("a session call, in steps", *(f"{each['call']:.1f}" for each in found.values()))
    return table


if __name__ == "__main__":
    main()
