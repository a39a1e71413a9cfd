"""Interrupts with a short traceback. This file is small because IPython needs up to a second for frames of a large
file."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def between(frame: Any) -> bool:
    """Return whether the frame belongs to this package, scikit-learn or joblib."""
    return (os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__)
            or frame.f_globals.get("__name__", "").startswith(("sklearn.", "joblib.")))


def interruptible(function: F) -> F:
    """Decorator that ends the traceback of an interrupt in IPython at the caller's line."""

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except KeyboardInterrupt:
            frame: Any = sys._getframe()
            while frame is not None:
                if between(frame):
                    frame.f_locals["__tracebackhide__"] = True
                frame = frame.f_back
            raise KeyboardInterrupt from None

    return run  # type: ignore[return-value]


def renamed(**names: str) -> Callable[[F], F]:
    """Decorator that raises an error with the right keyword if the caller uses another name for it."""

    def of(function: F) -> F:
        @functools.wraps(function)
        def run(*args: Any, **options: Any) -> Any:
            for other, name in names.items():
                if other in options:
                    raise TypeError(f"{function.__name__} has no keyword {other}; use {name}")
            return function(*args, **options)

        return run  # type: ignore[return-value]

    return of
