"""The packages of the runtime, one a file, as the migrator knows them.

The migrator does not import the runtime; a test compares these tables with it.
"""
