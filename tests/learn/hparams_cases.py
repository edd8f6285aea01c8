"""What is done with HParams, and what comes of it, on TensorFlow 1.15 and on 2.x.

A case gets hyperparameters of all types and returns something that JSON can hold. Python 3.7, for
TensorFlow 1.15.
"""

from __future__ import annotations

import collections

FIRST = collections.OrderedDict(
    [
        ("rate", 0.1),
        ("units", 3),
        ("name", "relu"),
        ("flag", True),
        ("sizes", [1, 2]),
        ("rates", [0.5, 0.25]),
        ("names", ["a", "b"]),
        ("flags", [True, False]),
        ("nothing", None),
        ("pair", (4, 5)),
    ]
)
TYPES = {"x": int, "y": float, "s": str, "b": bool}

PARSED = [
    "",
    "rate=0.5",
    "rate=1",
    "rate=1e-3,units=7",
    "rate = 0.5 , units = 7",
    "rate=0.5,",
    "units=7.5",
    "units=",
    "units",
    "units=x",
    "=3",
    "3=units",
    "other=3",
    "name=tanh",
    "name=",
    "name=two words",
    "name=a=b",
    "name=[a]",
    "flag=true",
    "flag=True",
    "flag=false",
    "flag=0",
    "flag=2",
    "flag=TRUE",
    "flag=yes",
    "flag=1.0",
    "sizes=[3,4,5]",
    "sizes=[3 4]",
    "sizes=[3, 4]",
    "sizes=[]",
    "sizes=[3,x]",
    "sizes=3",
    "sizes=[3,4",
    "sizes[0]=3",
    "sizes[0]=[3]",
    "sizes[x]=3",
    "rates=[1,2]",
    "names=[c,d]",
    "names=['c']",
    "flags=[true,0]",
    "pair=[6,7]",
    "units=1,units=2",
    "sizes=[1],sizes=[2]",
    "sizes[0]=1,sizes=[2]",
    "sizes=[2],sizes[0]=1",
    "units=-12,rate=-.5e2",
    "rate=nan",
    "units=1 2",
    "units=1;rate=2",
    "a.b=3",
]
VALUES = [
    ("x=5,x2=3", False),
    ("x=5,x2=3", True),
    ("x=5,y=2", False),
    ("x=[1,2]", False),
    ("x[2]=5", False),
    ("x[2]=5,x[0]=1", False),
    ("x[2]=5,x[2]=1", False),
    ("x[02]=5,x[2]=1", False),
    ("x=1,x[2]=1", False),
    ("s=a b,b=true", False),
    ("b=[true,2,False]", False),
    ("x=a", False),
    ("x=[a]", False),
    ("x[1]=a", False),
    ("y=inf", False),
    ("unknown=[1,2],x=3", True),
    ("unknown[1]=2,x=3", True),
]
SET = [
    ("rate", 2),
    ("rate", "2"),
    ("rate", True),
    ("rate", [1.0]),
    ("rate", None),
    ("units", 2.0),
    ("units", True),
    ("units", "2"),
    ("name", 3),
    ("name", "x"),
    ("flag", 1),
    ("flag", False),
    ("sizes", 3),
    ("sizes", [3.5]),
    ("sizes", []),
    ("sizes", (3, 4)),
    ("rates", [1, 2]),
    ("names", ["x", 3]),
    ("nothing", 3),
    ("nothing", [3]),
    ("pair", [8, 9]),
    ("missing", 3),
]
GET = [
    ("rate", None),
    ("rate", 3.0),
    ("rate", 3),
    ("rate", "3"),
    ("rate", [3.0]),
    ("units", 3.0),
    ("sizes", 3),
    ("sizes", [3]),
    ("sizes", ["x"]),
    ("missing", None),
    ("missing", "default"),
    ("nothing", 3),
]
JSON = [
    '{"rate": 0.5, "sizes": [9]}',
    '{"sizes": 9}',
    '{"missing": 9}',
    '{"units": 1.5}',
    '{"flag": false, "name": "x"}',
    "{}",
    "[]",
    "{",
]


def outcome(action):
    """Returns what an action returns, or its error: [type, message]."""
    try:
        return action()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        kind = ValueError if isinstance(error, ValueError) else type(error)
        return {"error": [kind.__name__, str(error)]}


def serialized(library):
    """Returns the message of hyperparameters of all types, as hexadecimal digits."""
    made = library.HParams(**{name: v for name, v in FIRST.items() if name != "nothing"})
    return made.to_proto().SerializeToString().hex()


def results(library):
    """Returns what comes of all cases, by their name.

    Args:
        library: tf.contrib.training.
    """
    make = library.HParams
    found = {}

    def add(kind, case, action):
        found[f"{kind}: {case}"] = outcome(action)

    for text in PARSED:
        add("parse", text, lambda text=text: make(**FIRST).parse(text).values())
    for text, ignore in VALUES:
        add(
            f"parse_values, {ignore}",
            text,
            lambda text=text, ignore=ignore: {
                name: sorted(value.items()) if isinstance(value, dict) else value
                for name, value in library.parse_values(text, TYPES, ignore).items()
            },
        )
    for name, value in SET:
        for method_name, method in (
            ("set_hparam", lambda h, n=name, v=value: h.set_hparam(n, v)),
            ("override_from_dict", lambda h, n=name, v=value: h.override_from_dict({n: v})),
        ):
            made = make(**FIRST)
            error = outcome(lambda method=method, made=made: method(made) and None)
            found[f"{method_name}: {name}={value!r}"] = [error, repr(made)]
    for name, default in GET:
        add(
            "get",
            f"{name}, {default!r}",
            lambda name=name, default=default: make(**FIRST).get(name, default),
        )
    for text in JSON:
        add("parse_json", text, lambda text=text: make(**FIRST).parse_json(text).values())
    _others(make, add)
    return found


def _others(make, add):
    """Adds the cases that are no lists of values."""

    def deleted():
        made = make(**FIRST)
        made.del_hparam("units")
        made.del_hparam("missing")
        return ["units" in made, "rate" in made, hasattr(made, "units"), made.get("units", 4)]

    def added():
        made = make()
        made.add_hparam("a.b", 3)
        made.parse("a.b=4")
        return [getattr(made, "a.b"), made.values()]

    def assigned():
        made = make(**FIRST)
        made.units = 9
        made.other = 1
        return [made.values(), "other" in made]

    def structure():
        made = make(model_structure="s", a=1)
        first = made.get_model_structure()
        made.set_model_structure("t")
        return [first, made.get_model_structure(), made.values()]

    def proto():
        first = {k: v for k, v in FIRST.items() if k != "nothing"}
        return sorted(make.from_proto(make(**first).to_proto()).values().items())

    def both():
        return make(hparam_def=make(a=1).to_proto(), b=2).values()

    add("other", "str", lambda: str(make(**FIRST)))
    add("other", "repr", lambda: repr(make(**FIRST)))
    add("other", "values", lambda: make(**FIRST).values())
    add("other", "to_json", lambda: make(**FIRST).to_json())
    add(
        "other",
        "to_json of a form",
        lambda: make(**FIRST).to_json(indent=1, separators=(",", ":"), sort_keys=True),
    )
    add("other", "set_from_map", lambda: make(**FIRST).set_from_map({"units": 8}).values())
    add("other", "deleted", deleted)
    add("other", "added", added)
    add("other", "assigned", assigned)
    add("other", "structure", structure)
    add("other", "proto", proto)
    add("other", "proto and values", both)
    add("other", "proto of a type without a place", lambda: str(make(nothing=None).to_proto()))
    add("other", "missing attribute", lambda: make(**FIRST).missing)
    add("other", "empty list", lambda: make(a=[]).values())
    for name in ("values", "parse", "_hparam_types", "get"):
        add("reserved", name, lambda name=name: make(**{name: 3}).values())
    add("reserved", "twice", lambda: make(a=3).add_hparam("a", 4))
    add("reserved", "after None", lambda: make(a=None).add_hparam("a", 4))
