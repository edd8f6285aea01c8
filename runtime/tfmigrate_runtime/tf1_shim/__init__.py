"""The legacy runtime: original TensorFlow 1.x programs, unmodified, on current TensorFlow.

    tfmigrate-run [--devices cpu:2] script.py arguments...
    python -m tfmigrate_runtime.tf1_shim script.py arguments...

Within this process ``import tensorflow`` gives what TensorFlow 1.15 gave: the names of compat.v1 at
the top, ``tf.contrib`` with its packages under every path they had, ``tf.estimator``. Nothing is
written, and other processes see nothing of it. tf1_shim.md says what is emulated, how, and what
is not.

===================== ========================================================================
module                what it holds
===================== ========================================================================
``install``           the order in which a process becomes one of TensorFlow 1.x
``top_level``         the module ``tensorflow`` that programs get
``finder``            finds ``tensorflow.contrib...`` and modules that TensorFlow no longer has
``contrib_modules``   the modules of tf.contrib, and which of the names each of them has
``listed_names``      those that are names of the core or of the runtime, from a list in ``data``
``contrib``           the others, in one module or package for each package
``modules``           stand-ins for single modules that other code imports
``devices``           CPUs or GPUs, as many as asked for
``command_line``      tfmigrate-run
===================== ========================================================================

What trains here is not what migrated programs import: an error of one would hide in both otherwise.
tests/tf1_shim/test_independence.py keeps ``tf1_shim`` apart from what trains there.
"""

from tfmigrate_runtime.tf1_shim.install import install, prepare, serve

__all__ = ["install", "prepare", "serve"]
