"""Which changed files could be imported on TensorFlow 1.15 and cannot any more.

It RUNS public code. Do it where that does no harm: the files are imported in copies in a scratch
folder, which is their HOME as well, with a limit of time and memory for each and, where
``unshare`` can do it, without a network. Nothing else holds them back.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from migrating import Migrated

SECONDS = 20
_SERVER = Path(__file__).with_name("import_server.py")


class Importer:
    """An interpreter with a TensorFlow that imports files."""

    def __init__(self, python: str, home: Path, **environment: str) -> None:
        command = [python, str(_SERVER), str(SECONDS)]
        if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0:
            command = ["unshare", "-rn", *command]
        settings = {"PATH": os.environ["PATH"], "HOME": str(home), "CUDA_VISIBLE_DEVICES": "-1"}
        settings |= {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": "1", **environment}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=settings,
            cwd=home,
        )

    def error(self, folder: Path, file: str) -> str:
        """Returns why a file cannot be imported; "" where it can."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps([str(folder), file]) + "\n")
        stdin.flush()
        answer: str = json.loads(stdout.readline())
        return answer


class Importers:
    """TensorFlow 1.15, and TensorFlow 2 with Keras 3 and with Keras 2."""

    def __init__(self, reference_python: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="survey-home-")
        home = Path(self._home.name)
        self._before = Importer(reference_python, home)
        self._after = {
            False: Importer(sys.executable, home),
            True: Importer(sys.executable, home, TF_USE_LEGACY_KERAS="1"),
        }

    def after(
        self, root: Path, files: Sequence[str], run: Migrated, keras_2: set[str]
    ) -> dict[str, str]:
        """Returns why files that TensorFlow 1.15 imports fail after a run; "" where they do not.

        Args:
            root: the repository, of which copies are made.
            files: those of its files to try.
            run: what the run came to.
            keras_2: the files whose programs choose Keras 2.
        """
        with tempfile.TemporaryDirectory(prefix="survey-") as scratch:
            old, new = Path(scratch) / "old", Path(scratch) / "new"
            for copy in (old, new):
                git = shutil.ignore_patterns(".git")
                shutil.copytree(root, copy, ignore=git, ignore_dangling_symlinks=True)
            for file, text in run.changed.items():
                (new / file).write_bytes(text.encode("latin-1"))
            found = {}
            for file in files:
                if not self._before.error(old, file):
                    found[file] = self._after[file in keras_2].error(new, file)
        return found
