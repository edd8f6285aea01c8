"""The description on PyPI: README.md, whose links lead to the repository as it was released."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
REPOSITORY = "tfmigrate/tfmigrate"
_LINK = re.compile(r"(!?)(\[[^]]*\]\()(?![a-z]+:|#)([^)]+\))")


def description(readme: str, version: str) -> str:
    """Returns the README with absolute links: relative ones lead nowhere outside the repository."""
    state = "main" if ".dev" in version else f"v{version}"
    places = {
        "": f"https://github.com/{REPOSITORY}/blob/{state}/",
        "!": f"https://raw.githubusercontent.com/{REPOSITORY}/{state}/",
    }
    return _LINK.sub(lambda link: f"{link[1]}{link[2]}{places[link[1]]}{link[3]}", readme)


def _version() -> str:
    found = re.search(r'(?m)^version = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert found is not None
    return found[1]


if __name__ == "__main__":
    setup(
        long_description=description((ROOT / "README.md").read_text("utf-8"), _version()),
        long_description_content_type="text/markdown",
    )
