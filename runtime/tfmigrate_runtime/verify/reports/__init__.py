"""What a verdict looks like: on a terminal, as JSON, as a page and in Markdown.

Begin with ``report``, whose words all of them share; ``written_reports`` has the result of
``verify`` and the files it writes.
"""
