"""Builds the documentation of a version into a checkout of the published site.

    python scripts/release/site.py FOLDER 0.2.0

FOLDER has one folder a version, which the pages list. The start page leads to the newest one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://tfmigrate.github.io/tfmigrate/"
START = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>tfmigrate</title>
<link rel="canonical" href="{address}{version}/">
<meta http-equiv="refresh" content="0; url={version}/">
</head>
<body><main><a href="{version}/">tfmigrate {version}</a></main></body>
</html>
"""


def main() -> int:
    """Returns 0; a failed build is an error."""
    site, version = Path(sys.argv[1]), sys.argv[2]
    names = versions(site, version)
    environment = {
        **os.environ,
        "TFMIGRATE_DOCS_URL": f"{ADDRESS}{version}/",
        "TFMIGRATE_DOCS_VERSIONS": " ".join(names),
    }
    subprocess.run(["make", "docs"], cwd=ROOT, env=environment, check=True)
    place(ROOT / "build" / "docs", site, version, names[0])
    return 0


def versions(site: Path, version: str) -> list[str]:
    """Returns the versions that the site will have, the newest first."""
    found = {path.name for path in site.glob("[0-9]*") if path.is_dir()} | {version}
    return sorted(found, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def place(built: Path, site: Path, version: str, newest: str) -> None:
    """Copies what was built, and lets the start page lead to the newest version."""
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(built, site / version)
    start = START.format(address=ADDRESS, version=newest)
    (site / "index.html").write_text(start, encoding="utf-8")
    (site / ".nojekyll").touch()  # GitHub leaves out folders with an underscore without it
    shutil.copy(site / newest / "sitemap.xml", site / "sitemap.xml")


if __name__ == "__main__":
    sys.exit(main())
