"""Writes which arguments of TensorFlow 1.x the function that replaces it takes differently.

Compared are all names that the migrator's tables map, by the parameters that they had in some
TensorFlows 1.x, with those of what they become. First each TensorFlow writes its parameters:

    python scripts/tables/list_lost_arguments.py names old > OLD.json   (and: names new > NEW.json)
    PYTHON_OF_1_X scripts/tables/signatures.py 1.15.5.json < OLD.json
    python scripts/tables/signatures.py new.json < NEW.json
    python scripts/tables/list_lost_arguments.py new.json 1.15.5.json 1.12.3.json ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfmigrate.families.tf1.core_names import equivalent
from tfmigrate.tables import equivalents, symbol_table
from tfmigrate.tables.runtime_api import PACKAGES

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "migrator/tfmigrate/data/lost_arguments.txt"
STORED = ROOT / "tests/migrator/signatures.txt"
# Keras has rules of its own, tests of TensorFlow are its own, and raw_ops take names only.
SKIPPED = tuple(f"tensorflow.{name}." for name in ("compat", "keras", "raw_ops", "test"))
_CELLS = "tensorflow.contrib.rnn."
# TensorFlow calls these methods, with what it has.
INTERNAL = frozenset(
    (
        *("add_loss", "add_metric", "add_update", "add_weight", "begin", "build", "call"),
        *("compute_mask", "get_losses_for", "set_mask_metadata"),
    )
)
# The same parameters by other names, as old=new.
_RENAMED = """
    a=concentration1 a=low algorithm=alg alpha=concentration b=concentration0 b=high beta=rate
    bytes=input_bytes cell_size=num_units default_value=default delimiter=sep dim=axis
    docstring=help e=entity experimental_compile=jit_compile
    experimental_relax_shapes=reduce_retracing export_input_fn=serving_input_fn filter=filters
    flag_name=name fn1=true_fn fn2=false_fn h_prev=state input=x keep_dims=keepdims lam=rate mu=loc
    n=total_count nest=structure nested=structure o=seq p=probs per_device_value=per_replica_value
    position=offset reduction_indices=axis sequence_length=max_sequence_lengths sigma=scale
    signal=signals source=input stride=strides targets=labels thresh=threshold
    tower_ctx=replica_ctx tower_local_var=v unused_readahead=readahead use_biases=use_bias
    val=value value=input value_structure=element_spec verbosity=v virtual_devices=logical_devices
"""
RENAMED: dict[str, list[str]] = {}
for pair in _RENAMED.split():
    RENAMED.setdefault(pair.partition("=")[0], []).append(pair.partition("=")[2])


def targets() -> dict[str, str]:
    """Returns what each mapped name of TensorFlow 1.x becomes, both as Python finds them."""
    found: dict[str, str] = {}
    of_1_15 = [n for n in symbol_table.places() if symbol_table.is_found(n, symbol_table.OLD)]
    names = [f"tensorflow.{name}" for name in of_1_15]
    names += equivalents.names()
    for package in PACKAGES:
        for module, those in package.modules.items() if package.source else ():
            names += [".".join(filter(None, (package.source, module, name))) for name in those]
    for name in sorted(set(names)):
        core = equivalent(name)
        runtime = next((p for p in PACKAGES if p.source and p.offers_qualified(name)), None)
        if name.startswith(SKIPPED):
            continue
        if core is not None and not core[0].called:
            found[name] = f"tensorflow.compat.v1.{core[0].name}{core[1]}"
        elif runtime is not None:
            found[name] = runtime.target + name.removeprefix(runtime.source)
        elif symbol_table.is_found(name.removeprefix("tensorflow."), f"v1-{symbol_table.NEWEST}"):
            found[name] = name.replace("tensorflow.", "tensorflow.compat.v1.", 1)
    return found


def difference(
    old: Sequence[str], new: Sequence[str], renamed: Mapping[str, str | None], arranged: bool
) -> tuple[int | None, list[str], dict[str, str]]:
    """Returns how two functions take arguments differently.

    Args:
        old: the parameters in TensorFlow 1.x.
        new: those of what replaces it.
        renamed: the parameters that the migrator renames, or drops.
        arranged: whether the migrator passes arguments by name.

    Returns:
        How many arguments by position mean the same (None for all), the parameters that the new
        function lacks, and those that it has by another name.
    """
    takes_any = any(name.endswith("*") for name in new)
    had = [renamed.get(name, name) for name in old if not name.endswith("*")]
    has = [name for name in new if not name.endswith("*")]
    other = {
        name: now
        for name in had
        for now in RENAMED.get(name or "", ())
        if name and name not in has and now in has and now not in had
    }
    lost = [n for n in had if n and n not in has and n not in other and not takes_any]
    if arranged:
        return None, lost, other
    same = 0
    for index, name in enumerate(had):
        now = has[index] if index < len(has) else ""
        if now != name and now not in RENAMED.get(name or "", ()):
            break
        same += 1
    by_position = same < len(had) and not any(name.endswith("*") for name in new[same:])
    return same if by_position else None, lost, other


def _of_versions(
    tails: Sequence[tuple[str, ...]], takes: Sequence[str], rest: Sequence[str]
) -> str:
    """Returns the parameters that follow the common ones, of each version; "-" for none.

    Those of a version that takes them as the new function does are marked by "=".
    """
    if not tails or (len(tails) == 1 and not set(tails[0]) <= set(takes)):
        return "-"
    texts = ["=" * (list(tail) == list(rest[: len(tail)])) + ",".join(tail) for tail in tails]
    return ";".join(texts)


def main() -> None:
    """Writes both lists, or the names to look up."""
    if sys.argv[1] == "names":
        known = targets()
        json.dump(sorted(set(known.values()) if sys.argv[2] == "new" else known), sys.stdout)
        return
    new, *olds = (json.loads(Path(path).read_text("utf-8")) for path in sys.argv[1:])
    versions = [Path(path).stem for path in sys.argv[2:]]
    lines, stored = [], []
    become = targets()
    for name in sorted({name for old in olds for name in old}):
        owner, _, method = name.rpartition(".")
        becomes = become.get(name) or (f"{become[owner]}.{method}" if owner in become else "")
        takes = new.get(becomes)
        if takes and name.startswith(_CELLS):  # their `**kwargs` are those of all layers
            takes = [parameter for parameter in takes if parameter != "kwargs*"]
        if name.endswith("cross_entropy_with_logits") or name.endswith("with_logits_v2"):
            continue  # they take names only in 1.x; TFM705 is about those before and after
        if takes is None or (owner in become and method in INTERNAL):
            continue
        core = equivalent(name) if name in become else None
        renamed = core[0].renamed if core else {}
        arranged = bool(core and core[0].parameters)
        variants: dict[tuple[str, ...], list[str]] = {}
        for version, old in zip(versions, olds, strict=True):
            if name in old:
                variants.setdefault(tuple(old[name]), []).append(version)
        found = [difference(had, takes, renamed, arranged) for had in variants]
        if not any(same is not None or lost or other for same, lost, other in found):
            continue
        places = [same for same, _, _ in found if same is not None]
        lost = sorted({n for _, those, _ in found for n in those})
        other = {k: v for _, _, those in found for k, v in those.items()}
        same = min(places) if places else None
        shown = ["-" if same is None else str(same), ",".join(lost) or "-"]
        shown.append(",".join(f"{a}={b}" for a, b in sorted(other.items())) or "-")
        plain = [[n for n in had if not n.endswith("*")] for had in variants]
        tails = [] if same is None else [tuple(had[same:]) for had in plain]
        shown.append(_of_versions(list(dict.fromkeys(tails)), takes, takes[same:]))
        lines.append(" ".join([name.removeprefix("tensorflow."), *shown]))
        for had, of in variants.items():
            stored.append(f"{name} {becomes} {','.join(of)}: {' '.join(had)} -> {' '.join(takes)}")
    made = "# Made by scripts/tables/list_lost_arguments.py from TensorFlow "
    made += f"{', '.join(versions)} and {symbol_table.NEWEST}.\n"
    head = (
        "# Names of TensorFlow 1.x whose arguments what replaces them takes differently: how many\n"
        "# by position mean the same (- for all), the parameters that it lacks, those it renamed,\n"
        "# and the names of those by position after the first, of each version (= where they are\n"
        "# what the new function takes).\n"
    )
    TARGET.write_text(head + made + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    head = "# The parameters of those names, by versions, and of what replaces them.\n"
    STORED.write_text(head + made + "".join(f"{line}\n" for line in stored), encoding="utf-8")
    print(f"{len(lines)} names, {len(stored)} signatures")


if __name__ == "__main__":
    main()
