"""Which variables of a trace are slots, by their names."""

from typing import Any, Dict, List, Sequence

_AVERAGE = "ExponentialMovingAverage"  # of tf.train, which makes slots too


def original_slots(forms: Sequence[Dict[str, Any]]) -> Dict[str, List[Dict[str, Any]]]:
    """Returns the slots of a trace's variables: of each trainable one, in order of creation."""
    return _by_owner(forms, are_averages=False)


def averages(forms: Sequence[Dict[str, Any]]) -> Dict[str, List[Dict[str, Any]]]:
    """Returns the moving averages of a trace's variables: of each trainable one."""
    return _by_owner(forms, are_averages=True)


def _by_owner(
    forms: Sequence[Dict[str, Any]], are_averages: bool
) -> Dict[str, List[Dict[str, Any]]]:
    """Returns what belongs to each trainable variable.

    It is called by its variable, below the scope that the optimizer was made in.
    """
    trainable = [form for form in forms if form["trainable"]]
    owned: Dict[str, List[Dict[str, Any]]] = {form["name"]: [] for form in trainable}
    for form in forms:
        is_average = form["name"].split("/")[-1].startswith(_AVERAGE)
        if form["trainable"] or is_average != are_averages:
            continue
        owners = [
            other["name"]
            for other in trainable
            if other["shape"] == form["shape"]
            and ("/" + form["name"]).rpartition("/")[0].endswith("/" + other["name"])
        ]
        if owners:
            owned[max(owners, key=len)].append(form)
    return owned
