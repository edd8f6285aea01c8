"""Chooses which tests `make test` runs: those that reach what no cheaper test does.

    python scripts/costs/test_coverage.py --folder F -p costs_plugin -q -n auto ... tests
    python scripts/costs/choose_tests.py --folder F [--budget SECONDS]

Both measurements come from one run: F has the coverage, a context for each test, and the costs
(TFMIGRATE_COSTS=F). Written is tests/covered_elsewhere.txt: tests that tests/conftest.py marks as
long, so that `make test-all` alone runs them, each night. What is not listed there is run by
`make test`, new tests too. Kept are

1. tests of less than 0.7 s of processor time;
2. of the others those that reach most lines and branches for their time, until together with the
   first they reach 99.6 % of what all tests reach;
3. of test functions of which no case is kept the cheapest cases, as long as the budget lasts.

A test that proves a number that no other one proves is not listed, whatever it reaches: remove
its line, and name it in ``_ALWAYS`` with the fault that only it finds (seeded_faults.py).
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections import Counter, defaultdict
from pathlib import Path

from test_costs import ROOT, read

LIST = ROOT / "tests" / "covered_elsewhere.txt"
_CHEAP_SECONDS = 0.7
_SHARE = 0.996
# Starts of test ids, each with what only it finds, although others reach the same lines.
_ALWAYS = (
    # Workers that apply the sum of their gradients, dense or of slices, in place of the mean.
    "tests/between_graph/test_against_tensorflow_1_15.py::test_losses_variables_and_placement[sync_sgd]",
    "tests/between_graph/test_against_tensorflow_1_15.py::test_losses_variables_and_placement[sync_momentum_sparse]",
    # Warm starts that do not know a SavedModel.
    "tests/runtime/test_brought_by_programs.py::test_warm_start_from_an_exported_model",
)

Arc = tuple[int, int, int]  # file, from line, to line


def reached(database: Path) -> dict[str, set[Arc]]:
    """Returns the branches that each test reaches, by itself or in programs; "" is before tests."""
    connection = sqlite3.connect(database)
    contexts = dict(connection.execute("select id, context from context"))
    by_test: dict[str, set[Arc]] = defaultdict(set)
    for file, context, start, end in connection.execute(
        "select file_id, context_id, fromno, tono from arc"
    ):
        by_test[_test_of(contexts[context])].add((file, start, end))
    return by_test


def _test_of(context: str) -> str:
    """Returns the test of a context: of a program PYTEST_CURRENT_TEST, of pytest itself the id."""
    parts = [part for part in context.split("|") if part]
    if not parts:
        return ""
    return parts[-1].rpartition(" (")[0] if parts[-1].endswith(")") else parts[-1]


def costs_of(folder: Path) -> Counter[str]:
    """Returns the processor time of each test, programs included, in seconds."""
    seconds: Counter[str] = Counter()
    for line in read(folder):
        if line.get("test", "").startswith("tests/") and "server" not in line:
            kinds = ("self", "children", "warm")
            seconds[line["test"]] += sum(line.get(kind, 0.0) for kind in kinds)
    return seconds


def chosen(by_test: dict[str, set[Arc]], costs: Counter[str], budget: float) -> set[str]:
    """Returns the tests to keep, as the docstring of the module says."""
    kept = {t for t, cost in costs.items() if cost <= _CHEAP_SECONDS or t.startswith(_ALWAYS)}
    everything = set().union(*by_test.values())
    missing = everything - by_test.get("", set()).union(*(by_test.get(t, set()) for t in kept))
    allowed = (1 - _SHARE) * len(everything)
    adds = {t: by_test.get(t, set()) & missing for t in costs.keys() - kept}
    while len(missing) > allowed:
        best = max(adds, key=lambda test: (len(adds[test]) / costs[test], test))
        kept.add(best)
        missing -= adds.pop(best)
        adds = {test: arcs & missing for test, arcs in adds.items()}
    cases: dict[str, list[str]] = defaultdict(list)
    for test in costs:
        cases[test.partition("[")[0]].append(test)
    cheapest = [min(each, key=costs.__getitem__) for each in cases.values() if not kept & {*each}]
    spent = sum(costs[test] for test in kept)
    for test in sorted(cheapest, key=costs.__getitem__):
        spent += costs[test]
        if spent > budget:
            break
        kept.add(test)
    return kept


def main() -> int:
    """Writes the list, and prints what `make test` keeps; returns 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="of the run that was measured")
    parser.add_argument("--budget", type=float, default=650.0, help="processor seconds (650)")
    options = parser.parse_args()
    by_test, costs = reached(options.folder / ".coverage"), costs_of(options.folder)
    kept = chosen(by_test, costs, options.budget)
    left = sorted(costs.keys() - kept)
    LIST.write_text("".join(f"{test}\n" for test in left), "utf-8")
    everything = set().union(*by_test.values())
    share = len(set().union(*(by_test.get(t, set()) for t in {*kept, ""}))) / len(everything)
    print(f"{len(kept)} of {len(costs)} tests, {sum(costs[t] for t in kept):.0f} of")
    print(f"{costs.total():.0f} s of processor time, {100 * share:.2f} % of lines and branches")
    return 0


if __name__ == "__main__":
    sys.exit(main())
