"""Lets the tests of this folder import the forms; they run elsewhere, in one process."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "programs"))
