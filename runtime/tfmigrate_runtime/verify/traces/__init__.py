"""What the recorder wrote, as the comparing process reads it.

Begin with ``trace``: the recorded training of one task. ``recording`` has the traces of all tasks
of a program, ``states_file`` hands a recording's states to the recorder of another program, and
``binding`` decides which program a stored trace belongs to.
"""
