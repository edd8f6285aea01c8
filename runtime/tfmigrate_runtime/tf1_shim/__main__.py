"""``python -m tfmigrate_runtime.tf1_shim``: tfmigrate-run."""

import sys

from tfmigrate_runtime.tf1_shim.command_line import main

if __name__ == "__main__":
    sys.exit(main())
