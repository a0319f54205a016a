"""How to cite the paper and this tool."""

from __future__ import annotations

from merger.version import VERSION

BIBTEX = f"""@inproceedings{{shridhar-etal-2023-longtonotes,
  title = {{{{LongtoNotes}}: {{OntoNotes}} with Longer Coreference Chains}},
  author = {{Shridhar, Kumar and Monath, Nicholas and Thirukovalluru, Raghuveer and Stolfo, Alessandro
            and Zaheer, Manzil and McCallum, Andrew and Sachan, Mrinmaya}},
  booktitle = {{Findings of the Association for Computational Linguistics: {{EACL}} 2023}},
  year = {{2023}},
  eprint = {{2210.03650}},
  archiveprefix = {{arXiv}}
}}

@software{{merge-baseline,
  title = {{merge-baseline: merging part-wise coreference chains of long documents}},
  author = {{{{merge-baseline contributors}}}},
  version = {{{VERSION}}},
  license = {{Apache-2.0}}
}}
"""
