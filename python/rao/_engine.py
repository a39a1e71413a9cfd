"""The child process that computes, and the frames for talking to it.

Requests and replies are binary frames over the standard streams of the child. The documentation of
the Go package ``internal/serve/worker`` describes them. This module does not depend on models: a
request has an operation, fields and arrays, and a reply has fields and arrays.
"""

from __future__ import annotations

import atexit
import contextlib
import operator
import os
import re
import struct
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Mapping, Sequence

import numpy as np

from . import _methods
from ._interrupt import between, interruptible

if TYPE_CHECKING:
    import mmap

PROTOCOL = 1
_PREFIX = struct.Struct("<4sIQ")
_MAGIC = b"RAOW"
_SMALL = 1 << 16  # largest frame that is sent in one write
_NARROW_FROM = 1 << 20  # smallest number of values for which an array is checked for integers that fit into bytes
_ARENA_FROM = 1 << 18  # smallest body, in bytes, that is sent through shared memory
_TOGETHER_FROM = 1 << 24  # smallest array, in bytes, that is copied by two threads
_PIECE = 1 << 23  # bytes copied at a time
_ARENA_KEEP = 1 << 28  # a larger arena is freed after the call
_PIPE = 1 << 20
_HANDLES = 64  # models kept by a worker
_TURNS = 150  # number of checks for the answer to a small request before this process sleeps
_SLEEPS = 8, 1024  # requests that sleep at once after checks without success; doubled each time

Arrays = Mapping[str, np.ndarray]
Answer = Callable[[Dict[str, Any], Dict[str, np.ndarray]], Dict[str, np.ndarray]]
_ARRAYS = {"C": "reference", "weights": "sample_weight"}  # users' names for the arrays in frames
_KEYWORDS = {"weight-column": "sample_weight"}  # flags of the tool that are not options of methods
_COMMAND = re.compile(r"(rao [a-z]+[^,;:.()`]*)")  # commands of the tool, which are not changed
_FLAG = re.compile(r"--([a-z][a-z0-9-]*)")


class RaoError(ValueError):
    """An error in the data or the options. The message says what to try."""


class FolderError(RaoError, IsADirectoryError):
    """A folder was given instead of a file."""


class MissingFileError(RaoError, FileNotFoundError):
    """There is no file or folder at a path."""


class EngineError(RuntimeError):
    """The computing process failed or ended. The next call starts a new one."""


class RaoWarning(UserWarning):
    """Information about a result that the user should know."""


class _Raised(Exception):
    """An exception in a function of the caller that the worker called."""


class _Gone(Exception):
    """The worker had ended before the request was sent."""


def _processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# with one processor, checking would delay the answer
_turns = _TURNS if _processors() > 1 else 0


def executable() -> str:
    """Return the path of the program ``rao``: the value of ``RAO_EXECUTABLE``, the program in this
    package, or the program in the search path."""
    chosen = os.environ.get("RAO_EXECUTABLE")
    if chosen:
        return chosen
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", "rao.exe" if os.name == "nt" else "rao")
    if os.path.exists(own):
        return own
    import shutil

    found = shutil.which("rao")
    if found is None:
        raise EngineError("this package was installed without its program rao; install a wheel for this system, "
                          "or set RAO_EXECUTABLE to the program")
    return found


def _layout(arrays: Sequence[tuple[str, np.ndarray]]) -> tuple[list[dict[str, Any]], int]:
    heads, length = [], 0
    for name, a in arrays:
        heads.append({"name": name, "dtype": a.dtype.str, "shape": a.shape})
        length += -(-a.nbytes // 8) * 8
    return heads, length


def _arrays_of(heads: Sequence[dict[str, Any]], body: Any, at: int) -> dict[str, np.ndarray]:
    """Return the arrays in a body, starting at an offset."""
    arrays = {}
    for h in heads:
        shape = h["shape"]
        count = 1
        for s in shape:
            count *= s
        dtype = np.dtype(h["dtype"])
        arrays[h["name"]] = np.frombuffer(body, dtype, count, at).reshape(shape).copy()
        at += -(-count * dtype.itemsize // 8) * 8
    return arrays


def portable(a: Any, name: str = "X") -> np.ndarray:
    """Return the array in C order, with a number type that frames support. Supported types are not converted."""
    only_numbers(a, name)
    if hasattr(a, "toarray") and hasattr(a, "nnz"):
        raise RaoError(f"{name} is sparse; use {name}.toarray()")
    try:
        a = np.asarray(off_device(a))
    except ValueError as e:
        raise RaoError(f"{name} cannot be converted to an array: {e}") from None
    if a.dtype.str not in ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u2", "|u1"):
        a = _numbers(a, name)
    if a.ndim == 0:
        raise RaoError(f"{name} is a single value, not an array; give an array")
    return np.ascontiguousarray(a)


def off_device(a: Any) -> Any:
    """Return a torch tensor as a numpy array, even if it is on a GPU or records gradients. Other values are returned
    unchanged."""
    if not (hasattr(a, "detach") and hasattr(a, "cpu")):
        return a
    a = a.detach().cpu()
    return (a.float() if str(a.dtype) == "torch.bfloat16" else a).numpy()


def only_numbers(X: Any, name: str = "X") -> None:
    """Raise an error unless X is numeric: for data frames with other columns, masked or text arrays, paths and MNE objects."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise RaoError(f"{name} has masked values; fill them, for example with {name}.filled(0), or leave their rows "
                       "out")
    if name == "X" and isinstance(X, (str, os.PathLike)):
        raise RaoError(f"{name} is the string {str(X)!r}, not an array; rao.datasets.load reads files")
    if type(X).__name__ == "LazyFrame":
        raise RaoError(f"{name} is a LazyFrame, which has no rows yet; use {name}.collect()")
    if hasattr(X, "get_data") and hasattr(X, "ch_names"):
        raise RaoError(f"{name} has MNE's type {type(X).__name__}; use a method of trials, such as ERP, or compute covariances first: "
                       "make_pipeline(rao.Covariances('oas'), rao.MDM())")
    if isinstance(X, np.ndarray) and X.dtype.kind in "OSU":
        _only_numbers_in(X, name)
    if hasattr(X, "column_names") and hasattr(X, "schema"):  # an Arrow table
        kinds = list(zip(X.column_names, X.schema.types))
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        kinds = list(zip(X.columns, X.dtypes))
    else:
        return
    once: set[Any] = set()
    for column, _ in kinds:
        if column in once:
            raise RaoError(f"{name} has two columns named {column!r}; rename one of them")
        once.add(column)
    for column, kind in kinds:
        if not _numeric(X[column], str(kind).lower()):
            raise RaoError(f"column {column!r} of {name} contains values of type {kind}, not numbers; leave it out, or "
                           "learn from "
                           "it with categories='auto', which methods of vectors and rao.stats accept")


def _only_numbers_in(X: np.ndarray, name: str) -> None:
    """Raise an error for an array with texts that are not numbers."""
    try:
        X.astype(float)
        if X.dtype.kind != "O" and X.ndim > 1 and X.size:
            raise RaoError(f"{name} contains numbers stored as text; use {name}.astype(float)")
    except TypeError:
        return  # objects, for which other checks have messages
    except RaoError:
        raise
    except ValueError:
        for at, value in np.ndenumerate(X):
            try:
                float(value)
            except (TypeError, ValueError):
                where = f"{name}[{', '.join(map(str, at))}]"
                raise RaoError(f"{name} contains text: {where} is {str(value)!r:.60}, not a number; leave the column out, or give a data "
                               "frame and learn from its text columns with categories='auto'") from None


def _numeric(column: Any, kind: str) -> bool:
    if re.match("date|time|duration", kind):
        return False
    if not re.match("u?int|float|double|halffloat|bool|decimal|null", kind):  # categories and objects may be numbers
        try:
            np.asarray(column, float)
        except (TypeError, ValueError):
            return False
    return True


def flat_images(X: Any) -> tuple[Any, tuple[int, int, int] | None]:
    """Return images of shape (n, rows, columns[, channels]) as vectors, and the shape of one image. Other X are
    returned unchanged, without a shape. Symmetric matrices are an error."""
    X = off_device(X)
    if not isinstance(X, np.ndarray) or X.ndim not in (3, 4):
        return X, None
    if X.ndim == 3 and len(X) and 1 < X.shape[1] == X.shape[2] and all(np.array_equal(x, x.T) for x in X[:8]):
        raise RaoError(f"X contains symmetric matrices of order {X.shape[1]}; use a method of SPD matrices, such as MDM "
                       "or TSLDA, "
                       "or reshape X to vectors")
    shape = (X.shape[1], X.shape[2], 1 if X.ndim == 3 else X.shape[3])
    return X.reshape(len(X), shape[0] * shape[1] * shape[2]), shape


def _numbers(a: np.ndarray, name: str) -> np.ndarray:
    if a.dtype.kind == "c":
        raise RaoError(f"{name}: complex data not supported; use the real part, or the absolute value")
    if a.dtype.kind in "biuf":
        return a.astype("|u1" if a.dtype == bool else "<f8")
    try:
        if a.dtype.kind == "O":
            return a.astype("<f8")
    except (TypeError, ValueError):
        pass
    what = "text" if a.dtype.kind in "SU" else f"values of type {a.dtype}"
    raise RaoError(f"{name} contains {what}, not numbers; convert it, for example with np.asarray({name}, float)")


def warn(text: str, category: type[Warning] = RaoWarning) -> None:
    """Warn at the line that called the package, even if the call came through scikit-learn."""
    frame: Any = sys._getframe(1)
    level = 2
    while frame is not None and between(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def number(value: Any, name: str, whole: bool = False, auto: bool = False, none: bool = False,
           least: float | None = None) -> Any:
    """Return the value of an option that is a number, and at least least. With auto, it can also be "auto", and with none
    None; both are 0 for the program."""
    if auto and isinstance(value, str) and value == "auto" or none and value is None:
        return 0
    try:
        v = operator.index(value) if whole else float("x" if isinstance(value, str) else off_device(value))
    except (TypeError, ValueError):
        raise RaoError(f"{name} is {value!r}, but must be a {'whole ' if whole else ''}number"
                       f"{', or auto' if auto else ', or None' if none else ''}") from None
    if v - v != 0:
        raise RaoError(f"{name} is {value}, but must be a finite number")
    if least is not None and v < least:
        raise RaoError(f"{name} is {value}, but must be at least {least:g}")
    return v


def seed_of(value: Any) -> int:
    """Return the value of the option seed."""
    seed: int = number(value, "seed", whole=True, least=0)
    if seed >= 1 << 64:
        raise RaoError(f"seed is {seed}, but must be below 2**64")
    return seed


def word(value: Any, name: str) -> str:
    """Return the value of an option that is a string."""
    if not isinstance(value, str):
        raise RaoError(f"{name} is {value!r:.80}, but must be a string")
    return value


def choice(value: Any, name: str, known: Sequence[str]) -> str:
    """Return the value of an option that is one of the known strings."""
    if word(value, name) not in known:
        raise RaoError(f"{name} is {value!r}, but must be one of {', '.join(known)}")
    return str(value)


def path_of(value: Any, name: str) -> str:
    """Return the value of an option that is a path, as an absolute path."""
    try:
        return os.path.abspath(value)
    except TypeError:
        raise RaoError(f"{name} is {value!r:.80}, but must be a path") from None


def listed(value: Any, name: str) -> list[Any]:
    """Return the value of an option that is a list. A text becomes a list of one."""
    if isinstance(value, str):
        return [value]
    try:
        return list(value)
    except TypeError:
        raise RaoError(f"{name} is {value!r:.80}, but must be a list") from None


def narrowed(a: np.ndarray) -> np.ndarray:
    """Return a large array of integers from 0 to 255 as bytes, which makes statistics several times faster. Other
    arrays are returned unchanged."""
    if a.ndim != 2 or a.size < _NARROW_FROM or a.dtype.kind not in "fiu" or a.itemsize == 1:
        return a
    out = np.empty(a.shape, np.uint8)
    step = max(1, _SMALL // a.shape[1])
    with np.errstate(invalid="ignore"):
        for i in range(0, len(a), step):
            np.copyto(out[i:i + step], a[i:i + step], casting="unsafe")
            if not np.array_equal(out[i:i + step], a[i:i + step]):
                return a
    return out


def _copy(to: np.ndarray, a: np.ndarray) -> None:
    """Copy an array in pieces, so an interrupt is noticed between them. Two threads copy a large array."""
    step = max(1, len(a) * _PIECE // max(1, a.nbytes))
    stop = threading.Event()

    def copy(lo: int, hi: int) -> None:
        for i in range(lo, hi, step):
            if stop.is_set():
                return
            to[i:min(i + step, hi)] = a[i:min(i + step, hi)]

    if a.nbytes < _TOGETHER_FROM or len(a) < 2 or _processors() < 2:
        copy(0, len(a))
        return
    half = len(a) // 2
    other = threading.Thread(target=copy, args=(half, len(a)))
    other.start()
    try:
        copy(0, half)
    except BaseException:
        stop.set()
        raise
    finally:
        other.join()


@contextlib.contextmanager
def _standard_streams_taken() -> Iterator[None]:
    """Make files opened in this context use descriptors above 2. If the program has closed a standard stream, it would
    otherwise write to the child's pipes, and the child would mistake the arena for its own standard stream."""
    taken = [os.open(os.devnull, os.O_RDWR)]
    while taken[-1] <= 2:
        taken.append(os.open(os.devnull, os.O_RDWR))
    try:
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)


class _Arena:
    """Memory shared by this process and its worker."""

    def __init__(self) -> None:
        self.fd = os.memfd_create("rao", os.MFD_CLOEXEC)
        self.size = 0
        self.map: mmap.mmap | None = None

    def reserve(self, size: int) -> None:
        if self.size < size:
            self._resize(-(-size * 5 // 4 // _PIPE) * _PIPE)

    def trim(self) -> None:
        if self.size > _ARENA_KEEP:
            self._resize(0)

    def _resize(self, size: int) -> None:
        if self.map is not None:
            self.map.close()
            self.map = None
        os.ftruncate(self.fd, size)
        if size:
            import mmap

            with _standard_streams_taken():  # the mapping remains valid
                self.map = mmap.mmap(self.fd, size)
        self.size = size

    def close(self) -> None:
        if self.map is not None:
            try:
                self.map.close()
            except BufferError:  # an interrupted copy still has a view, which frees the memory when it ends
                pass
            self.map = None
        os.close(self.fd)


class Worker:
    """One child process. It answers one request at a time."""

    def __init__(self) -> None:
        import json  # not needed by a program that only imports the package
        import subprocess
        import tempfile

        self._dumps, self._loads = json.dumps, json.JSONDecoder().decode
        self.handles: dict[bytes, int] = {}
        self._rest = b""
        self._sleeps, self._left = _SLEEPS[0], 0
        self._program = executable()
        with _standard_streams_taken():
            self._start(subprocess, tempfile)
        self._poll: Any = None
        if os.name == "posix":
            import select

            os.set_blocking(self._out.fileno(), False)
            self._poll = select.poll()
            self._poll.register(self._out, select.POLLIN)
        if sys.platform == "linux":
            import fcntl

            for stream in (self._in, self._out):
                try:
                    fcntl.fcntl(stream, 1031, _PIPE)  # F_SETPIPE_SZ
                except OSError:
                    pass  # above the limit of the system; pipes of the default size also work
        try:
            info = self.ask({"op": "hello"})[0]["info"]
            if info["protocol"] != PROTOCOL:
                raise EngineError(f"{self._program} is version {info['version']}, which does not match this package; "
                                  "install both from one wheel")
        except _Gone as e:
            gone = self._ended()
            self.kill()
            raise EngineError(f"{self._program} is not a working rao ({gone}); install the package again, or set "
                              "RAO_EXECUTABLE to the program") from e
        except BaseException:
            self.kill()
            raise

    def _start(self, subprocess: Any, tempfile: Any) -> None:
        self.arena = _Arena() if hasattr(os, "memfd_create") else None
        self.errors = tempfile.TemporaryFile()
        command = [self._program, "worker"]
        options: dict[str, Any] = {}
        if self.arena is not None:
            command += ["--arena", str(self.arena.fd)]
            options["pass_fds"] = (self.arena.fd,)
        if os.name == "nt":
            options["creationflags"] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")
        else:
            options["start_new_session"] = True  # Ctrl-C in a terminal is for this process only
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.errors, bufsize=0, **options)
        except OSError as e:
            self._close_memory()
            raise EngineError(f"{self._program} does not start ({e}); install the package again, or set RAO_EXECUTABLE "
                              "to the program") from e
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout

    def ask(self, fields: dict[str, Any], arrays: Sequence[tuple[str, np.ndarray]] = (),
            progress: Callable[[dict[str, Any]], None] | None = None, answer: Answer | None = None,
            ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Send a request and return the fields and arrays of the reply. answer handles calls from the worker in the
        meantime."""
        heads, length = _layout(arrays)
        fields["arrays"] = heads
        body = [a for _, a in arrays]
        if self.arena is not None:
            if length >= _ARENA_FROM:
                self.arena.reserve(length)
                self._fill(body)
                fields["in_arena"], body, length = True, [], 0
            fields["arena"] = self.arena.size
        self._send(self._dumps(fields).encode(), body, length)
        reply = self._reply(progress, answer)
        if self.arena is not None:
            self.arena.trim()
        return reply

    def _tell(self, reply: dict[str, Any], body: Any, answer: Answer) -> Exception | None:
        """Answer a call from the worker. An error is sent to the worker and returned."""
        failed: Exception | None = None
        fields: dict[str, Any] = {"op": "answer"}
        arrays: list[tuple[str, np.ndarray]] = []
        try:
            arrays = list(answer(reply["call"], _arrays_of(reply["arrays"], body, 0)).items())
        except Exception as e:
            failed, fields["problem"] = e, str(e) or type(e).__name__
        fields["arrays"], length = _layout(arrays)
        self._send(self._dumps(fields).encode(), [a for _, a in arrays], length)
        return failed

    def ask_small(self, header: bytes, a: np.ndarray) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Send one small array whose header is available: a fast path of ask."""
        pad = -a.nbytes % 8
        self._write(_PREFIX.pack(_MAGIC, len(header), a.nbytes + pad) + header + a.tobytes() + b"\0" * pad)
        self._look()
        return self._reply(None)

    def _look(self) -> None:
        """Check for the answer for a moment before sleeping. Sleeping and waking up can take several times longer
        than the answer."""
        if self._left:
            self._left -= 1
            return
        if self._poll is None:
            return
        read = self._out.read
        for _ in range(_turns):
            rest = read(_SMALL)
            if rest is not None:
                self._rest += rest
                self._sleeps = _SLEEPS[0]
                return
        self._left = self._sleeps
        self._sleeps = min(2 * self._sleeps, _SLEEPS[1])

    def _fill(self, body: Sequence[np.ndarray]) -> None:
        assert self.arena is not None and self.arena.map is not None
        at = 0
        for a in body:
            _copy(np.frombuffer(self.arena.map, a.dtype, a.size, at).reshape(a.shape), a)
            at += -(-a.nbytes // 8) * 8

    def _send(self, header: bytes, body: Sequence[np.ndarray], length: int) -> None:
        start = _PREFIX.pack(_MAGIC, len(header), length) + header
        if length <= _SMALL:
            self._write(b"".join([start, *(a.tobytes() + b"\0" * (-a.nbytes % 8) for a in body)]))
            return
        self._write(start)
        for a in body:
            self._write(a.data.cast("B") if a.size else b"")
            self._write(b"\0" * (-a.nbytes % 8))

    def _write(self, data: Any) -> None:
        try:
            n = self._in.write(data)
            if n != len(data):
                view = memoryview(data)
                while n < len(view):
                    n += self._in.write(view[n:])
        except OSError as e:
            raise _Gone from e

    def _reply(self, progress: Callable[[dict[str, Any]], None] | None, answer: Answer | None = None,
               ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        failed: Exception | None = None
        while True:
            head, body = self._frame()
            reply = self._loads(head.decode())
            if "call" in reply:
                assert answer is not None
                failed = self._tell(reply, body, answer) or failed
                continue
            if "progress" not in reply:
                break
            if progress is not None:
                progress(reply["progress"])
        if failed is not None and "error" in reply:
            raise _Raised(failed)
        heads = reply.get("arrays")
        if not heads:
            return reply, {}
        at = 0
        if "at" in reply:
            assert self.arena is not None and self.arena.map is not None
            body, at = self.arena.map, reply["at"]
        return reply, _arrays_of(heads, body, at)

    def _frame(self) -> tuple[bytes, Any]:
        data = self._rest
        while len(data) < 16:
            data += self._read()
        magic, h, b = _PREFIX.unpack_from(data)
        if magic != _MAGIC:
            raise EngineError(f"rao answers with {data[:80]!r}, which is not a valid reply; install the package again")
        while len(data) < 16 + h:
            data += self._read()
        end = 16 + h + b
        if len(data) >= end:
            self._rest = data[end:]
            return data[16:16 + h], data[16 + h:end]
        body = bytearray(b)
        have = len(data) - 16 - h
        body[:have] = data[16 + h:]
        self._rest = b""
        view = memoryview(body)
        while have < b:
            n = self._out.readinto(view[have:])
            if n is None:
                self._poll.poll()
                continue
            if not n:
                raise self._ended()
            have += n
        return data[16:16 + h], body

    def _read(self) -> bytes:
        data = self._out.read(_SMALL)
        while data is None:
            self._poll.poll()
            data = self._out.read(_SMALL)
        if not data:
            raise self._ended()
        return data

    def _ended(self) -> EngineError:
        """Return the error for a worker that ended, with its last messages."""
        code = self._wait(5)
        self.errors.seek(0)
        lines = [s for s in self.errors.read(1 << 16).decode(errors="replace").splitlines() if s.strip()]
        words = "; ".join(lines[:2])
        if "out of memory" in words:
            words = "it ran out of memory; use fewer rows or columns, or values of a smaller type"
        if code is not None and code < 0:
            words = words or f"signal {-code}" + (", perhaps because it ran out of memory; call the function again, or use "
                                                  "fewer rows or columns" if code == -9 else "; call the function again")
        return EngineError(f"the process of the program rao ended: {words or f'exit status {code}; call the function again'}")

    def kill(self) -> None:
        """End the process without waiting, because it may need seconds to free its memory on a busy machine."""
        self.process.kill()
        self._close_streams()
        threading.Thread(target=self.process.wait, daemon=True).start()
        self._close_memory()

    def close(self) -> None:
        """Let the process end."""
        self._close_streams()
        if self._wait(2) is None:
            self.process.kill()
            self.process.wait()
        self._close_memory()

    def _wait(self, seconds: float) -> int | None:
        """Return the exit status, or None if the process does not end in time."""
        import subprocess

        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def abandon(self) -> None:
        """Release the process after a fork, because it belongs to the parent."""
        self.process.returncode = 0
        self._close_streams()
        self._close_memory()

    def _close_streams(self) -> None:
        for stream in (self._in, self._out):
            try:
                stream.close()
            except OSError:
                pass

    def _close_memory(self) -> None:
        self.errors.close()
        if self.arena is not None:
            self.arena.close()


class Pool:
    """Workers shared by threads: one for each concurrent call, up to a limit."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._starting = 0
        self._limit = max(1, min(4, os.cpu_count() or 1))

    def take(self) -> Worker:
        with self._free:
            while not self._idle:
                if len(self._all) + self._starting < self._limit:
                    self._starting += 1
                    break
                self._free.wait()
            else:
                return self._idle.pop()
        try:
            worker = Worker()
        except BaseException:
            with self._free:
                self._starting -= 1
                self._free.notify()
            raise
        with self._free:
            self._starting -= 1
            self._all.add(worker)
        return worker

    def give(self, worker: Worker) -> None:
        with self._free:
            self._idle.append(worker)
            self._free.notify()

    def drop(self, worker: Worker) -> None:
        """Remove a worker that cannot be used again."""
        try:
            worker.kill()
        finally:
            with self._free:
                self._all.discard(worker)
                self._free.notify()

    def use(self, work: Callable[[Worker], Any]) -> Any:
        """Call work with a worker. An interruption ends the worker, because half a frame would corrupt the next
        call."""
        for last in (False, True):
            worker = self.take()
            try:
                result = work(worker)
            except RaoError:
                self.give(worker)
                raise
            except _Raised as e:
                self.give(worker)
                raise e.args[0] from None
            except _Gone as e:
                gone = worker._ended()
                self.drop(worker)
                if last:
                    raise gone from e
                continue  # it ended between calls; repeat the request with a new one
            except BaseException:
                self.drop(worker)
                raise
            self.give(worker)
            return result

    def close(self) -> None:
        with self._free:
            workers, self._all, self._idle = list(self._all), set(), []
        for w in workers:
            w.close()

    def abandon(self) -> None:
        for w in list(self._all):
            w.abandon()


_pool = Pool()


def _after_fork() -> None:
    global _pool
    old, _pool = _pool, Pool()
    old.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit() -> None:
    _pool.close()


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise MissingFileError for an error because there is no file at the path, and RaoError for a folder."""
    try:
        yield
    except IsADirectoryError:
        raise FolderError(f"{os.path.abspath(path)} is a folder; give a file in it") from None
    except (RaoError, FileNotFoundError) as e:
        if os.path.exists(path) or "no such file" not in str(e).lower():
            raise
        raise MissingFileError(f"{os.path.abspath(path)}: no such file or folder; check the name") from None


def warn_partial(reply: dict[str, Any], category: type[Warning] = RaoWarning,
                 spell: Callable[[str], str] | None = None) -> None:
    """Warn if the reply is the result of a search that has not converged."""
    if reply.get("partial"):
        warn((spell or in_python)(reply["partial"]), category)


def in_python(text: str) -> str:
    """Return a message of the program with methods, options and shapes in Python notation."""
    pieces = _COMMAND.split(text)
    return "".join(p if i % 2 else _piece(p) for i, p in enumerate(pieces))


def _piece(text: str) -> str:
    text = re.sub(r"shape (\d+(?:×\d+)*)\b", lambda m: f"shape ({m[1].replace('×', ', ')}{'' if '×' in m[1] else ','})", text)
    text = re.sub(r"\boption ([a-z]+(?:-[a-z]+)+)", lambda m: f"option {_methods.option(m[1])}", text)
    text = _FLAG.sub(lambda m: _KEYWORDS.get(m[1], _methods.option(m[1])), text)
    text = _methods.in_python(text)
    return re.sub(r'\b([a-z_]\w*) ("[^"]*"|[^\s":]+): the (?:value|amount) must be ', _value, text)


def _value(found: re.Match[str]) -> str:
    """Return the start of a message about the value of an option, in the form of number."""
    name, value = found[1], found[2].strip('"')
    plain = value == "none" or re.fullmatch(r"[-+.\deE]*\d[-+.\deE]*|nan|-?inf", value)
    return f"{name} is {'None' if value == 'none' else value if plain else repr(value)}, but must be "


def checked(reply: tuple[dict[str, Any], dict[str, np.ndarray]]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the reply. An error in the reply is raised."""
    error = reply[0].get("error")
    if error is None:
        return reply
    if reply[0].get("internal"):
        raise EngineError(error)
    raise RaoError(in_python(error))


@interruptible
def call(op: str, arrays: Arrays | None = None, progress: Callable[[dict[str, Any]], None] | None = None,
         answer: Answer | None = None, **fields: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Send a request to a worker. Raise RaoError for an error in the request and EngineError if the worker fails."""
    fields["op"] = op
    if "metric" in fields:
        word(fields["metric"], "metric")
    if progress is not None:
        fields["progress"] = True
    given = [(k, portable(v, _ARRAYS.get(k, k))) for k, v in (arrays or {}).items()]
    return _pool.use(lambda w: checked(w.ask(dict(fields), given, progress, answer)))


@interruptible
def with_model(key: bytes, file: bytes, work: Callable[[Worker, int], Any]) -> Any:
    """Call work with a worker that has loaded the model file, and with the number of the model."""

    def run(w: Worker) -> Any:
        number = w.handles.get(key)
        if number is None:
            reply, _ = checked(w.ask({"op": "load"}, [("file", np.frombuffer(file, np.uint8))]))
            number = remember(w, key, reply["info"]["model"])
        return work(w, number)

    return _pool.use(run)


def remember(w: Worker, key: bytes, number: int) -> int:
    """Record that the worker has a model. If the worker has too many models, it frees the oldest one."""
    w.handles[key] = number
    if len(w.handles) > _HANDLES:
        oldest = next(iter(w.handles))
        w.ask({"op": "free", "model": w.handles.pop(oldest)})
    return number


@interruptible
def call_noting(key_of: Callable[[np.ndarray], bytes], op: str, arrays: Arrays, progress: Any = None,
                answer: Answer | None = None, **fields: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Call an operation that returns a model. The worker keeps the model under the key of its file."""
    fields["op"] = op
    if progress is not None:
        fields["progress"] = True
    given = [(k, portable(v)) for k, v in arrays.items()]

    def run(w: Worker) -> Any:
        reply = checked(w.ask(dict(fields), given, progress, answer))
        remember(w, key_of(reply[1]["file"]), reply[0]["info"]["model"])
        return reply

    return _pool.use(run)
