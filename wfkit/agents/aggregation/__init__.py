"""What `ap-aggregate` computes: paired robustness with honest denominators.

`requests` and `grades` read the records and need only the standard library. `evidence` turns them into columns, and
every module above it imports numpy at its top: the filter imports `report` only when all records are read.
"""
