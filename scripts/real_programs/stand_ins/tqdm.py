"""Bars of progress that show nothing."""


def tqdm(iterable=None, *arguments, **options):
    """Returns what is iterated over."""
    return iterable


def trange(*arguments, **options):
    """Returns a range."""
    return range(*arguments)
