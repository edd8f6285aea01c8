"""Says which names the interpreter that runs this lacks, and what they take; Python 3.7 and newer.

python answering.py DOCTOR    # answers each line of JSON by one; DOCTOR is the runtime's doctor.py
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys


def parameters(module, member, below):
    """Returns the parameters of a function or class; None where Python does not know them."""
    try:
        value = importlib.import_module(module)
        for part in [*([member] if member else []), *filter(None, below.split("."))]:
            value = getattr(value, part)
        takes = list(inspect.signature(value).parameters.values())
    except Exception:  # whatever importing and asking raises
        return None
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    return {
        "positional": [p.name for p in takes if p.kind in plain],
        "named": [p.name for p in takes if p.kind is inspect.Parameter.KEYWORD_ONLY],
        "any_positional": any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in takes),
        "any_named": any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes),
    }


if __name__ == "__main__":
    specification = importlib.util.spec_from_file_location("doctor", sys.argv[1])
    assert specification is not None and specification.loader is not None
    doctor = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(doctor)
    # What packages print while they are imported must not come between the answers.
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            question, chain = json.loads(line)
            answer = parameters if question == "parameters" else doctor.why_missing
            answers.write(json.dumps(answer(*chain)) + "\n")
            answers.flush()
