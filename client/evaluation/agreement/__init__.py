"""Agreement of annotators, people or machines, in their decisions on the same part chains (LongtoNotes 3.3).

documents = count_documents(parts, [Annotator("a", one), Annotator("b", other)])
report = summarise(documents, ["a", "b"], resampling=Resampling(1000, seed=0))
report.total.mean["strict_match"].measure.value

``study`` counts, ``summary`` adds up, and ``render`` shows the result.
"""

from client.evaluation.agreement.antecedents import Compare
from client.evaluation.agreement.bootstrap import Interval, Resampling
from client.evaluation.agreement.measure import Measure
from client.evaluation.agreement.metrics import METRICS
from client.evaluation.agreement.study import Annotator, DocumentAgreement, count_documents
from client.evaluation.agreement.summary import AgreementReport, Estimate, Summary, summarise

__all__ = [
    "METRICS",
    "AgreementReport",
    "Annotator",
    "Compare",
    "DocumentAgreement",
    "Estimate",
    "Interval",
    "Measure",
    "Resampling",
    "Summary",
    "count_documents",
    "summarise",
]
