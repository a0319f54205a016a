"""MkDocs hook: pages link to files of the repository that the site does not have; there, only the link's text stays."""

import re

_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!adr/)[^)]*\)")


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page with links out of ``docs/`` as plain text."""
    return _OUTSIDE.sub(r"\1", markdown)
