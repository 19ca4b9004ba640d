"""How every metric answers to damage of known severity, and the bars that follow (paper, section 5, appendix C).

`observations` keeps what the statistics need of each pair and needs only the standard library; everything else here
imports numpy at its top, so the filter imports it when all records are read.
"""
