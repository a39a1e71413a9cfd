"""Interrupts with a short traceback, in a small file: IPython needs up to a second for the frames of a large one."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def between(frame: Any) -> bool:
    """Whether a function of the package runs in the frame, or one of scikit-learn or joblib."""
    return (os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__)
            or frame.f_globals.get("__name__", "").startswith(("sklearn.", "joblib.")))


def interruptible(function: F) -> F:
    """The function; when it is interrupted, its traceback in IPython ends at the caller's line."""

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
