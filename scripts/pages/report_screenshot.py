"""Makes docs/images/verify_report.png: the page about a migration that trains otherwise.

The wrong migration gives every replica its own batch, as tf.estimator's train_distribute did, where
the original splits one batch over its towers.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
CASE = ROOT / "fixtures/replicate_model_fn/conv_batch_norm"
TARGET = ROOT / "docs/images/verify_report.png"
WIDTH = 960

sys.path.insert(0, str(ROOT / "tests" / "verify"))
import headless_chromium  # noqa: E402 - it lies beside the tests that need it


def main() -> int:
    """Verifies the wrong migration and takes a picture of its report down to the variables."""
    browser = headless_chromium.find()
    if browser is None:
        print("report_screenshot: needs Chromium: see `make browser`", file=sys.stderr)
        return 2
    right = (CASE / "migrated.py").read_text("utf-8")
    wrong = right.replace("global_batch=True", "global_batch=False")
    if wrong == right:
        raise ValueError(f"{CASE / 'migrated.py'} does not say global_batch=True")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(wrong, "utf-8")
        command = [sys.executable, "-m", "tfmigrate", "verify", str(CASE / "original.py")]
        command += ["train.py", "--trace", str(CASE / "trace.npz"), "--report", "report.html"]
        done = subprocess.run(command, cwd=folder, check=False)
        if done.returncode != 1:
            raise ValueError(f"tfmigrate verify ended with {done.returncode}, not 1")
        page = Path(folder) / "report.html"
        shown = page.read_text("utf-8").replace(f"{CASE}/", "")
        page.write_text(shown, "utf-8")
        with headless_chromium.Browser(browser) as opened:
            opened.open(page, WIDTH)
            foot = "document.querySelector('details').getBoundingClientRect().top"
            height = float(opened.evaluate(foot))
            picture = opened.screenshot(x=0, y=0, width=WIDTH, height=height)
    TARGET.parent.mkdir(exist_ok=True)
    # 64 colours are enough for lines and text, and a fifth of the bytes; those of few pixels count.
    coloured = Image.open(io.BytesIO(picture)).convert("RGB")
    coloured.quantize(64, Image.Quantize.MAXCOVERAGE).save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
