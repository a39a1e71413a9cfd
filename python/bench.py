"""Compare the speed of the package with other packages on the same arrays, and print a table.

In every round each contender has a turn of a quarter of a second, or of one call if that takes
longer. Before each turn, calls for a twentieth of a second are not counted, because threads of
the other contender stay awake that long. A ratio is the time of the other library divided by the
time of rao, as a median over the rounds. Packages that are not installed and data that are not available are skipped
with a message::

    RAO_EXTERNAL=... python bench.py [--rounds 7] [--only mnist,a01,row,import,batch] [--processor-time]

On a busy machine, use --processor-time to measure processor time, including threads and the
child process, instead of elapsed time (Linux only).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import io
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np

import rao

Run = Callable[[], Any]
rows: list[tuple[str, str, str, str]] = []


def passed_over(what: str, why: str) -> None:
    print(f"skipped: {what}: {why}", file=sys.stderr)


clock: Run = time.perf_counter


def processor_time() -> float:
    """Processor time of this process and its workers so far, in seconds."""
    from rao import _engine

    taken = 0.0
    for worker in _engine._pool._all:
        for task in Path(f"/proc/{worker.process.pid}/task").iterdir():
            taken += int((task / "schedstat").read_text().split()[0]) / 1e9
    return time.process_time() + taken


def turn(run: Run) -> float:
    """Seconds per call."""

    def calls(seconds: float) -> float:
        end, count, start = time.perf_counter() + seconds, 0, clock()
        while count == 0 or time.perf_counter() < end:
            run()
            count += 1
        return (clock() - start) / count

    calls(0.05)
    return calls(0.25)


def alternate(task: str, ours: Run, peer_name: str, peer: Run, rounds: int) -> None:
    times = [(turn(ours), turn(peer)) for _ in range(rounds)]
    ratio = statistics.median(b / a for a, b in times)
    report(task, statistics.median(a for a, _ in times), peer_name, f"{ratio:.1f}")


def report(task: str, seconds: float, peer: str = "", ratio: str = "") -> None:
    unit, factor = ("µs", 1e6) if seconds < 1e-3 else ("ms", 1e3) if seconds < 1 else ("s", 1.0)
    rows.append((task, f"{seconds * factor:.3g} {unit}", peer, ratio))
    print("| " + " | ".join(rows[-1]) + " |", flush=True)


def package(name: str, task: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        passed_over(task, f"{name} is not here ({e})")
        return None


def external(path: str, task: str) -> Path | None:
    folder = os.environ.get("RAO_EXTERNAL")
    found = Path(folder, "data", path) if folder else None
    if found is None or not found.exists():
        passed_over(task, f"RAO_EXTERNAL names no folder with data/{path}")
        return None
    return found


def idx(path: Path) -> np.ndarray:
    data = gzip.decompress(path.read_bytes())
    dims = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(dims)).reshape(dims)


def mnist(rounds: int) -> None:
    task = "SQFA().fit on MNIST, arrays in, 9 filters out"
    folder = external("mnist", task)
    if folder is None:
        return
    X = idx(folder / "train-images-idx3-ubyte.gz").reshape(60000, 784)
    y = idx(folder / "train-labels-idx1-ubyte.gz").astype(np.int64)
    ours = lambda: rao.SQFA(filters=9, noise=1.0, classifier=None).fit(X, y)  # noqa: E731
    torch = package("torch", task)
    sqfa = torch and package("sqfa", task)
    if not sqfa:
        ours()
        start = clock()
        ours()
        report(task, clock() - start)
        return
    _old_torch(torch)
    scaled = X.astype(np.float32)
    scaled -= scaled.mean(0)
    scaled /= scaled.std()
    x, labels = torch.tensor(scaled), torch.tensor(y)

    def theirs() -> None:
        model = sqfa.model.SQFA(n_dim=784, n_filters=9, feature_noise=1.0)
        with contextlib.redirect_stdout(io.StringIO()):
            model.fit_pca(X=x)
            model.fit(X=x, y=labels, show_progress=False)

    alternate(task, ours, f"sqfa {sqfa.__version__ if hasattr(sqfa, '__version__') else ''} on torch {torch.__version__}", theirs, rounds)


def _old_torch(torch: Any) -> None:
    """Let squeeze of an old torch accept several axes, which the package sqfa needs."""
    if int(torch.__version__.split(".")[0]) >= 2:
        return
    plain = torch.squeeze

    def squeeze(x: Any, dim: Any = None) -> Any:
        if not isinstance(dim, tuple):
            return plain(x) if dim is None else plain(x, dim)
        for d in sorted(dim, reverse=True):
            x = plain(x, d)
        return x

    torch.squeeze = squeeze


def a01(rounds: int) -> None:
    task = "BCI IV 2a, A01"
    path = external("bci-iv-2a/A01.mat", task)
    pyriemann = package("pyriemann", task)
    scipy = package("scipy.io", task)
    if path is None or not pyriemann or not scipy:
        return
    from pyriemann.classification import MDM, TSClassifier
    from pyriemann.geometry.distance import pairwise_distance
    from pyriemann.geometry.mean import mean_riemann
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    data = scipy.loadmat(path)
    X = np.ascontiguousarray(np.moveaxis(data["P"], -1, 0))
    y, test = data["Label"].ravel().astype(int), data["testIdx"].ravel().astype(bool)
    train = ~test
    name = f"pyriemann {pyriemann.__version__}"
    # pyRiemann's estimators compute means by gmean with its default tol, 1e-8. Like mean_tol, it bounds
    # the Frobenius norm of the mean of log(M^-1/2 X M^-1/2). pyRiemann makes one more step after that,
    # so its means are more accurate than the tolerance requires.
    discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    for label, make, theirs in (("MDM", rao.MDM, MDM()), ("TSLDA", rao.TSLDA, TSClassifier(clf=discriminant))):
        for tolerance, ours in (("", make()), (", both to a tolerance of 1e-8", make(mean_tol=1e-8))):
            alternate(f"{label}, fit on 288 covariances of order 22, predict 288{tolerance}",
                      lambda: ours.fit(X[train], y[train]).predict(X[test]), name,
                      lambda: theirs.fit(X[train], y[train]).predict(X[test]), rounds)
    alternate("all distances of 576 covariances", lambda: rao.distance(X), name, lambda: pairwise_distance(X, metric="riemann"), min(rounds, 3))
    alternate("mean of 576 covariances, tolerance 1e-9", lambda: rao.mean(X), name, lambda: mean_riemann(X, tol=1e-9, maxiter=100), rounds)


def row(rounds: int) -> None:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    e = rao.SQFA(filters=9, noise=1.0).fit(X, y)
    x = X[:1].copy()
    taken = []
    linux = sys.platform == "linux"
    before = processor_time() if linux else 0.0
    for _ in range(10000):
        start = time.perf_counter()
        e.predict(x)
        taken.append(time.perf_counter() - start)
    spent = processor_time() - before if linux else 0.0
    report("predict of one row, SQFA 64 to 9 and QDA: median of 10000 calls", statistics.median(taken))
    report("the same: least", min(taken))
    report("the same: 99th percentile", statistics.quantiles(taken, n=100)[98])
    if linux:
        report("the same: processor time of both processes", spent / len(taken))


def imports(rounds: int) -> None:
    program = "import numpy, time; t = time.process_time(); import rao; print(time.process_time() - t)"
    taken = [float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout) for _ in range(max(rounds, 5))]
    report("import rao beyond numpy, processor time", statistics.median(taken))


def batch(rounds: int) -> None:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    e = rao.SQFA(filters=9, noise=1.0).fit(X, y)
    big = np.tile(X, (12, 1))[:20000].copy()
    filters, mean, scale = e.filters_, X.mean(0), 1 / (X - X.mean(0)).std()
    z = (X - mean) * scale @ filters
    classes = np.unique(y)
    mu = np.array([z[y == c].mean(0) for c in classes])
    factors = np.array([np.linalg.inv(np.linalg.cholesky(np.cov(z[y == c].T))) for c in classes])
    log = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(1)
    fused = np.concatenate([f.T for f in factors], axis=1)
    offset = np.concatenate([f @ m for f, m in zip(factors, mu)])

    def plain() -> np.ndarray:
        w = ((big - mean) * scale @ filters) @ fused - offset
        s = log - 0.5 * np.square(w).reshape(len(big), len(classes), -1).sum(2)
        p = np.exp(s - s.max(1, keepdims=True))
        return p / p.sum(1, keepdims=True)

    task = "predict_proba of 20000 rows, SQFA 64 to 9 and "
    alternate(task + "QDA", lambda: e.predict_proba(big), f"numpy {np.__version__}", plain, rounds)
    runtime = package("onnxruntime", task + "its classifier")
    if not runtime:
        return
    mixture = rao.SQFA(filters=9, noise=1.0, classifier="mixture:subclasses=3").fit(X, y)
    for name, model in (("QDA", e), ("mixtures of three Gaussians", mixture)):
        for precision, tolerance, flags in ((np.float64, 1e-9, ()), (np.float32, 1e-2, ("--precision", "single"))):
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder, "m.rao"))
                subprocess.run([rao.executable(), "export", "onnx", "--quiet", "--model", Path(folder, "m.rao"), "--out",
                                Path(folder, "m.onnx"), "--outputs", "probabilities", *flags], check=True, capture_output=True)
                session = runtime.InferenceSession(str(Path(folder, "m.onnx")), providers=["CPUExecutionProvider"])
            rows = big.astype(precision)
            assert np.abs(session.run(None, {"X": rows[:len(X)]})[0] - model.predict_proba(X)).max() < tolerance
            alternate(f"{task}{name}, {np.dtype(precision)} in", lambda: model.predict_proba(rows),
                      f"onnxruntime {runtime.__version__} in {np.dtype(precision)}", lambda: session.run(None, {"X": rows}), rounds)


if __name__ == "__main__":
    tasks = {"mnist": mnist, "a01": a01, "row": row, "import": imports, "batch": batch}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join(tasks))
    parser.add_argument("--processor-time", action="store_true")
    arguments = parser.parse_args()
    if arguments.processor_time:
        clock = processor_time
    print(f"{'processor' if arguments.processor_time else 'wall'} time, " f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, numpy {np.__version__}\n")
    print("| task | rao | other library | ratio |\n|---|---|---|---|", flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for choice in arguments.only.split(","):
            tasks[choice](arguments.rounds)
