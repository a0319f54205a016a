"""Small documents at the edges of the metrics' definitions, and what the official scorer printed for them.

The numbers are those of the official scorer (v8.01, https://github.com/conll/reference-coreference-scorers),
one metric per run, each document in files of its own and, as `total`, all of them in one key and one response
file. None is from this project.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """One line of the official scorer: two fractions, and F1 in percent, cut after two digits."""

    recall_numerator: float
    recall_denominator: float
    precision_numerator: float
    precision_denominator: float
    f1_percent: float


Chains = list[list[int]]

# name: (key, response); chains are separated by bars, mentions are numbers.
_DOCUMENTS = {
    "empty_both": ("", ""),
    "empty_response": ("0 1 | 2 3", ""),
    "empty_key": ("", "0 1 | 2 3"),
    "one_mention_in_both": ("0", "0"),
    "one_mention_in_key": ("0", "0 1 | 2"),
    "one_chain_in_both": ("0 1 2", "0 1 2"),
    "one_chain_in_key": ("0 1 2", "0 1 | 2"),
    "one_chain_in_key_singletons_in_response": ("0 1 2", "0 | 1 | 2"),
    "one_chain_in_response": ("0 1 | 2", "0 1 2"),
    "singletons_in_key": ("0 | 1 | 2", "0 1 | 2"),
    "singletons_in_both": ("0 | 1 | 2", "0 | 1 | 2"),
    "singletons_in_response": ("0 1 | 2", "0 | 1 | 2"),
    "singletons_in_key_one_chain_in_response": ("0 | 1 | 2", "0 1 2"),
    "disjoint": ("0 1 | 2", "3 4 | 5 6"),
    "mixed": ("0 1 2 | 3 4 | 5", "0 1 | 2 3 | 4 7 | 8 | 5"),
}

# "links" and "non-links" are the two kinds that BLANC is made of.
_PRINTED = """
document                                 metric            recall                  precision         F1
empty_both                               mentions                   0 /  0                   0 /  0       0
empty_both                               muc                        0 /  0                   0 /  0       0
empty_both                               bcub                       0 /  0                   0 /  0       0
empty_both                               ceafe                      0 /  0                   0 /  0       0
empty_both                               ceafm                      0 /  0                   0 /  0       0
empty_both                               links                      0 /  0                   0 /  0       0
empty_both                               non-links                  0 /  0                   0 /  0       0
empty_both                               blanc                      0 /  1                   0 /  1       0
empty_response                           mentions                   0 /  4                   0 /  0       0
empty_response                           muc                        0 /  2                   0 /  0       0
empty_response                           bcub                       0 /  4                   0 /  0       0
empty_response                           ceafe                      0 /  2                   0 /  0       0
empty_response                           ceafm                      0 /  4                   0 /  0       0
empty_response                           links                      0 /  2                   0 /  0       0
empty_response                           non-links                  0 /  4                   0 /  0       0
empty_response                           blanc                      0 /  1                   0 /  1       0
empty_key                                mentions                   0 /  0                   0 /  4       0
empty_key                                muc                        0 /  0                   0 /  2       0
empty_key                                bcub                       0 /  0                   0 /  4       0
empty_key                                ceafe                      0 /  0                   0 /  2       0
empty_key                                ceafm                      0 /  0                   0 /  4       0
empty_key                                links                      0 /  0                   0 /  2       0
empty_key                                non-links                  0 /  0                   0 /  4       0
empty_key                                blanc                      0 /  1                   0 /  1       0
one_mention_in_both                      mentions                   1 /  1                   1 /  1     100
one_mention_in_both                      muc                        0 /  0                   0 /  0       0
one_mention_in_both                      bcub                       1 /  1                   1 /  1     100
one_mention_in_both                      ceafe                      1 /  1                   1 /  1     100
one_mention_in_both                      ceafm                      1 /  1                   1 /  1     100
one_mention_in_both                      links                      0 /  0                   0 /  0       0
one_mention_in_both                      non-links                  0 /  0                   0 /  0       0
one_mention_in_both                      blanc                      0 /  1                   0 /  1       0
one_mention_in_key                       mentions                   1 /  1                   1 /  3      50
one_mention_in_key                       muc                        0 /  0                   0 /  1       0
one_mention_in_key                       bcub                       1 /  1                 0.5 /  3   28.57
one_mention_in_key                       ceafe      0.666666666666667 /  1   0.666666666666667 /  2   44.44
one_mention_in_key                       ceafm                      1 /  1                   1 /  3      50
one_mention_in_key                       links                      0 /  0                   0 /  1       0
one_mention_in_key                       non-links                  0 /  0                   0 /  2       0
one_mention_in_key                       blanc                      0 /  1                   0 /  1       0
one_chain_in_both                        mentions                   3 /  3                   3 /  3     100
one_chain_in_both                        muc                        2 /  2                   2 /  2     100
one_chain_in_both                        bcub                       3 /  3                   3 /  3     100
one_chain_in_both                        ceafe                      1 /  1                   1 /  1     100
one_chain_in_both                        ceafm                      3 /  3                   3 /  3     100
one_chain_in_both                        links                      3 /  3                   3 /  3     100
one_chain_in_both                        non-links                  0 /  0                   0 /  0       0
one_chain_in_both                        blanc                      1 /  1                   1 /  1     100
one_chain_in_key                         mentions                   3 /  3                   3 /  3     100
one_chain_in_key                         muc                        1 /  2                   1 /  1   66.66
one_chain_in_key                         bcub        1.66666666666667 /  3                   3 /  3   71.42
one_chain_in_key                         ceafe                    0.8 /  1                 0.8 /  2   53.33
one_chain_in_key                         ceafm                      2 /  3                   2 /  3   66.66
one_chain_in_key                         links                      1 /  3                   1 /  1      50
one_chain_in_key                         non-links                  0 /  0                   0 /  2       0
one_chain_in_key                         blanc      0.333333333333333 /  1                   1 /  1      50
one_chain_in_key_singletons_in_response  mentions                   3 /  3                   3 /  3     100
one_chain_in_key_singletons_in_response  muc                        0 /  2                   0 /  0       0
one_chain_in_key_singletons_in_response  bcub                       1 /  3                   3 /  3      50
one_chain_in_key_singletons_in_response  ceafe                    0.5 /  1                 0.5 /  3      25
one_chain_in_key_singletons_in_response  ceafm                      1 /  3                   1 /  3   33.33
one_chain_in_key_singletons_in_response  links                      0 /  3                   0 /  0       0
one_chain_in_key_singletons_in_response  non-links                  0 /  0                   0 /  3       0
one_chain_in_key_singletons_in_response  blanc                      0 /  1                   0 /  1       0
one_chain_in_response                    mentions                   3 /  3                   3 /  3     100
one_chain_in_response                    muc                        1 /  1                   1 /  2   66.66
one_chain_in_response                    bcub                       3 /  3    1.66666666666667 /  3   71.42
one_chain_in_response                    ceafe                    0.8 /  2                 0.8 /  1   53.33
one_chain_in_response                    ceafm                      2 /  3                   2 /  3   66.66
one_chain_in_response                    links                      1 /  1                   1 /  3      50
one_chain_in_response                    non-links                  0 /  2                   0 /  0       0
one_chain_in_response                    blanc                    0.5 /  1   0.166666666666667 /  1      25
singletons_in_key                        mentions                   3 /  3                   3 /  3     100
singletons_in_key                        muc                        0 /  0                   0 /  1       0
singletons_in_key                        bcub                       3 /  3                   2 /  3      80
singletons_in_key                        ceafe       1.66666666666667 /  3    1.66666666666667 /  2   66.66
singletons_in_key                        ceafm                      2 /  3                   2 /  3   66.66
singletons_in_key                        links                      0 /  0                   0 /  1       0
singletons_in_key                        non-links                  2 /  3                   2 /  2      80
singletons_in_key                        blanc      0.666666666666667 /  1                   1 /  1      80
singletons_in_both                       mentions                   3 /  3                   3 /  3     100
singletons_in_both                       muc                        0 /  0                   0 /  0       0
singletons_in_both                       bcub                       3 /  3                   3 /  3     100
singletons_in_both                       ceafe                      3 /  3                   3 /  3     100
singletons_in_both                       ceafm                      3 /  3                   3 /  3     100
singletons_in_both                       links                      0 /  0                   0 /  0       0
singletons_in_both                       non-links                  3 /  3                   3 /  3     100
singletons_in_both                       blanc                      1 /  1                   1 /  1     100
singletons_in_response                   mentions                   3 /  3                   3 /  3     100
singletons_in_response                   muc                        0 /  1                   0 /  0       0
singletons_in_response                   bcub                       2 /  3                   3 /  3      80
singletons_in_response                   ceafe       1.66666666666667 /  2    1.66666666666667 /  3   66.66
singletons_in_response                   ceafm                      2 /  3                   2 /  3   66.66
singletons_in_response                   links                      0 /  1                   0 /  0       0
singletons_in_response                   non-links                  2 /  2                   2 /  3      80
singletons_in_response                   blanc                    0.5 /  1   0.333333333333333 /  1      40
singletons_in_key_one_chain_in_response  mentions                   3 /  3                   3 /  3     100
singletons_in_key_one_chain_in_response  muc                        0 /  0                   0 /  2       0
singletons_in_key_one_chain_in_response  bcub                       3 /  3                   1 /  3      50
singletons_in_key_one_chain_in_response  ceafe                    0.5 /  3                 0.5 /  1      25
singletons_in_key_one_chain_in_response  ceafm                      1 /  3                   1 /  3   33.33
singletons_in_key_one_chain_in_response  links                      0 /  0                   0 /  3       0
singletons_in_key_one_chain_in_response  non-links                  0 /  3                   0 /  0       0
singletons_in_key_one_chain_in_response  blanc                      0 /  1                   0 /  1       0
disjoint                                 mentions                   0 /  3                   0 /  4       0
disjoint                                 muc                        0 /  1                   0 /  2       0
disjoint                                 bcub                       0 /  3                   0 /  4       0
disjoint                                 ceafe                      0 /  2                   0 /  2       0
disjoint                                 ceafm                      0 /  3                   0 /  4       0
disjoint                                 links                      0 /  1                   0 /  2       0
disjoint                                 non-links                  0 /  2                   0 /  4       0
disjoint                                 blanc                      0 /  1                   0 /  1       0
mixed                                    mentions                   6 /  6                   6 /  8   85.71
mixed                                    muc                        1 /  3                   1 /  3   33.33
mixed                                    bcub        3.66666666666667 /  6                 4.5 /  8   58.57
mixed                                    ceafe                    2.3 /  3                 2.3 /  5    57.5
mixed                                    ceafm                      4 /  6                   4 /  8   57.14
mixed                                    links                      1 /  4                   1 /  3   28.57
mixed                                    non-links                 10 / 11                  10 / 25   55.55
mixed                                    blanc      0.579545454545455 /  1   0.366666666666667 /  1   42.06
total                                    mentions                  32 / 39                  32 / 44    77.1
total                                    muc                        5 / 14                   5 / 16   33.33
total                                    bcub        25.3333333333333 / 39    25.6666666666667 / 44   61.46
total                                    ceafe                   13.9 / 25                13.9 / 28   52.45
total                                    ceafm                     22 / 39                  22 / 44   53.01
total                                    links                      6 / 18                   6 / 19   32.43
total                                    non-links                 17 / 30                  17 / 48   43.58
total                                    blanc                   0.45 /  1   0.334978070175439 /  1   38.01
"""


def documents() -> dict[str, tuple[Chains, Chains]]:
    """Key and response chains by document name."""
    return {name: (_chains(key), _chains(response)) for name, (key, response) in _DOCUMENTS.items()}


def printed() -> dict[str, dict[str, Printed]]:
    """What the official scorer printed, by document name (or `total`) and metric name."""
    table: dict[str, dict[str, Printed]] = {}
    for line in _PRINTED.strip().splitlines()[1:]:
        document, metric, *numbers = line.replace("/", " ").split()
        table.setdefault(document, {})[metric] = Printed(*map(float, numbers))
    return table


def _chains(text: str) -> Chains:
    return [[int(mention) for mention in chain.split()] for chain in text.split("|") if chain.strip()]
