"""``python -m tfmigrate_runtime.legacy``: tfmigrate-run."""

import sys

from tfmigrate_runtime.legacy.command_line import main

if __name__ == "__main__":
    sys.exit(main())
