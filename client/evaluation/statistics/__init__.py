"""Statistics of a corpus: the numbers of LongtoNotes Tables 1 and 2 and Figures 2 to 4.

    sum_up(text for document in documents for text in count_parts(document)).total.tokens_per_text
    sum_up(count_whole(document) for document in merged).total.longest_distance

Before merging every part is a text of its own, as in OntoNotes; after merging the document is one text.
"""

from client.evaluation.statistics.corpus import Corpus, CorpusStatistics, sum_up
from client.evaluation.statistics.texts import TextCounts, count_parts, count_whole

__all__ = ["Corpus", "CorpusStatistics", "TextCounts", "count_parts", "count_whole", "sum_up"]
