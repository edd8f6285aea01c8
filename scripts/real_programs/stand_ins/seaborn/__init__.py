"""Nothing is drawn."""


def set(*arguments, **options):
    """Sets no style."""
