"""The rules of ``--target keras``, which tfmigrate finds by the entry point ``tfmigrate.rules``."""
