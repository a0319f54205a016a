"""What the document browser gets, of documents read by the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from client.evaluation.comparison.contenders import StrategyContender, attempt
from client.evaluation.comparison.data import Setup, StrategyOutcomes
from client.evaluation.comparison.summary import compare
from client.evaluation.comparison.task import make_task
from client.report.browser_data import documents_data, index_data
from merger.formats import read_documents
from merger.notices import Notices
from merger.strategies import make_strategy


def name_of(tmp_path: Path, words: str, tags: str, mentions: list[tuple[int, int]]) -> str:
    """The mention that names a chain of one sentence; tags are Penn tags, or none."""
    tokens = words.split()
    document: dict[str, Any] = {
        "doc_key": "d",
        "sentences": [tokens, ["end"]],
        "part_ids": [0, 1],
        "clusters": [[list(each) for each in mentions]],
    }
    if tags:
        document["pos"] = [tags.split(), ["NN"]]
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(document) + "\n", "utf-8")
    (read,) = read_documents(str(path))
    task = make_task(read, read)
    contender = StrategyContender("none", make_strategy("none"))
    strategy = StrategyOutcomes("none", "none", (attempt(contender, task, Notices()),))
    made = compare([task.facts], [strategy], Setup("key", "given", "dropped", "c"), gold_merges=[task.known_gold])
    (data,) = documents_data(made)
    (chain,) = data["chains"]
    (sentence, ((first, last),)) = chain["mentions"][chain["name"]]
    assert index_data(made)["documents"][0]["wrong"] == [0]
    return " ".join(data["parts"][0]["sentences"][sentence]["tokens"][first : last + 1])


@pytest.mark.parametrize(
    ("words", "tags", "mentions", "name"),
    [
        # A proper noun before a longer noun, a noun before a pronoun, and of proper nouns the longest.
        ("she the tall woman Ann", "PRP DT JJ NN NNP", [(0, 0), (1, 3), (4, 4)], "Ann"),
        ("she the woman they", "PRP DT NN PRP", [(0, 0), (1, 2), (3, 3)], "the woman"),
        ("Ann Dr Ann Lee she", "NNP NNP NNP NNP PRP", [(0, 0), (1, 3), (4, 4)], "Dr Ann Lee"),
        ("Ann 's cat Ann", "NNP POS NN NNP", [(0, 1), (3, 3)], "Ann"),
        # Too long for a name: 30 words of one letter are 59 characters, 31 are 61.
        (f"{'a ' * 30}b {'a ' * 29}b", f"{'DT ' * 30}NN {'DT ' * 29}NN", [(0, 30), (31, 60)], f"{'a ' * 29}b"),
        # Without tags the longest.
        ("she the woman", "", [(0, 0), (1, 2)], "the woman"),
    ],
)
def test_a_chain_goes_by_its_most_telling_mention(
    tmp_path: Path, words: str, tags: str, mentions: list[tuple[int, int]], name: str
) -> None:
    assert name_of(tmp_path, words, tags, mentions) == name
