"""The name that tf1_shim had up to version 0.1."""

import sys

from tfmigrate_runtime.tf1_shim import *  # noqa: F403
from tfmigrate_runtime.tf1_shim.command_line import main

if __name__ == "__main__":
    sys.exit(main())
