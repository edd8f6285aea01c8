"""An agent's loop without an agent: it chooses its next edit by the code of the cause alone.

python loop.py FOLDER    repairs FOLDER/ported.py until it trains as FOLDER/original.py does
"""

import json
import subprocess
import sys
from pathlib import Path

VERIFY = [sys.executable, "-m", "tfmigrate", "verify", "original.py", "ported.py"]
# What to try for a cause, in order: an agent would think of it.
EDITS = {
    "initial-values": [('kernel_initializer="he_normal", ', "")],
    "learning-rate": [("SGD(0.01", "SGD(0.05")],
    "nesterov": [(", nesterov=True", "")],
}


def verified(folder, *options):
    """Returns what verify prints, whatever its exit code is."""
    command = [*VERIFY, "--format", "json", "--quiet", *options]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def repair(folder):
    """Edits ported.py by the causes that verify names; returns them, and the last verdict."""
    program, causes = folder / "ported.py", []
    edits = {cause: list(tries) for cause, tries in EDITS.items()}
    report = verified(folder, "--fail-fast")
    while report["verdict"] == "different" and edits.get(report["cause"]):
        causes.append(report["cause"])
        old, new = edits[report["cause"]].pop(0)
        program.write_text(program.read_text().replace(old, new))
        report = verified(folder, "--fail-fast")
    # The whole run decides, with all that --fail-fast leaves out.
    return causes, verified(folder) if report["verdict"] == "same" else report


if __name__ == "__main__":
    found, last = repair(Path(sys.argv[1]))
    print(f"repaired: {', '.join(found) or 'nothing'}")
    print(last["conclusion"])
    sys.exit(last["verdict"] != "same")
