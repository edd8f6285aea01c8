"""Operations that were compiled for TensorFlow 1.x cannot be loaded.

What it does:
    Reports `tf.load_op_library` and `tf.load_library` in TensorFlow 1.x programs. Code behind a
    test of the version or `except ImportError` is skipped.

Why:
    A library of operations is tied to the TensorFlow it was compiled for. TensorFlow 2.21 ends with
    a segmentation fault when it loads those of TensorFlow 1.15, or with NotFoundError if the
    library of TensorFlow 1.x that they need is not installed.

Example:
    Before::

        import tensorflow as tf

        word2vec = tf.load_op_library('word2vec_ops.so')

        def sample(path):
          return word2vec.skipgram_word2vec(filename=path, batch_size=tf.flags.FLAGS.batch_size)

What is left to you:
    Compile the library again, with the flags of `tf.sysconfig.get_compile_flags()` of TensorFlow
    2.16 or later (C++17), or replace its operations. Only the run that migrates the program
    reports it.

Safety:
    Nothing is changed.
"""

from tfmigrate.families.tf1.is_tf1 import is_kept_off, legacy_modules
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

SEVERITY = Severity.MANUAL

_NAMES = ("load_op_library", "load_library")
_LOADS = [
    f"{package}.{name}"
    for package in ("tensorflow", "tensorflow.python.framework.load_library")
    for name in _NAMES
]


def check(program: Program) -> Drafts:
    """Yields a draft for the first library that a file loads."""
    legacy = program.once(legacy_modules)
    for module in (m for m in program.modules if m.mentions(*_NAMES)):
        calls = module.calls_of(*_LOADS)
        loads = [call for call in calls if not is_kept_off(program, module, call)]
        if loads and program.connected(module, legacy):
            yield drafted(
                module,
                loads[0],
                "operations that were compiled for TensorFlow 1.x cannot be loaded",
                "compile the library again, with TensorFlow 2.16 or newer, or replace its "
                "operations",
            )
