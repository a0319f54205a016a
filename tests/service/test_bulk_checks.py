"""What is done in bulk on the way through the service says the same as what is done piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import event, given
from hypothesis import strategies as st

from merger.decisions.model import Decision, Evidence, MentionPair
from merger.document import Chain, ChainRef, Mention, chain_order, text_order
from protos.convert.decisions import add_decisions, decision_from_message
from protos.convert.documents import part_from_message
from protos.limits import Longest
from protos.merge_baseline import v1
from service.request_limits import part_excess
from service.request_validation import is_sound, part_violations

few = st.integers(0, 3)


@st.composite
def columns(draw: st.DrawFn) -> v1.Sentence:
    """A sentence with a column of the right length, or of another one, or with indexes that may be of no token."""
    length = draw(few)

    def column(entries: st.SearchStrategy[int]) -> list[int]:
        return draw(st.just([]) | st.lists(entries, min_size=length, max_size=length) | st.lists(entries, max_size=3))

    sentence = v1.Sentence(forms=["a"] * length)
    match draw(st.sampled_from(("xpos", "upos", "speakers", "heads", "empty"))):
        case "heads":
            sentence.heads.extend(column(st.integers(-2, 3)))
        case "empty":
            sentence.empty_nodes.extend(draw(st.lists(few, max_size=3)))
        case name:
            getattr(sentence, name).extend(map(str, column(few)))
    return sentence


def mention(sentence: int, *spans: tuple[int, int]) -> v1.Mention:
    """From the first span to the last one, which are its pieces if they are several."""
    pieces = [v1.Span(first=first, last=last) for first, last in spans] if len(spans) > 1 else []
    return v1.Mention(sentence=sentence, first=spans[0][0], last=spans[-1][1], pieces=pieces)


sound_mentions = st.builds(mention, st.just(0), st.sampled_from(((0, 0), (0, 1), (1, 1), (0, 2), (2, 2)))) | st.just(
    mention(0, (0, 0), (2, 2))
)
mentions = (
    sound_mentions
    | st.builds(mention, st.integers(0, 2), st.tuples(few, few))
    | st.builds(
        v1.Mention,
        first=few,
        last=few,
        pieces=st.lists(st.builds(v1.Span, first=few, last=few), max_size=3),
    )
    | st.builds(mention, st.just(0), st.just((0, 0)), st.tuples(few, few), st.tuples(few, few))
)


parts = st.builds(
    v1.Part,
    number=st.sampled_from((0, 1, 999_999_999, 1_000_000_000, -1)),
    sentences=st.lists(columns(), max_size=1).map(lambda more: [v1.Sentence(forms=["a", "b", "c"]), *more]),
    chains=st.lists(
        st.builds(v1.Chain, id=st.sampled_from("wxyz"), mentions=st.lists(mentions, min_size=1, max_size=2))
        | st.builds(v1.Chain, id=st.sampled_from("xy"), mentions=st.lists(sound_mentions, max_size=2)),
        max_size=2,
    ),
)


@given(message=parts)
def test_a_part_is_sound_if_and_only_if_nothing_in_it_is_a_violation(message: v1.Part) -> None:
    violations = list(part_violations(message, "part"))
    event("wrong" if violations else "right")
    assert is_sound(*part_from_message(message, 0)) == (not violations)


@given(message=parts)
def test_chains_and_mentions_come_in_text_order(message: v1.Part) -> None:
    _, chains = part_from_message(message, 2)
    assert all(list(chain.mentions) == sorted(chain.mentions, key=text_order) for chain in chains)
    full: Sequence[Chain] = [chain for chain in chains if chain.mentions]
    assert list(full) == sorted(full, key=chain_order)


placed = st.builds(
    Mention, few, few, few, few, st.just(()) | st.lists(st.tuples(few, few), min_size=1, max_size=2).map(tuple)
)
refs = st.builds(ChainRef, few, st.sampled_from(("", "x", "ß")))
evidence = st.builds(
    Evidence,
    st.sampled_from(("", "noun")),
    st.sampled_from(("", "York")),
    st.lists(st.builds(MentionPair, placed, placed), max_size=2).map(tuple),
    st.none() | st.sampled_from((0.0, 90.0)),
)
decisions = st.builds(Decision, refs, st.none() | refs, st.none() | evidence, st.lists(refs, max_size=2).map(tuple))


@given(sent=st.lists(decisions, max_size=3))
def test_decisions_come_out_of_an_answer_as_they_went_in(sent: list[Decision]) -> None:
    answer = v1.PartDecisions()
    add_decisions(answer, sent)
    received = v1.PartDecisions.FromString(answer.SerializeToString())
    assert [decision_from_message(message) for message in received.decisions] == sent


def test_the_shortest_pieces_that_are_one_too_many_are_seen() -> None:
    # As encoded, a piece of the first token alone is as small as a piece can be.
    crowded = v1.Mention(pieces=[v1.Span()] * (Longest.PIECES + 1))
    found = part_excess(v1.Part(chains=[v1.Chain(mentions=[v1.Mention(), crowded])]), "part")
    assert [each.field for each in found] == ["part.chains[0].mentions[1].pieces"]
