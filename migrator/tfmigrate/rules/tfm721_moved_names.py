"""A name that moved in Python's standard library or in Keras becomes the current name.

What it does:
    Changes imports and uses of modules and names that Python 3 renamed (`urlparse`, `cPickle`,
    `collections.Mapping`, `time.clock`), and of modules that standalone Keras 3 moved
    (`keras.utils.np_utils`, `keras.layers.core`). In TensorFlow 1.x programs, TFM723 handles Keras.
    Also `sklearn.externals.joblib`, `PIL.Image.ANTIALIAS`, and `assertEquals` and its like in test
    cases; `getargspec(f).args` becomes `getfullargspec(f).args`, and `sys.setdefaultencoding` of
    UTF-8, with its `reload(sys)`, is removed; `raise StopIteration` in a generator becomes
    `return`: Python 3.7 made it a RuntimeError. `as_matrix()` of pandas becomes `to_numpy()`, and a
    `StringIO` of images or other bytes `io.BytesIO`, in all files that `--py2`
    converts. Names without a direct equivalent (other uses of `StringIO`, `urllib2`, `imp`,
    `scipy.misc.imread`, `sklearn.cross_validation`) are reported with what to use. So are imports
    of packages that do not run on TensorFlow 2.16 or later: `tflearn`, `prettytensor`, `edward`,
    `tensor2tensor`, the first versions of `sonnet` and `tensorlayer`.

Why:
    TensorFlow 2.16 and later run on Python 3.9 to 3.13, which do not have the old names. A module
    that a migrated program imports need not name TensorFlow to fail.

Example:
    Before::

        import collections
        import time
        import tensorflow as tf
        import urlparse

        def main(config):
          start = time.clock()
          if isinstance(config, collections.Mapping):
            config = urlparse.urlparse(config['url'])
          return config, tf.placeholder(tf.float32), start

    After::

        import collections
        import time
        import tensorflow.compat.v1 as tf
        import urllib.parse as urlparse

        def main(config):
          start = time.perf_counter()
          if isinstance(config, collections.abc.Mapping):
            config = urlparse.urlparse(config['url'])
          return config, tf.placeholder(tf.float32), start

What is left to you:
    The names that are reported. Code behind a test of Python's version or `except ImportError`
    stays as it is.

Safety:
    Safe: each new name is the same object, or does the same.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.migrated_files import file_draft, is_migrated
from tfmigrate.families.tf1.packages_of_v1 import packages_of_v1
from tfmigrate.families.tf1.standalone_keras import of_tensorflow_1
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.byte_streams import byte_streams
from tfmigrate.resolve.calls import method_calls
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import asked_once, imports
from tfmigrate.resolve.origins import is_self, origins
from tfmigrate.resolve.python_2 import utf_8_defaults
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.rulekit.runtime_import import import_of
from tfmigrate.rulekit.standard_imports import standard_import, standard_name
from tfmigrate.tables.moved_names import (
    RELEASES,
    ROOTS,
    TEST_METHODS,
    new_name,
    what_to_do,
)

SEVERITY = Severity.FIXED

# What the results of getargspec and getfullargspec have in common.
_FIELDS = ("args", "varargs", "defaults")
_TEST_CASES = ("unittest.TestCase", "tensorflow.test.TestCase", "absl.testing.absltest.TestCase")
_METHOD = "as_matrix"
_ROTATIONS = "scipy.spatial"  # whose Rotation has the method too


def check(program: Program) -> Drafts:
    """Yields one draft for every file with moved names, and one for each removed name."""
    for module in program.modules:
        if not is_migrated(program, module):
            yield from _converted(program, module)
            continue
        if not (
            any(_root(b) in ROOTS for b in imports(module))
            or _test_methods(module)
            or _ends_of_generators(module)
            or matrices(module)
            or byte_streams(module)
        ):
            continue
        moves = [pair for pair in _edits(program, module) if not is_guarded(module, pair[0])]
        if moves:
            places = list(dict.fromkeys(node for node, _ in moves))
            edits = dict.fromkeys(edit for _, edit in moves)
            message = "names moved since Python 2 or Keras 2 -> current names"
            yield file_draft(program, module, places, edits, message)
        yield from _gone(program, module)


def _converted(program: Program, module: Module) -> Drafts:
    """Yields the draft of a file of no such program that ``--py2`` has given streams of text."""
    if module.source.converted and (moves := list(_streams(module))):
        places = list(dict.fromkeys(node for node, _ in moves))
        message = "io.StringIO of bytes -> io.BytesIO"
        yield file_draft(program, module, places, dict.fromkeys(e for _, e in moves), message)


def _root(binding: ImportBinding) -> str:
    return binding.qualified.partition(".")[0]


def _edits(program: Program, module: Module) -> Iterator[tuple[ast.AST, Edit]]:
    """Yields the places of names that moved, each with its edit."""
    by_tf_keras = module in program.once(of_tensorflow_1)  # TFM723
    for binding in imports(module):
        statement, alias = binding.statement, binding.alias
        plain = isinstance(statement, ast.Import) and not alias.asname
        new = new_name(alias.name if plain else binding.qualified)
        if new is None or program.is_own(module, binding.source):
            continue
        if _has_alternative(module, binding, new) or (by_tf_keras and new.startswith("keras.")):
            continue
        bound = alias.asname or alias.name
        if "." in bound:
            continue  # `import keras.utils.np_utils`: its uses name the whole path
        yield statement, ChangeImport(statement, alias, _import(new, bound, statement))
    yield from _test_methods(module)
    yield from _fields(module)
    for method, is_known in matrices(module):
        if is_known:
            yield method, ReplaceExpression(method, Code("{0}.to_numpy", (method.value,)))
    yield from _streams(module)
    ends = _ends_of_generators(module)
    yield from ((end, ReplaceStatement(end, (Code("return"),))) for end in ends)
    yield from ((statement, ReplaceStatement(statement)) for statement in utf_8_defaults(module))
    for node in module.all(ast.Attribute):
        qualified = module.resolve(node) if isinstance(node.ctx, ast.Load) else None
        new = new_name(qualified) if qualified and qualified.partition(".")[0] in ROOTS else None
        root = module.names.root_import(node)
        if qualified is None or new is None or root is None or new_name(root.qualified):
            continue
        if program.is_own(module, root.source) or (by_tf_keras and new.startswith("keras.")):
            continue
        parent = qualified.rpartition(".")[0]
        if new.startswith(parent + "."):
            code = f"{{0}}{new.removeprefix(parent)}"
            yield node, ReplaceExpression(node, Code(code, (node.value,)))


def _streams(module: Module) -> Iterator[tuple[ast.AST, Edit]]:
    for stream in byte_streams(module):
        bytes_io = Code(f"{standard_name(module, 'io')}.BytesIO")
        edits = (ReplaceExpression(stream.func, bytes_io), *standard_import(module, "io"))
        yield from ((stream, edit) for edit in edits)


def _fields(module: Module) -> Iterator[tuple[ast.AST, Edit]]:
    """Yields the uses of getargspec for a field that getfullargspec has at the same place."""
    for call in module.calls_of("inspect.getargspec"):
        node, parent = call.func, module.parent(call)
        index = parent.slice if isinstance(parent, ast.Subscript) else None
        is_same = isinstance(index, ast.Constant) and index.value in range(4)
        is_same |= isinstance(parent, ast.Attribute) and parent.attr in _FIELDS
        if is_same and isinstance(node, ast.Attribute):
            yield node, ReplaceExpression(node, Code("{0}.getfullargspec", (node.value,)))


def _has_alternative(module: Module, binding: ImportBinding, new: str) -> bool:
    """Returns whether another branch of the ``try`` of an import has the current name already."""
    tries = [node for node in module.ancestors(binding.statement) if isinstance(node, ast.Try)]
    return any(
        other.local == binding.local
        and new
        == (other.alias.name if isinstance(other.statement, ast.Import) else other.qualified)
        and tries[0] in module.ancestors(other.statement)
        for other in (imports(module) if tries else ())
    )


def _test_methods(module: Module) -> list[tuple[ast.AST, Edit]]:
    """Returns the methods of test cases that have another name now, each with its edit."""
    renames: list[tuple[ast.AST, Edit]] = []
    for case in module.all(ast.ClassDef):
        if any(module.resolve(base) in _TEST_CASES for base in case.bases):
            for node in module.all(ast.Attribute, case):
                if (new := TEST_METHODS.get(node.attr)) and is_self(module, node.value):
                    edit = ReplaceExpression(node, Code(f"{{0}}.{new}", (node.value,)))
                    renames.append((node, edit))
    return renames


def _ends_of_generators(module: Module) -> list[ast.Raise]:
    """Returns the statements that end a generator by StopIteration, without those in a ``try``."""
    return [
        statement
        for statement in module.all(ast.Raise)
        if _is_stop_iteration(statement.exc)
        and isinstance(function := module.function(statement), ast.FunctionDef)
        and any(module.function(y) is function for y in module.all(ast.Yield, function))
        and not any(isinstance(a, ast.Try) and a.handlers for a in module.ancestors(statement))
    ]


def _is_stop_iteration(raised: ast.expr | None) -> bool:
    """Returns whether an exception is StopIteration without a value."""
    if isinstance(raised, ast.Call) and not raised.args:
        raised = raised.func
    return isinstance(raised, ast.Name) and raised.id == "StopIteration"


def _import(new: str, bound: str, statement: ast.stmt) -> str:
    """Returns the import that binds a name to the object's current name."""
    if isinstance(statement, ast.Import) or "." not in new:
        return f"import {new}" if new == bound else f"import {new} as {bound}"
    return import_of(new, bound)


def _gone(program: Program, module: Module) -> Drafts:
    """Yields a draft for the first use of every name without a replacement."""
    first: dict[str, ast.AST] = {}
    replaced = {id(node) for node, _ in _fields(module)}
    idle = utf_8_defaults(module)
    for binding in imports(module):
        plain = isinstance(binding.statement, ast.Import)
        name = binding.alias.name if plain else binding.qualified
        own = program.is_own(module, binding.source)
        if (
            what_to_do(name)
            and not new_name(name)
            and not own
            and not is_guarded(module, binding.statement)
        ):
            first.setdefault(name, binding.alias)
    for node in module.all(ast.Attribute):
        name = module.resolve(node) or ""
        root = module.names.root_import(node)
        if root is None or what_to_do(root.qualified) or not _advice(name, root):
            continue
        if id(node) in replaced or module.statement(node) in idle:
            continue
        if not is_guarded(module, node) and not program.is_own(module, root.source):
            first.setdefault(name, node)
    for method, is_known in matrices(module):
        if not is_known and not is_guarded(module, method):
            yield drafted(
                module,
                method,
                "pandas 1.0 removed .as_matrix()",
                "use .to_numpy(), of frame[columns] if it is given columns",
            )
    for place, message, _ in packages_of_v1(program, module):
        action = "migrate a copy of what the program uses of it, or use another package"
        yield drafted(module, place, message, action)
    for name, place in first.items():
        release = RELEASES.get(name.partition(".")[0], "Python 3.12 and later")
        yield drafted(
            module,
            place,
            f"{name} is not in {release}",
            what_to_do(name) or f"use {new_name(name)}",
        )


def _advice(name: str, root: ImportBinding) -> str | None:
    """Returns what to do about a name that is used, and that no edit replaces."""
    new = new_name(name)
    if new is not None and new_name(root.qualified) is None and not name.startswith("keras."):
        return None if new.startswith(name.rpartition(".")[0] + ".") else f"use {new}"
    return what_to_do(name)


@asked_once
def matrices(module: Module) -> list[tuple[ast.Attribute, bool]]:
    """Returns the calls of ``as_matrix``, and whether each is of pandas for sure, without columns.

    Those of objects of other packages, as SciPy's rotations, are left out.
    """
    if not module.mentions(_METHOD):
        return []
    names = [binding.qualified for binding in imports(module)]
    of_pandas = any(name.partition(".")[0] == "pandas" for name in names)
    if not of_pandas or any(name.startswith(_ROTATIONS) for name in names):
        return []
    return [
        (method, not call.args and not call.keywords and _is_frame(module, method.value, set()))
        for call, method in method_calls(module, _METHOD)
    ]


def _is_frame(module: Module, node: ast.expr, seen: set[ast.expr]) -> bool:
    """Returns whether a value is made by pandas, or by methods of such a value."""
    values = origins(module, node) or ()
    return bool(values) and all(_makes_frame(module, value, seen) for value in values)


def _makes_frame(module: Module, value: ast.expr, seen: set[ast.expr]) -> bool:
    if value in seen:  # frame = frame.dropna()
        return True
    seen.add(value)
    if isinstance(value, ast.Call):
        if (module.resolve(value.func) or "").startswith("pandas."):
            return True
        return isinstance(value.func, ast.Attribute) and _is_frame(module, value.func.value, seen)
    if isinstance(value, (ast.Subscript, ast.Attribute)):
        return _is_frame(module, value.value, seen)
    return False
