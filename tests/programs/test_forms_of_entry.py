"""Programs without a ``__main__`` block run in graph mode once they are migrated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tfmigrate.cli import main

MAIN = """\
import sys
import tensorflow as tf

def main(argv=None):
  x = tf.placeholder(tf.float32)
  with tf.Session() as session:
    print(session.run(x * 2, {x: 4.0}))

"""
PROGRAMS = {
    "exit.py": MAIN + "sys.exit(main())\n",
    "attempt.py": MAIN + "try:\n  result = main()\nfinally:\n  pass\n",
    "absl_app.py": "from absl import app\n" + MAIN + "app.run(main)\n",
    "later.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\nimport json\n"
    "import tensorflow as tf\nprint(tf.Session().run(x * 2, {x: 4.0}))\n",
    "loaded.py": "def load():\n  global tf\n  import tensorflow as tf\n\ndef main():\n  load()\n"
    "  x = tf.placeholder(tf.float32)\n  print(tf.Session().run(x * 2, {x: 4.0}))\n\nmain()\n",
    "built.py": "import part\nimport tensorflow as tf\n\n"
    "print(tf.Session().run(part.x, {part.y: 8.0}))\n",
    "part.py": "import tensorflow as tf\ny = tf.placeholder(tf.float32)\n"
    "x = tf.constant(0.0) + y\n",
}
# One process loads TensorFlow; each program runs in a copy of it.
RUNNER = """\
import os, runpy, sys, tensorflow
for name in sys.argv[1:]:
    process = os.fork()
    if not process:
        sys.argv = [name]
        try:
            runpy.run_path(name, run_name='__main__')
        except SystemExit:
            pass
        sys.stdout.flush()
        os._exit(0)
    print(name, os.waitpid(process, 0)[1], flush=True)
"""


def test_forms_of_entry(tmp_path: Path) -> None:
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    assert main([str(tmp_path)]) == 0
    names = [name for name in PROGRAMS if name != "part.py"]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, '.')\n{RUNNER}", *names],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:-1] == [
        line for name in names for line in ("8.0", f"{name} 0")
    ], run.stderr
