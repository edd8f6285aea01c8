"""Runs the command line: ``python -m tfmigrate``."""

import sys

from tfmigrate.cli import main

if __name__ == "__main__":
    sys.exit(main())
