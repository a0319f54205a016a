"""Finds tokens that can refer to an entity in text without part-of-speech tags: all but a closed list of words.

The list has pronouns and function words (articles, prepositions, conjunctions, auxiliaries, some adverbs). It is data:
``en.txt`` beside this module, which names its source. The other words are nouns, verbs, adjectives and most adverbs:
the list separates *she* from *the mayor*, but not nouns from verbs.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from merger.document import Sentence

LANGUAGES = ("en", "other")
"""``other`` is any language without a list: see :func:`content_flags`."""


def content_flags(sentence: Sentence, language: str) -> tuple[bool, ...]:
    """For each token whether it can refer to an entity.

    Numbers, punctuation and empty nodes never do. In English (``en``) every other word does that is not on the list;
    contractions count as the words that they are made of (*'ll*, *n't*). Words in capitals, as in *the US*, are on the
    list only where the whole sentence is in capitals.

    In any ``other`` language a word does if it begins with a capital letter and is not the first word of its sentence,
    or if its first letter has no case, as in Chinese or Arabic. So names are found, in German all nouns, and in scripts
    without case everything, pronouns too.
    """
    forms, empty = sentence.forms, sentence.empty
    if language == "en":
        listed = _english()
        # In a headline capitals carry no information.
        names = any(form.islower() for form in forms)
        flags = [
            any(map(str.isalpha, form)) and ((names and len(form) > 1 and form.isupper()) or _plain(form) not in listed)
            for form in forms
        ]
    else:
        first = next((index for index, form in enumerate(forms) if any(map(str.isalpha, form))), 0)
        flags = [_is_name(form, starts=index == first) for index, form in enumerate(forms)]
    for index in empty:
        flags[index] = False
    return tuple(flags)


def _plain(form: str) -> str:
    return form.casefold().replace("\u2019", "'")


def _is_name(form: str, *, starts: bool) -> bool:
    letter = next(filter(str.isalpha, form), "")
    if letter.lower() == letter.upper():
        return bool(letter)
    return letter.isupper() and not starts


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    text = files(__name__).joinpath("en.txt").read_text(encoding="utf-8")
    words = {word for line in text.splitlines() if (word := line.strip()) and not word.startswith("#")}
    # Treebanks cut contractions: "you'll" into "you" and "'ll", "isn't" into "is" and "n't".
    for word in list(words):
        start, apostrophe, end = word.rpartition("'")
        if apostrophe:
            words.update(("n't", start.removesuffix("n")) if word.endswith("n't") else (f"'{end}", start))
    return frozenset(words)
