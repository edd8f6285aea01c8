"""``tfmigrate doctor``: lists names that the installed packages do not have."""
