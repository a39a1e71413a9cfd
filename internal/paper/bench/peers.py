# Times the peers of rao's kernels. Reads one case a line as JSON and answers with
# one JSON line: {"seconds": s}, or {"absent": reason}.
import contextlib
import json
import sys
import time

import numpy as np

try:
    import torch
    torch.set_num_threads(int(sys.argv[1]))
except ImportError:
    torch = None
try:
    from scipy.linalg import blas
except ImportError:
    blas = None

rng = np.random.default_rng(1)
made = {}


def once(key, make):
    if key not in made:
        made[key] = make()
    return made[key]


def spd(count, n):
    a = rng.standard_normal((count, n, n))
    return a @ a.transpose(0, 2, 1) + n * np.eye(n)


def syrk(c, dtype):
    n, k = c["n"], c["k"]
    a = once((n, k, dtype), lambda: rng.standard_normal((k, n)).astype(dtype))
    if blas is None:
        return lambda: a.T @ a
    f = blas.dsyrk if dtype == "float64" else blas.ssyrk
    return lambda: f(1.0, a.T, trans=0)


def statistics(c):
    n, rows, classes = c["n"], c["rows"], c["classes"]
    x, y = once(("stat", n, rows), lambda: (rng.random((rows, n), dtype=np.float32), rng.integers(0, classes, rows)))

    def run():
        for i in range(classes):
            part = x[y == i]
            part = part - part.mean(0)
            part.T @ part / (len(part) - 1)
    return run


def statistics_torch(c):
    n, rows, classes = c["n"], c["rows"], c["classes"]
    x, y = once(("statt", n, rows), lambda: (torch.rand((rows, n)), torch.randint(0, classes, (rows,))))

    def run():
        for i in range(classes):
            part = x[y == i]
            torch.cov(part.T)
    return run


def project(c):
    n, m = c["n"], c["m"]
    phi, f = once(("project", n, m), lambda: (spd(8, n), rng.standard_normal((n, m))))
    return lambda: [p @ f for p in phi]


def on_stack(c, f):
    a = once(("spd", c["n"], c["count"]), lambda: spd(c["count"], c["n"]))
    return lambda: f(a)


def eigh_torch(c):
    a = once(("spdt", c["n"], c["count"]), lambda: torch.tensor(spd(c["count"], c["n"])))
    return lambda: torch.linalg.eigh(a)


def pyriemann_distances(c):
    from pyriemann.utils.distance import pairwise_distance
    return on_stack(c, lambda a: pairwise_distance(a, metric="riemann"))


def pyriemann_mean(c):
    from pyriemann.utils.mean import mean_riemann
    return on_stack(c, lambda a: mean_riemann(a, tol=c["tol"], maxiter=100))


def two_classes(n, count):
    """Covariances of 3n samples of one mixture, whose first sources differ between the classes."""
    mixture = rng.standard_normal((n, n))
    y = np.arange(count) % 2
    x = np.empty((count, n, n))
    for k in range(count):
        s = rng.standard_normal((n, 3 * n))
        s[:n // 8] *= 1.5 ** (y[k] / 2)
        s = mixture @ s
        x[k] = s @ s.T / (3 * n)
    return x, y


def classifier(c, predicts):
    from pyriemann.classification import MDM, FgMDM
    from pyriemann.tangentspace import TangentSpace
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    n = c["n"]
    need = 8 * (n * (n + 1) // 2) ** 2
    if c["method"] == "fgmdm" and need > 4 << 30:
        raise ImportError("its scatter would take %.1f GB" % (need / 1e9))
    x, y = once(("two", n), lambda: two_classes(n, c["count"]))
    make = {"mdm": MDM, "fgmdm": FgMDM,
            "tslda": lambda: make_pipeline(TangentSpace(), LinearDiscriminantAnalysis())}[c["method"]]
    if not predicts:
        return lambda: make().fit(x, y)
    model = once((c["method"], n), lambda: make().fit(x, y))
    return lambda: model.predict_proba(x)


def sqfa_fit(c):
    # the package is written for a torch whose squeeze takes several axes
    import torch as t
    plain = t.squeeze

    def squeeze(x, dim=None):
        for d in sorted(dim, reverse=True) if isinstance(dim, tuple) else ():
            x = plain(x, d)
        if isinstance(dim, tuple):
            return x
        return plain(x) if dim is None else plain(x, dim)
    t.squeeze = squeeze
    import sqfa
    data = np.load(c["path"])
    stats = {k: t.tensor(data[k], dtype=t.float32) for k in ("means", "covariances")}

    def run():
        m = sqfa.model.SQFA(n_dim=stats["means"].shape[1], n_filters=9, feature_noise=1.0)
        m.fit_pca(data_statistics=stats)
        m.fit(data_statistics=stats, show_progress=False)
    return run


def repeat(run, limit):
    """Runs once, and on until the limit of seconds; returns seconds and runs."""
    took, times = 0.0, 0
    start = time.perf_counter()
    while times == 0 or took < limit:
        run()
        took, times = time.perf_counter() - start, times + 1
    return took, times


cases = {
    "syrk64": lambda c: syrk(c, "float64"), "syrk32": lambda c: syrk(c, "float32"), "statistics": statistics,
    "statistics-torch": statistics_torch, "project": project, "eigh": lambda c: on_stack(c, np.linalg.eigh),
    "eigh-torch": eigh_torch, "cholesky": lambda c: on_stack(c, np.linalg.cholesky),
    "gemm": lambda c: on_stack(c, lambda a: a @ a), "distances": pyriemann_distances, "mean": pyriemann_mean,
    "sqfa": sqfa_fit, "classifier-fit": lambda c: classifier(c, False),
    "classifier-predict": lambda c: classifier(c, True),
}

print(json.dumps({"numpy": np.__version__, "torch": torch.__version__ if torch else None}), flush=True)
for line in sys.stdin:
    case = json.loads(line)
    try:
        if case["name"].endswith("-torch") and torch is None:
            raise ImportError("torch is not installed")
        run = cases[case["name"]](case)
        with contextlib.redirect_stdout(sys.stderr):  # a peer may chat
            turn = float(sys.argv[2])
            took, times = repeat(run, 0)
            if took < 8 * turn:
                took, times = repeat(run, turn)
        print(json.dumps({"seconds": took / times}), flush=True)
    except ImportError as e:
        print(json.dumps({"absent": str(e)}), flush=True)
