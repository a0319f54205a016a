from __future__ import annotations

import pytest

from client.evaluation.scoring.mention_matching import Matching
from client.evaluation.scoring.pairing import pair_documents
from client.evaluation.scoring.units import KeyText
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, make_mention
from merger.errors import AlignmentError
from merger.notices import Notices, Policy
from tests.evaluation.scoring.merges import KEY, RESPONSE, documents, merged_text, parts_text

ONE = "#begin document ({name}); part 000\na -\nb (0)\nc -\n\nd (0)\n\n#end document\n"


def files(*names: str) -> list[Document]:
    return documents("".join(ONE.format(name=name) for name in names), "response.conll")


def test_documents_are_paired_by_id_in_the_order_of_the_key() -> None:
    pairs = list(pair_documents(files("x", "y", "z"), files("z", "x", "y"), Notices(Policy.STRICT)))

    assert [(key.id, response.id) for key, response in pairs] == [("x", "x"), ("y", "y"), ("z", "z")]


def test_a_document_that_the_response_lacks_counts_as_one_without_chains_with_a_notice() -> None:
    notices = Notices()
    pairs = list(pair_documents(files("x", "y", "z"), files("y"), notices))

    assert [(key.id, response.id, len(response.chains)) for key, response in pairs] == [
        ("x", "x", 0),
        ("y", "y", 1),
        ("z", "z", 0),
    ]
    (notice,) = notices
    assert (notice.count, notice.location.document) == (2, "x")


def test_a_document_that_the_key_lacks_is_left_out_with_a_notice() -> None:
    notices = Notices()
    pairs = list(pair_documents(files("x"), files("w", "x", "y"), notices))

    assert [key.id for key, _ in pairs] == ["x"]
    (notice,) = notices
    assert (notice.kind, notice.count) == ("extra document in the response", 2)
    assert str(notice).startswith("response.conll (document w): the response has a document that the key lacks")


@pytest.mark.parametrize(("key", "response"), [(["x", "y"], ["x"]), (["x"], ["x", "y"])])
def test_missing_and_extra_documents_are_errors_under_the_strict_policy(key: list[str], response: list[str]) -> None:
    with pytest.raises(AlignmentError, match=r"\(document y\)"):
        list(pair_documents(files(*key), files(*response), Notices(Policy.STRICT)))


def test_no_document_in_common_is_an_error_that_shows_both_names() -> None:
    with pytest.raises(AlignmentError, match=r"document x\).*no document of the key.*the response has 'nw/x'"):
        list(pair_documents(files("x"), files("nw/x"), Notices(Policy.LENIENT)))


def test_under_the_strict_policy_a_missing_document_is_an_error_that_shows_what_is_there() -> None:
    with pytest.raises(AlignmentError, match=r"lacks this document \(the response has 'nw/x'\)"):
        list(pair_documents(files("x"), files("nw/x"), Notices(Policy.STRICT)))


def token_error(key: str, response: str, policy: Policy = Policy.NORMAL) -> AlignmentError:
    (one,), (other,) = documents(key, "key.conll"), documents(response, "response.conll")
    with pytest.raises(AlignmentError) as caught:
        KeyText(one).units(other, Notices(policy))
    return caught.value


def test_the_first_token_that_differs_is_an_error_with_both_files_lines_and_tokens() -> None:
    text = ONE.format(name="x")
    error = token_error(text, "# a comment\n" + text.replace("c -", "C -").replace("d (0)", "D (0)"))

    assert str(error) == (
        "response.conll:5 (document x, part 0): token 2 of the document (from 0) is 'C'; "
        "expected 'c', as in the key at key.conll:4 (document x, part 0) "
        "(with policy lenient: mentions are aligned by token position)"
    )


@pytest.mark.parametrize("policy", list(Policy))
def test_a_token_too_few_or_too_many_is_an_error_under_every_policy(policy: Policy) -> None:
    text = ONE.format(name="x")
    shorter = text.replace("d (0)\n", "").replace("b (0)", "b -")

    error = token_error(text, shorter, policy)
    assert error.message == "token 3 of the document (from 0) is missing: the document ends before it"
    assert error.expected == "'d', as in the key at key.conll:6 (document x, part 0)"
    error = token_error(shorter, text, policy)
    assert error.message == "token 3 of the document (from 0) is 'd'"
    assert error.location.line == 6


def test_tokens_that_differ_are_aligned_by_position_under_the_lenient_policy() -> None:
    notices = Notices(Policy.LENIENT)
    (key,), (response,) = files("x"), documents(ONE.format(name="x").replace("c -", "C -"))

    (unit,) = KeyText(key).units(response, notices)

    assert unit.key == unit.response
    assert [notice.kind for notice in notices] == ["tokens differ"]


def without_part_1() -> str:
    before, _, last = parts_text().partition("#begin document (d); part 001")
    return before + "#begin document" + last.partition("#begin document")[2]


def test_a_part_that_the_response_lacks_counts_as_one_without_chains_with_a_notice() -> None:
    notices = Notices()
    (key,), (response,) = documents(parts_text(), "key.conll"), documents(without_part_1())

    first, second, third = KeyText(key).units(response, notices)

    assert [first.response, second.response, third.response] == [first.key, [], third.key]
    assert [str(notice) for notice in notices if notice.kind == "part missing in the response"] == [
        "key.conll (document d, part 1): the response lacks this part"
    ]


def test_under_the_strict_policy_a_missing_part_is_an_error() -> None:
    (key,), (response,) = documents(parts_text()), documents(without_part_1())

    with pytest.raises(AlignmentError, match="the response lacks this part"):
        KeyText(key).units(response, Notices(Policy.STRICT))


def test_a_part_that_the_key_lacks_is_left_out_with_a_notice() -> None:
    notices = Notices()
    (key,), (response,) = documents(without_part_1(), "key.conll"), documents(parts_text(), "response.conll")

    first, second = KeyText(key).units(response, notices)

    assert [first.response, second.response] == [first.key, second.key]
    assert [str(notice) for notice in notices] == [
        "response.conll (document d, part 1): the response has a part that the key lacks"
    ]


def test_of_a_response_to_a_key_of_one_part_only_that_part_counts() -> None:
    one, _, _ = parts_text().partition("#begin document (d); part 001")
    notices = Notices()
    (key,), (response,) = documents(one), documents(parts_text())

    (unit,) = KeyText(key).units(response, notices)

    assert unit.response == unit.key
    assert [(notice.kind, notice.count) for notice in notices] == [("extra part in the response", 2)]


def test_under_the_strict_policy_a_part_that_the_key_lacks_is_an_error() -> None:
    (key,), (response,) = documents(without_part_1()), documents(parts_text())

    with pytest.raises(AlignmentError, match="the response has a part that the key lacks"):
        KeyText(key).units(response, Notices(Policy.STRICT))


def test_parts_with_other_sentences_are_an_error_that_names_the_parts() -> None:
    (key,), (response,) = documents(without_part_1()), documents(parts_text().replace("\n\nd 0 0", "\nd 0 0"))

    with pytest.raises(AlignmentError) as caught:
        KeyText(key).units(response, Notices())

    assert caught.value.hint == "the key has the parts 0, 2, the response 0, 1, 2"


def test_chains_that_are_local_to_the_same_parts_are_scored_part_by_part() -> None:
    (key,), (response,) = documents(parts_text()), documents(parts_text(RESPONSE))
    units = KeyText(key).units(response, Notices())

    assert [unit.part for unit in units] == [0, 1, 2]
    assert [len(unit.key) for unit in units] == [len(unit.response) for unit in units] == [3, 2, 2]


@pytest.mark.parametrize("with_parts", [True, False])
def test_a_key_in_one_block_meets_a_response_in_parts_and_the_other_way_round(*, with_parts: bool) -> None:
    """Mentions are the same tokens whatever the parts: seven pairs of tokens, in three chains and in seven."""
    (one,), (other,) = documents(merged_text(KEY, with_parts=with_parts)), documents(parts_text())

    for key, response in ((one, other), (other, one)):
        (unit,) = KeyText(key).units(response, Notices())
        assert {mention for chain in unit.key for mention in chain} == {
            mention for chain in unit.response for mention in chain
        }
        assert {len(unit.key), len(unit.response)} == {3, 7}


def test_other_sentence_boundaries_do_not_matter() -> None:
    text = ONE.format(name="x")
    (key,), (response,) = documents(text), documents(text.replace("a -\n", "a -\n\n"))

    (unit,) = KeyText(key).units(response, Notices())

    assert [set(chain) for chain in unit.key] == [set(chain) for chain in unit.response]


def with_empty_node() -> Document:
    """Words a b with an empty node between them; one mention is b and the node, one the node alone, one a and b."""
    sentence = Sentence(("a", "E", "b"), empty=(1,))
    mentions = (Mention(0, 0, 1, 2), Mention(0, 0, 1, 1), make_mention(0, 0, ((0, 0), (2, 2))))
    return Document("d", (Part((sentence,)),), (Chain("0", mentions),), ChainScope.PART)


def test_a_format_without_empty_nodes_misses_mentions_of_nothing_else_and_has_all_others() -> None:
    (response,) = documents("#begin document (d); part 000\na (0\nb (0)|0)\n#end document\n")

    (unit,) = KeyText(with_empty_node()).units(response, Notices())

    ((key,), (found,)) = unit.key, unit.response
    assert (len(key), len(found), len(set(key) & set(found))) == (3, 2, 2)


def test_empty_nodes_of_both_sides_count() -> None:
    (unit,) = KeyText(with_empty_node()).units(with_empty_node(), Notices())

    assert [len(chain) for chain in unit.key] == [3]


def test_a_document_with_the_text_of_the_key_takes_the_parts_of_the_key_and_is_not_compared_again() -> None:
    (key,), (same,), (other,) = (documents(text) for text in (merged_text(KEY), parts_text(), without_part_1()))
    shared = KeyText(key).share(same)

    assert shared.parts is key.parts
    assert shared.chains == same.chains
    assert KeyText(key).share(other) is other
    # Heads and empty nodes belong to a document's own sentences.
    assert KeyText(key, Matching("head")).share(same) is same
    zeros = with_empty_node()
    assert KeyText(with_empty_node()).share(zeros) is zeros
