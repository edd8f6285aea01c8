"""``tfmigrate checkpoint``: converts checkpoints of TensorFlow 1.x to those of Keras, and back.

``cli`` reads the command line and runs the migrated program with ``in_program``, which stops it as
soon as its model is used. Then ``model`` pairs the model's variables with those of the checkpoint,
as ``tfmigrate verify`` pairs them, and the values are copied.
"""
