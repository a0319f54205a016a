"""Taggers beside gold tags, and merging without tags beside merging with them.

    python -m benchmarks.tagging TAGGED_CORPUS UNTAGGED_CORPUS [--first N] [--stanza-model PATH] [--write]

TAGGED_CORPUS has whole-document chains and gold Penn tags (OntoGUM), UNTAGGED_CORPUS whole-document chains and no tags
(LitBank). Speed is wall time of one run, in which the taggers take turns document by document, so that ratios
hold on a busy machine; loading is left out. With --write the tables go to docs/performance.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from benchmarks.results import machine, table, write_section
from client.evaluation.scoring.evaluate import evaluate
from client.evaluation.scoring.render import percent
from merger import Cut, MergeTask, Notices, Policy, ReadOptions, make_strategy, merge_document, read_documents
from merger import split_document as split
from merger.document import Document
from merger.strategies import parse_spec
from merger.taggers import TAGGERS, Tagger, Tagging, make_tagger, without_tags

_SIZES = (400, 2000)
_UNTAGGED = ("greedy:match=mention", "greedy:match=mention,one-to-one", "greedy:match=token", "greedy:match=fuzzy")
_LITERAL = "greedy"

Tag = Callable[[Document], Document]


def main() -> None:
    """Parse the command line, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tagged")
    parser.add_argument("untagged")
    parser.add_argument("--first", type=int, help="only so many documents of each corpus")
    parser.add_argument("--stanza-model", help="a Stanza tagger (.pt); Stanza's official one by default")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/performance.md")
    arguments = parser.parse_args()
    gold = _read(arguments.tagged, arguments.first)
    bare = _read(arguments.untagged, arguments.first)
    taggers, left_out = _taggers(arguments.stanza_model)
    tagged = _tag_all(taggers, gold)
    on_gold = (
        f"`python -m benchmarks.tagging`, {machine()}. Taggers on {len(gold)} documents with gold tags, "
        f"{sum(document.token_count for document in gold):,} tokens, whose tags were removed."
    )
    never_tagged = sum(document.token_count for document in bare)
    lines = [
        "## Taggers and text without tags",
        "",
        on_gold,
        "",
        *_quality(tagged, gold, {name: tagger.signature for name, tagger in taggers.items()}),
        "",
        *(f"Left out here: {reason}" for reason in left_out),
        *([""] if left_out else []),
        f"Merges of the literal rule (parts of {_SIZES[0]} tokens) by predicted tags beside those by gold tags:",
        "",
        *_changed({name: documents for name, (documents, _) in tagged.items()}, gold),
        "",
        "Merging without tags beside merging with gold tags: decisions that differ, and CoNLL F1.",
        "",
        *_without(gold),
        "",
        f"Merging {len(bare)} documents that never had tags, {never_tagged:,} tokens: CoNLL F1.",
        "",
        *_never(bare, taggers),
    ]
    print("\n".join(lines))
    if arguments.write:
        write_section("tagging", lines)
    for tagger in taggers.values():
        tagger.close()


def _read(path: str, first: int | None) -> list[Document]:
    documents = []
    for document in read_documents(path, None, ReadOptions(Notices(Policy.LENIENT))):
        documents.append(document)
        if len(documents) == first:
            break
    return documents


def _taggers(stanza_model: str | None) -> tuple[dict[str, Tagger], list[str]]:
    """Those that can run here, loaded, and why the others cannot."""
    made, left_out = {}, []
    for name in TAGGERS:
        options = {"model": stanza_model} if name == "stanza" and stanza_model else {}
        tagger = make_tagger(name, options)
        try:
            reason = tagger.missing()
            if reason is None:
                Tagging(tagger).tag(_sample(), Notices())
                made[name] = tagger
        except Exception as error:  # noqa: BLE001  # a benchmark goes on with the taggers that work
            reason = str(error).partition(": ConnectionError")[0]
        if reason is not None:
            left_out.append(f"{name}: {reason}")
    return made, left_out


def _sample() -> Document:
    from merger.document import Part, Sentence

    return Document("sample", (Part((Sentence(("Ann", "left", ".")),)),), ())


def _tag_all(taggers: dict[str, Tagger], gold: Sequence[Document]) -> dict[str, tuple[list[Document], float]]:
    documents: dict[str, list[Document]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for document in gold:
        bare = without_tags(document)
        for name, tagger in taggers.items():
            begin = perf_counter()
            documents[name].append(Tagging(tagger).tag(bare, Notices()).document)
            seconds[name] += perf_counter() - begin
    return {name: (documents[name], seconds[name]) for name in taggers}


def _quality(
    tagged: dict[str, tuple[list[Document], float]], gold: Sequence[Document], signatures: dict[str, str]
) -> list[str]:
    tokens = sum(document.token_count for document in gold)
    quickest = min(seconds for _, seconds in tagged.values())
    rows = []
    for name, (documents, seconds) in tagged.items():
        right = both = found = wanted = total = 0
        for one, other in zip(documents, gold, strict=True):
            for mine, theirs in zip(_tags(one), _tags(other), strict=True):
                is_noun, is_gold = mine.startswith("NN"), theirs.startswith("NN")
                total += 1
                right += mine == theirs
                both += is_noun and is_gold
                found += is_noun
                wanted += is_gold
        rows.append(
            (
                signatures[name],
                f"{tokens / seconds:,.0f}",
                f"{seconds / quickest:.1f}",
                f"{100 * right / total:.2f}",
                f"{100 * both / found:.2f}",
                f"{100 * both / wanted:.2f}",
            )
        )
    return table(("tagger", "tokens/s", "time, ratio", "tags right %", "nouns P %", "nouns R %"), rows)


def _tags(document: Document) -> list[str]:
    return [
        (sentence.xpos or ("",) * len(sentence.forms))[index]
        for part in document.parts
        for sentence in part.sentences
        for index in range(len(sentence.forms))
        if index not in sentence.empty
    ]


def _changed(tagged: dict[str, list[Document]], gold: Sequence[Document]) -> list[str]:
    rows = []
    tasks = [split(document, Cut.TOKENS, _SIZES[0]) for document in gold]
    base, score = _merge(_LITERAL, tasks)
    rows.append(("gold tags", "0", percent(score)))
    for name, documents in tagged.items():
        others, score = _merge(_LITERAL, [split(document, Cut.TOKENS, _SIZES[0]) for document in documents])
        rows.append((name, _differing(base, others), percent(score)))
    return table(("tags", "decisions that differ", "CoNLL F1"), rows)


def _without(gold: Sequence[Document]) -> list[str]:
    rows = []
    for spec in _UNTAGGED:
        cells = [spec]
        for size in _SIZES:
            tasks = [split(document, Cut.TOKENS, size) for document in gold]
            bare = [replace(task, parts=without_tags(task.parts)) for task in tasks]
            with_tags, score = _merge(spec, tasks)
            without, bare_score = _merge(spec, bare)
            cells += [_differing(with_tags, without), percent(score), percent(bare_score)]
        rows.append(cells)
    header = ["strategy"]
    for size in _SIZES:
        header += [f"differ ({size})", f"tags ({size})", f"no tags ({size})"]
    return table(header, rows)


def _never(bare: Sequence[Document], taggers: dict[str, Tagger]) -> list[str]:
    cut = {size: [split(document, Cut.TOKENS, size) for document in bare] for size in _SIZES}
    rows = [[spec, *(percent(_merge(spec, cut[size])[1]) for size in _SIZES)] for spec in ("none", *_UNTAGGED)]
    if "spacy" in taggers:
        tagging = Tagging(taggers["spacy"])
        tagged = {
            size: [replace(task, parts=tagging.tag(task.parts, Notices()).document) for task in tasks]
            for size, tasks in cut.items()
        }
        rows += [
            [f"{spec}, tagger spacy", *(percent(_merge(spec, tagged[size])[1]) for size in _SIZES)]
            for spec in (_LITERAL, *_UNTAGGED)
        ]
    return table(["strategy", *(f"parts of {size} tokens" for size in _SIZES)], rows)


Decisions = list[tuple[object, object]]


def _merge(spec: str, tasks: Sequence[MergeTask]) -> tuple[Decisions, float | None]:
    strategy = make_strategy(*parse_spec(spec))
    results = [merge_document(task.parts, strategy, key=task.key) for task in tasks]
    evaluation = evaluate([task.key for task in tasks], [each.document for each in results])
    decisions: Decisions = [
        (each.chain, each.antecedent) for result in results for each in result.decisions if each.chain.part
    ]
    return decisions, evaluation.total.conll_f1


def _differing(one: Decisions, other: Decisions) -> str:
    differ = sum(mine != theirs for mine, theirs in zip(one, other, strict=True))
    return f"{differ} of {len(one)}"


if __name__ == "__main__":
    main()
