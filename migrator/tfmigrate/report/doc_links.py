"""Where the pages that the output points to are."""

PROJECT = "https://github.com/tfmigrate/tfmigrate"


def page_of(code: str) -> str:
    """Returns the address of the page of a rule or an error."""
    if not code.startswith("TFM"):  # a rule of another package
        return f"{PROJECT}/blob/main/docs/how_to/own_rules.md"
    return f"{PROJECT}/blob/main/docs/rules/{code}.md"
