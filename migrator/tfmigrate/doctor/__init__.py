"""``tfmigrate doctor``: names that the installed packages do not have."""
