"""`make browser`: installs a headless Chromium into .browser, for the tests that look at reports.

It comes from the npm package @sparticuz/chromium, which carries the browser itself and the
libraries that a bare Linux lacks. No browser is installed where the machine has Chromium or Chrome.
axe-core, which judges whether pages are accessible, comes from npm too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".browser"
PACKAGE = "@sparticuz/chromium@153.0.0"
AXE = "axe-core@4.10.3"
# npm would try for a quarter of an hour.
PATIENCE = ("--fetch-timeout=60000", "--fetch-retries=1")
# Python's standard library cannot read Brotli, in which the package has its files; node can.
INFLATE = """
const [fs, zlib, {pipeline}] = [require("fs"), require("zlib"), require("stream")];
const [, source, target] = process.argv;
const streams = [fs.createReadStream(source), zlib.createBrotliDecompress()];
pipeline(...streams, fs.createWriteStream(target), error => { if (error) throw error; });
"""
LAUNCHER = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/headless_shell" "$@"
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="relative">fontconfig</cachedir>
</fontconfig>
"""

sys.path.insert(0, str(ROOT / "tests" / "verify"))
import headless_chromium  # noqa: E402 - it lies beside the tests that need it


def main() -> int:
    """Installs both; returns 1 where that cannot be done."""
    failed = _install_browser()
    if headless_chromium.find_axe() is None and shutil.which("npm"):
        FOLDER.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".axe-", dir=ROOT) as folder:
            try:
                _unpack(AXE, Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"axe-core: {error}\n{error.stderr}", file=sys.stderr)
                return 1
            (Path(folder) / "package" / "axe.min.js").rename(FOLDER / "axe.min.js")
    return failed


def _install_browser() -> int:
    found = headless_chromium.find()
    if found is not None:
        print(f"browser: {found}")
        return 0
    if sys.platform != "linux" or not (shutil.which("npm") and shutil.which("node")):
        print("browser: none, and no npm on Linux to install one by", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix=".browser-", dir=ROOT) as folder:
        made = Path(folder) / "made"
        made.mkdir()
        try:
            _make(Path(folder), made)
        except subprocess.CalledProcessError as error:
            print(f"browser: {error}\n{error.stderr}", file=sys.stderr)
            return 1
        shutil.rmtree(FOLDER, ignore_errors=True)
        made.rename(FOLDER)
    print(f"browser: {headless_chromium.find()}")
    return 0


def _unpack(package: str, folder: Path) -> None:
    """Puts the files of a package of npm into a folder.

    Raises:
        CalledProcessError: the package could not be had.
    """
    _run("npm", "pack", "--silent", *PATIENCE, "--pack-destination", str(folder), package)
    (packed,) = folder.glob("*.tgz")
    _extract(packed, folder)


def _make(folder: Path, made: Path) -> None:
    """Puts the browser, its libraries and a program that starts it into a folder.

    Raises:
        CalledProcessError: the package could not be had, or cannot be read.
    """
    _unpack(PACKAGE, folder)
    files = folder / "package" / "bin"
    _run("node", "-e", INFLATE, str(files / "chromium.br"), str(made / "headless_shell"))
    for name in ("al2023", "fonts", "swiftshader"):
        inflated = folder / f"{name}.tar"
        _run("node", "-e", INFLATE, str(files / f"{name}.tar.br"), str(inflated))
        _extract(inflated, made)
    (made / "fonts.conf").write_text(FONTS)
    (made / "chromium").write_text(LAUNCHER)
    for program in ("chromium", "headless_shell"):
        (made / program).chmod(0o755)


def _extract(packed: Path, folder: Path) -> None:
    # Python before 3.10.12 and 3.11.4 has no filters.
    filters: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(packed) as archive:
        archive.extractall(folder, **filters)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
