"""Pages in headless Chromium: axe-core finds nothing to object to, and they fit a phone.

The site is one page with all that pages have, in its own theme and configuration; `make docs`
builds the others in the same way.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "verify"))
import headless_chromium  # noqa: E402 - it lies with the tests of reports
from headless_chromium import Browser  # noqa: E402

PHONE, DESK = 360, 1280
PAGE = """\
# A page

Text with `code`, **bold** and a [link](other.md).

## Commands

```console
$ tfmigrate verify original.py train.py --cluster ps=1,worker=2 --turns -- --job_name={job_name}
```

```python
def model_fn(features, labels, mode):  # a comment that is long enough to be scrolled on a phone
    return tf.estimator.EstimatorSpec(mode, loss=None, train_op="text", eval_metric_ops={1: 2.5})
```

```diff
-optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)
+strategy = tf.distribute.MirroredStrategy()
```

| long | `tfmigrate_runtime.estimator.experimental.make_early_stopping_hook(estimator)` |
|---|---|
| [rule](other.md) | text in a cell of a wide table, which has to be scrolled on a phone |

| | empty |
|---|---|
| row | cell |

| TensorFlow 1.x | Keras 3 | arguments |
|---|---|---|
| `{name}` | `{name}` | `{name}` |

```{toctree}
:hidden:
:caption: More

other
```
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = headless_chromium.find()
    if path is None:
        pytest.skip("needs Chromium or Chrome: `make browser`")
    with Browser(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def axe() -> Path:
    script = headless_chromium.find_axe()
    if script is None:
        pytest.skip("needs axe-core: `make browser`")
    return script


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="Sphinx is not installed (the extra docs)")
    folder = tmp_path_factory.mktemp("site")
    source = folder / "docs"
    source.mkdir()
    text = PAGE.replace("{name}", "tf.nn.sparse_softmax_cross_entropy_with_logits_and_weights")
    (source / "index.md").write_text(text, encoding="utf-8")
    (source / "other.md").write_text("# Other page: --target\n\nPass --target.\n", encoding="utf-8")
    options = ("-q", "-W", "-c", str(ROOT / "docs"))
    versions = {"TFMIGRATE_DOCS_VERSIONS": "0.1.0 main"}
    subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(source), str(folder / "html")],
        check=True,
        env={**os.environ, **versions},
    )
    return folder / "html"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plan")
    name = "a_long_name_of_a_file_" * 4 + ".py"
    original = ROOT / "fixtures" / "replicate_model_fn" / "conv_batch_norm" / "original.py"
    (folder / name).write_text(original.read_text("utf-8"), "utf-8")
    (folder / "left.py").write_text("import tensorflow as tf\nx = tf.contrib.gan.gan_train()\n")
    (folder / "broken.py").write_text("import tensorflow as tf\ntf.contrib.x(\n")
    command = [sys.executable, "-m", "tfmigrate", "-q", "--check", "--report", "plan.html", "."]
    assert subprocess.run(command, cwd=folder).returncode == 2
    return folder / "plan.html"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_site_is_accessible(
    browser: Browser, axe: Path, site: Path, width: int, dark: bool
) -> None:
    for page in ("index.html", "search.html"):
        browser.open(site / page, width=width, dark=dark)
        assert browser.violations(axe) == [], page


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_plan_is_accessible(
    browser: Browser, axe: Path, plan: Path, width: int, dark: bool
) -> None:
    browser.open(plan, width=width, dark=dark)
    assert browser.violations(axe) == []


def test_axe_finds_what_is_wrong(browser: Browser, axe: Path, tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text("<html><p style='color: #ddd; background: #fff'>text<img src=''></html>")
    browser.open(page)
    rules = {found.partition(":")[0] for found in browser.violations(axe)}
    assert {"image-alt", "color-contrast", "html-has-lang", "document-title"} <= rules


def test_pages_fit_a_phone(browser: Browser, site: Path, plan: Path) -> None:
    for page in (site / "index.html", plan):
        browser.open(page, width=PHONE, height=640)
        assert browser.evaluate("document.documentElement.scrollWidth") <= PHONE, page


def test_pages_say_what_they_are_to_search_engines_and_cards(site: Path) -> None:
    text = (site / "other.html").read_text("utf-8")
    address = "https://tfmigrate.github.io/tfmigrate"
    for tag in (
        '<meta property="og:title" content="Other page: --target">',
        '<meta property="og:description" content="Pass --target.">',
        f'<meta property="og:url" content="{address}/other.html">',
        f'<meta property="og:image" content="{address}/_static/social_card.png">',
        '<meta name="description" content="Pass --target.">',
        f'<link rel="canonical" href="{address}/other.html"',
    ):
        assert tag in text, tag
    assert (site / "_static" / "social_card.png").is_file()
    pages = (site / "sitemap.xml").read_text("utf-8")
    assert f"<loc>{address}/index.html</loc>" in pages
    assert f"<loc>{address}/other.html</loc>" in pages
    assert f'href="{address.rpartition("/")[0]}/0.1.0/"' in text


def test_dashes_stay_dashes(site: Path) -> None:
    """An option is one also where a page does not mark it as code."""
    assert "<p>Pass --target.</p>" in (site / "other.html").read_text("utf-8")


def test_names_in_tables_take_several_lines(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html", width=DESK)
    wider = "[...document.querySelectorAll('table')].filter(t => t.scrollWidth > {}).length"
    assert browser.evaluate(wider.format("t.parentElement.clientWidth + 1")) == 0
