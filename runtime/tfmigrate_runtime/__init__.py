"""The dynamic side of tfmigrate: what migrated programs import, and what verifies them.

Importing this package does not import tensorflow; its subpackage ``estimator`` does.
"""
