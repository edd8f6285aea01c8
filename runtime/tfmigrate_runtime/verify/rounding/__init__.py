"""How far two programs may differ and still train the same, and what rounding does to that.

Begin with ``tolerance``, the one rule for all that is compared, and ``updates``, how far a step
moves a variable. ``noise`` measures rounding by runs from states that are moved by it, ``samples``
makes as many as a difference needs. ``switches`` has decisions that rounding makes;
``scaled_updates`` and ``update_lengths`` find faults that no rounding explains.
"""
