"""The command-line tool ``rao`` in the wheel: ``rao`` in a shell, or ``python -m rao``."""

from __future__ import annotations

import os
import sys

from ._engine import EngineError, executable


def main() -> int:
    """Run the program with the arguments of this process. On POSIX systems it replaces this process."""
    try:
        program = executable()
    except EngineError as e:
        return _fail(str(e))
    os.environ.pop("RAO_EXECUTABLE", None)  # if it names this script, the script would call itself
    try:
        if os.name == "posix":
            os.execv(program, ["rao", *sys.argv[1:]])
        import subprocess

        return subprocess.call([program, *sys.argv[1:]])
    except OSError as e:
        return _fail(f"{program} does not start ({e.strerror}); install the package again")
    except KeyboardInterrupt:  # the program has also received the interrupt
        return 130


def _fail(why: str) -> int:
    print(f"rao: {why}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
