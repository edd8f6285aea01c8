"""Which files run something when they are executed: where programs start.

A file that says so itself (a ``__main__`` block, ``tf.app.run``, a notebook, tests) is one whoever
imports it. A file that only runs code of TensorFlow 1.x at its top level is one where no other
file imports it: a library may call its functions while it is imported.
"""

import ast
from collections.abc import Iterable, Iterator

from tfmigrate.model.reached import reached
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import OtherBinding

_MAIN = "__main__"
# What calls the functions, or the tests, of the file that it is called in.
_RUNNERS = frozenset(
    {
        "absl.app.run", "absl.testing.absltest.main", "fire.Fire", "pytest.main",
        "tensorflow.app.run", "tensorflow.test.main", "unittest.main",
    }
)  # fmt: skip
# What calls the functions that it is given.
_RUN_ARGUMENTS = _RUNNERS | {
    "multiprocessing.Process", "multiprocessing.context.Process", "threading.Thread",
    "threading.Timer", "tensorflow.train.LooperThread", "tensorflow.train.LooperThread.loop",
}  # fmt: skip
_TEST_CASES = ("unittest.TestCase", "tensorflow.test.TestCase", "absl.testing.absltest.TestCase")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@asked_once
def is_start(module: Module) -> bool:
    """Returns whether a file is there to be run, by Python, Jupyter or pytest."""
    path = module.source.path
    if path.stem == _MAIN or path.suffix == ".ipynb" or main_blocks(module):
        return True
    return (
        _has_tests(module)
        or _runs_itself(module)
        or any(module.resolve(call.func) in _RUNNERS for call in calls_at_once(module))
    )


@asked_once
def main_blocks(module: Module) -> list[ast.If]:
    """Returns the blocks for ``__main__`` at the top level of a file."""
    tests = [node for node in nodes_at_once(module) if isinstance(node, ast.If)]
    return [node for node in tests if _asks_for_main(node.test)]


def _runs_itself(module: Module) -> bool:
    """Returns whether sacred runs a function of a file as its main block: ``@ex.automain``."""
    return any(
        isinstance(decorator, ast.Attribute) and decorator.attr == "automain"
        for statement in module.tree.body
        if isinstance(statement, ast.FunctionDef)
        for decorator in statement.decorator_list
    )


def _asks_for_main(test: ast.expr) -> bool:
    nodes = list(ast.walk(test))
    return any(isinstance(n, ast.Name) and n.id == "__name__" for n in nodes) and any(
        isinstance(n, ast.Constant) and n.value == _MAIN for n in nodes
    )


def _has_tests(module: Module) -> bool:
    """Returns whether a file holds tests for pytest, by pytest's own rules."""
    stem = module.source.path.stem
    if module.source.path.suffix == ".py" and (stem.startswith("test_") or stem.endswith("_test")):
        functions = (s for s in module.tree.body if isinstance(s, ast.FunctionDef))
        if any(f.name.startswith("test") for f in functions):
            return True
    classes = [s for s in module.tree.body if isinstance(s, ast.ClassDef)]
    return any(module.resolve(base) in _TEST_CASES for c in classes for base in c.bases)


def nodes_at_once(module: Module) -> list[ast.AST]:
    """Returns the nodes that run when a file is executed: not those of functions and classes."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(child, _DEFINITIONS):
                nodes.append(child)
                waiting.append(child)
    return nodes


@asked_once
def calls_at_once(module: Module) -> list[ast.Call]:
    """Returns the calls that run when a file is executed."""
    return [node for node in nodes_at_once(module) if isinstance(node, ast.Call)]


@asked_once
def calls_when_imported(module: Module) -> list[ast.Call]:
    """Returns the calls that run when another file imports a file."""
    blocks = main_blocks(module)
    return [
        call
        for call in calls_at_once(module)
        if not any(around in blocks for around in module.ancestors(call))
    ]


def called_by(module: Module, calls: Iterable[ast.Call]) -> Iterator[ast.AST]:
    """Yields the functions and classes of a file that some calls of it reach, directly or not."""
    named = [called for call in calls for called in _own(module, call)]
    return reached(
        named, lambda called: (c for n in module.all(ast.Call, called) for c in _own(module, n))
    )


def _own(module: Module, call: ast.Call) -> Iterator[ast.AST]:
    """Yields the functions and classes of the file that a call runs."""
    named = [call.func]
    if module.resolve(call.func) in _RUN_ARGUMENTS:
        named += [*call.args, *(keyword.value for keyword in call.keywords)]
    for node in named:
        nodes = [b.node for b in module.bindings(node) if isinstance(b, OtherBinding)]
        yield from [n for n in nodes if isinstance(n, _DEFINITIONS)][:1]
