from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.backends.mention_matching import Cluster
from merger.backends.windows import cut_windows, stitch
from merger.document import Mention, text_order


def test_a_document_within_the_limit_is_one_window() -> None:
    assert cut_windows([3, 3, 4], limit=10, overlap=4) == [range(3)]


def test_no_sentences_make_no_window() -> None:
    assert cut_windows([], limit=10, overlap=4) == []


def test_windows_are_as_long_as_the_limit_allows_and_share_up_to_the_overlap() -> None:
    # 3 + 3 + 3 = 9, a fourth would make 12. Two sentences (6) are over the overlap of 5, one (3) is not.
    assert cut_windows([3, 3, 3, 3, 3, 3], limit=10, overlap=5) == [range(3), range(2, 5), range(4, 6)]


def test_a_sentence_over_the_overlap_is_shared_all_the_same() -> None:
    assert cut_windows([5, 5, 5], limit=10, overlap=2) == [range(2), range(1, 3)]


def test_a_sentence_is_not_shared_where_it_would_leave_no_room_for_the_next() -> None:
    # 9 and 8 are 17, over the limit: the second window begins with the 8.
    assert cut_windows([1, 9, 8], limit=10, overlap=9) == [range(2), range(2, 3)]


def test_a_sentence_over_the_limit_is_a_window_of_its_own() -> None:
    assert cut_windows([2, 30, 2], limit=10, overlap=4) == [range(1), range(1, 2), range(2, 3)]


@pytest.mark.parametrize(("limit", "overlap"), [(10, 10), (10, -1), (0, 0)])
def test_an_overlap_that_leaves_no_progress_is_refused(limit: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        cut_windows([1], limit, overlap)


@given(st.lists(st.integers(0, 12), max_size=30), st.integers(1, 25), st.data())
def test_windows_cover_all_sentences_within_the_limits(lengths: list[int], limit: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, limit - 1))
    windows = cut_windows(lengths, limit, overlap)

    assert sorted({index for window in windows for index in window}) == list(range(len(lengths)))
    for window in windows:
        assert sum(lengths[window.start : window.stop]) <= limit or len(window) == 1
    for one, other in pairwise(windows):
        assert one.start < other.start <= one.stop < other.stop
        shared = range(other.start, one.stop)
        assert sum(lengths[index] for index in shared) <= overlap or len(shared) == 1
        if not shared:
            # Sharing the last sentence leaves no room for the next one, or no progress.
            assert lengths[one.stop - 1] + lengths[one.stop] > limit or len(one) == 1
        elif shared.start - 1 > one.start:
            # One more shared sentence would be too much.
            more = sum(lengths[index] for index in range(shared.start - 1, one.stop))
            assert more > overlap or more + lengths[one.stop] > limit


def word(sentence: int, token: int = 0) -> Mention:
    return Mention(0, sentence, token, token)


def test_clusters_of_neighbouring_windows_are_joined_by_a_shared_mention() -> None:
    first = [(word(0), word(2)), (word(1), word(3))]
    second = [(word(2), word(5)), (word(6), word(7))]

    assert stitch([first, second]) == (
        (word(0), word(2), word(5)),
        (word(1), word(3)),
        (word(6), word(7)),
    )


def test_clusters_of_one_window_are_joined_by_a_cluster_of_the_next() -> None:
    first = [(word(0), word(2)), (word(1), word(3))]
    second = [(word(2), word(3), word(4))]

    assert stitch([first, second]) == ((word(0), word(1), word(2), word(3), word(4)),)


def test_clusters_of_one_window_stay_apart_though_both_have_a_mention() -> None:
    assert stitch([[(word(0), word(2)), (word(2), word(3), word(1))]]) == ((word(0), word(2)), (word(1), word(3)))


def test_mentions_are_in_text_order_the_longer_one_first() -> None:
    long, short, early = Mention(0, 1, 2, 5), Mention(0, 1, 2, 3), Mention(0, 0, 9, 9)

    assert stitch([[(short, long, early)]]) == ((early, long, short),)


@st.composite
def clusters_in_windows(draw: st.DrawFn) -> list[list[Cluster]]:
    """Up to four windows over five sentences each, a step of three apart; each mention in at most one cluster."""
    windows = []
    for start in range(0, 3 * draw(st.integers(1, 4)), 3):
        owners: dict[int, list[Mention]] = {}
        for sentence in range(start, start + 5):
            for token in range(2):
                owners.setdefault(draw(st.integers(0, 3)), []).append(word(sentence, token))
        windows.append([tuple(mentions) for owner, mentions in owners.items() if owner])
    return windows


@given(clusters_in_windows())
def test_stitching_joins_exactly_what_shared_mentions_connect(windows: list[list[Cluster]]) -> None:
    connected: list[set[Mention]] = []
    for cluster in (cluster for clusters in windows for cluster in clusters):
        touching = [group for group in connected if group & set(cluster)]
        connected = [group for group in connected if group not in touching] + [set(cluster).union(*touching)]

    stitched = stitch(windows)

    assert {frozenset(cluster) for cluster in stitched} == {frozenset(group) for group in connected}
    assert sum(map(len, stitched)) == sum(map(len, connected))
    assert list(stitched) == sorted(stitched, key=lambda cluster: text_order(cluster[0]))
    for cluster in stitched:
        assert list(cluster) == sorted(cluster, key=text_order)
