"""wfkit: composable Unix filters that tell whether a workflow is still equivalent to its golden.

The version is here and nowhere else; importing the package imports nothing further.
"""

__version__ = "0.1.0"
