"""A file that Python 3 can parse uses built-in names or methods of Python 2.

What it does:
    Reports `xrange`, `raw_input`, `unicode`, `basestring`, `long`, `unichr`, `reduce`, `file`,
    `execfile`, `reload`, `cmp`, `apply`, `buffer`, `intern`, `coerce`, and the methods `has_key`,
    `iteritems`, `iterkeys` and `itervalues` of dicts, once a file. So are results of `map`,
    `filter`, `zip` and `range`, and of `keys`, `values` and `items` of dicts, that are used as
    lists or that TensorFlow gets for lists (`session.run(updates.values())`), `open` of a text
    without a buffer, of bytes for the module csv, or of a text for pickle, NumPy or PIL, text that
    is written to or read from pipes of `subprocess` and temporary files, which are bytes, `decode`
    of text that is written out or read from text files, `print >>file`, `map(None, a, b)`,
    `message` of built-in exceptions, and `/` in the bounds of slices and in `range`, also of a name
    that is only a quotient, unless the file imports `division`. So are imports of files next to a
    file that others import as a part of its package. TFM721 is about other modules.

Why:
    TensorFlow 2 runs on Python 3 only, where the first such name raises NameError or
    AttributeError. The file need not name TensorFlow: it is enough that a migrated program imports
    it.

Example:
    Before::

        import tensorflow as tf

        def feed(images, batches):
          for name, image in images.iteritems():
            for step in xrange(batches):
              yield {tf.get_default_graph().get_tensor_by_name(name): image[step]}

What is left to you:
    `--py2` converts such files, unless they have syntax of Python 3 alone (annotations, f-strings):
    the other lines of those mean what they mean in Python 3. Names that the file defines, or guards
    by `try` or a test of Python's version, are not reported; nor is any other `/` of integers,
    which has another value on Python 3: look for them.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Sequence

from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.model.findings import in_places
from tfmigrate.resolve.implicit_imports import implicit_imports
from tfmigrate.resolve.python_2 import DECODED, needs_python_3, python_2_names
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL


def check(program: Program) -> Drafts:
    """Yields a draft for every file of a migrated program that has such names."""
    for module in migrated(program):
        yield from _imports(program, module)
        if module.source.converted:
            continue  # TFM904 says what is left of it
        if places := python_2_names(module):
            shown = ", ".join(dict.fromkeys(name for _, name in places))
            action = _action(module, {name for _, name in places})
            yield _draft(module, places, f"only Python 2 has {shown}", action)


def _action(module: Module, names: set[str]) -> str:
    if names == {DECODED}:
        return "remove it: what Python 3 reads from a text file, or writes as '...', is text"
    if needs_python_3(module):
        return "replace them: --py2 does not convert files that only Python 3 can parse"
    return "convert the file with --py2"


def _imports(program: Program, module: Module) -> Drafts:
    """Yields a draft for imports that only Python 2 looks for beside the file."""
    if not (places := implicit_imports(program, module)):
        return
    name, package = places[0][1], module.source.path.parent.name
    message = f"only Python 2 finds `{name}`, which is next to this file in its package"
    action = (
        f"write `from .{name} import ...`, or `from {package}.{name} import ...` if the file is "
        "also run as a script"
    )
    yield _draft(module, places, message, action)


def _draft(
    module: Module, places: Sequence[tuple[ast.AST, str]], message: str, action: str
) -> Draft:
    """Returns one draft for all places of a file, at the first of them."""
    return drafted(module, places[0][0], message + in_places(len(places)), action)
