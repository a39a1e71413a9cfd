"""The tool ``rao`` of the wheel: ``rao`` in a shell, or ``python -m rao``."""

from __future__ import annotations

import os
import sys

from ._engine import EngineError, executable


def main() -> int:
    """Run the program with the arguments of this process, in its place where the system can."""
    try:
        program = executable()
    except EngineError as e:
        return _fail(str(e))
    os.environ.pop("RAO_EXECUTABLE", None)  # it may name this script, which would call itself
    try:
        if os.name == "posix":
            os.execv(program, ["rao", *sys.argv[1:]])
        import subprocess

        return subprocess.call([program, *sys.argv[1:]])
    except OSError as e:
        return _fail(f"{program} does not start: {e.strerror}")
    except KeyboardInterrupt:  # which the program was told of, too
        return 130


def _fail(why: str) -> int:
    print(f"rao: {why}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
