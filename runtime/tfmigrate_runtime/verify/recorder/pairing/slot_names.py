"""Which variables of a trace are slots, by their names."""

from typing import Any, Dict, List, Sequence

_AVERAGE = "ExponentialMovingAverage"  # of tf.train, which makes slots too


def original_slots(forms: Sequence[Dict[str, Any]]) -> Dict[str, List[Dict[str, Any]]]:
    """Returns the slots of a trace's variables: of each trainable one, in order of creation.

    They are called by their variable, below the scope that the optimizer was made in.
    """
    trainable = [form for form in forms if form["trainable"]]
    slots: Dict[str, List[Dict[str, Any]]] = {form["name"]: [] for form in trainable}
    for form in forms:
        if form["trainable"] or form["name"].split("/")[-1].startswith(_AVERAGE):
            continue
        owners = [
            other["name"]
            for other in trainable
            if other["shape"] == form["shape"]
            and ("/" + form["name"]).rpartition("/")[0].endswith("/" + other["name"])
        ]
        if owners:
            slots[max(owners, key=len)].append(form)
    return slots
