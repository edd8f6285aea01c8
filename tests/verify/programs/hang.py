"""Starts a child that sleeps, writes its process id to a file, and sleeps as well."""

import subprocess
import sys
import time
from pathlib import Path

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path(sys.argv[1]).write_text(str(child.pid))
print("asleep", flush=True)
time.sleep(600)
