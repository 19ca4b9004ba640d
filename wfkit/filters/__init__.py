"""The executables: options on top of the domain. The only modules beside the skeleton that import click."""
