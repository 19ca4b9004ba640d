"""Starts a filter out of a checkout, where nothing says that its packages are installed."""

import sys
from importlib import import_module

from wfkit import exit_codes


def launch(module: str) -> None:
    """Run the ``main`` of a module of `wfkit.filters`, or exit with 4 and one line where a package is not installed."""
    try:
        main = import_module(f"wfkit.filters.{module}").main
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "wfkit":
            raise
        name = module.replace("_", "-")
        remedy = "pip install -e . in the checkout brings what every filter needs"
        sys.stderr.write(f"{name}: the package {error.name} is not installed: {remedy}\n")
        sys.exit(exit_codes.UNAVAILABLE)
    main()
