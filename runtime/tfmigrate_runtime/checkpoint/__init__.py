"""``tfmigrate checkpoint``: converts checkpoints of TensorFlow 1.x for migrated programs, and back.

``cli`` reads the command line and runs the migrated program with ``in_program``. ``watch`` stops it
as soon as its model or its ``tf.train.Checkpoint`` is used, which are in ``targets``; ``alone``
lets programs of clusters run without their cluster. Then ``paired`` pairs the program's variables
with those of the checkpoint, as ``tfmigrate verify`` pairs them, and the values are copied.
"""
