"""How far annotators, people or machines, agree in their decisions on the same part chains (LongtoNotes 3.3).

documents = count_documents(parts, [Annotator("a", one), Annotator("b", other)])
report = summarise(documents, ["a", "b"], resampling=Resampling(1000, seed=0))
report.total.mean["strict_match"].measure.value

Counting, adding up and showing are apart: ``study``, ``summary`` and ``render``.
"""

from client.agreement.antecedents import Compare
from client.agreement.bootstrap import Interval, Resampling
from client.agreement.measure import Measure
from client.agreement.metrics import METRICS
from client.agreement.study import Annotator, DocumentAgreement, count_documents
from client.agreement.summary import AgreementReport, Estimate, Summary, summarise

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
