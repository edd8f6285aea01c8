"""Makes docs/images/social_card.png: what a link to the site shows where people share it.

Needs a headless Chromium: see `make browser`.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "images" / "social_card.png"
WIDTH, HEIGHT = 1200, 630  # what cards of links are shown in
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 0; width: 1200px; height: 630px; background: #0d1117; color: #e6edf3;
  font: 40px/1.4 sans-serif; display: flex; flex-direction: column; justify-content: center; }
h1, p, pre { margin: 0 0 32px 90px; } h1 { font-size: 96px; } pre { font: 32px/1.5 monospace; }
.old { color: #f85149; } .new { color: #3fb950; }
</style><h1>tfmigrate</h1>
<p>TensorFlow 1.x distributed training on TensorFlow 2,<br>
and the proof that it trains the same.</p>
<pre><span class="old">- tf.contrib.estimator.replicate_model_fn(model_fn)</span>
<span class="new">+ tf.distribute.MirroredStrategy()</span></pre>
"""

sys.path.insert(0, str(ROOT / "tests" / "verify"))
import headless_chromium  # noqa: E402 - it lies beside the tests that need it


def main() -> int:
    """Draws the page and writes the picture."""
    browser = headless_chromium.find()
    if browser is None:
        print("social_card: needs Chromium: see `make browser`", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, headless_chromium.Browser(browser) as opened:
        page = Path(folder) / "card.html"
        page.write_text(PAGE, "utf-8")
        opened.open(page, WIDTH, HEIGHT)
        picture = opened.screenshot(x=0, y=0, width=WIDTH, height=HEIGHT)
    drawn = Image.open(io.BytesIO(picture)).convert("RGB")
    drawn.quantize(64, Image.Quantize.MAXCOVERAGE).save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
