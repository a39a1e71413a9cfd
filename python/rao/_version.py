"""The release. Written by go generate; do not edit."""

__version__ = "0.1.0"
