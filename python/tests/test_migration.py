"""The migration pages: both cells of a row run, and where the third is empty they give the same numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs, diagonals, spd_data

import rao

pytest.importorskip("sklearn")
plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")
docs = Path(__file__).resolve().parents[2] / "docs"
if not docs.exists():
    pytest.skip("no checkout around the tests", allow_module_level=True)


def page(package):
    return (docs / f"migration-{package.lower()}.md").read_text(encoding="utf-8")


def rows(package):
    """The rows of a page's first table: their code, ours, and what differs."""
    text = page(package).split("\n## Calls\n")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip().strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| `")]
    return [(a[1:-1], b.rstrip(" |")[1:-1], "".join(c).strip(" |")) for a, b, *c in cells]


def same(theirs, ours, note):
    theirs, ours = (np.asarray(v.detach() if hasattr(v, "detach") else v, float) for v in (theirs, ours))
    assert theirs.squeeze().shape == ours.squeeze().shape
    theirs, ours = theirs.squeeze(), ours.squeeze()
    if "lengths" in note:
        theirs, ours = (v / np.linalg.norm(v, axis=-1, keepdims=True) for v in (theirs, ours))
    if "signs" in note:
        theirs, ours = abs(theirs), abs(ours)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6 * abs(theirs).max() + 1e-7)


def lengths(a, b):
    return ((a["means"][:, None] - b["means"][None, :]) ** 2).sum(-1)


def of_matrices(a, b):
    a, b = (x.diagonal(dim1=1, dim2=2) for x in (a, b))
    return ((a[:, None] - b[None, :]) ** 2).sum(-1)


@pytest.fixture(scope="module")
def of_sqfa():
    torch, sqfa = pytest.importorskip("torch"), pytest.importorskip("sqfa")
    import scipy.linalg

    X, y = blobs()
    mine = {"model": rao.SQFA(filters=2, noise=0.1, scale=None, center=False).fit(X, y),
            "sm": rao.SecondMomentsSQFA(filters=2, noise=0.1, scale=None, center=False).fit(X, y)}
    t = torch.as_tensor(X, dtype=torch.float32)
    s = sqfa.statistics.class_statistics(t, torch.as_tensor(y))
    made = {"model": sqfa.model.SQFA, "sm": sqfa.model.SecondMomentsSQFA}
    fresh = {k: lambda k=k: made[k](n_dim=5, feature_noise=0.1, filters=np.ascontiguousarray(mine[k].filters_.T)) for k in mine}
    C = s["covariances"]
    theirs = {"sqfa": sqfa, "X": t, "y": torch.as_tensor(y), "s": s, "C": C, "A": C[0], "B": C[1], "SQFA": sqfa.model.SQFA,
              "SecondMomentsSQFA": sqfa.model.SecondMomentsSQFA, "my_function": lengths, "of_matrices": of_matrices}
    n = {k: np.asarray(v, float) for k, v in s.items()}
    ours = {"rao": rao, "np": np, "scipy": scipy, "X": np.asarray(t, float), "y": y, "s": n, "C": n["covariances"],
            "A": n["covariances"][0], "B": n["covariances"][1], "my_function": lengths, "of_matrices": of_matrices,
            **{k: getattr(rao, k) for k in ("SQFA", "SecondMomentsSQFA", "PCA")}}
    return fresh, theirs, mine, ours


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left, right, note", rows("sqfa"), ids=lambda v: v[:60])
def test_sqfa(left, right, note, of_sqfa):
    fresh, theirs, mine, ours = of_sqfa
    fits = ".fit" in left
    a = eval(left, {**theirs, "ax": plt.gca(), **{k: f() for k, f in fresh.items()}})
    b = eval(right, {**ours, "ax": plt.gca(), **mine})
    plt.close("all")
    assert b is not None
    if hasattr(b, "fit"):
        b.fit(ours["X"], ours["y"])
    if fits or note or hasattr(b, "fit"):
        return
    if "class_distances" in left or "distances." in left:  # theirs are never 0
        a, b = (np.array(v.detach() if hasattr(v, "detach") else v) for v in (a, b))
        np.fill_diagonal(a, 0), np.fill_diagonal(b, 0)
    if "pca" in left:
        note = "signs"
    same(a, b, note)


def quality(filters, s, name, noise):
    """The mean distance of the classes that filters reach."""
    return rao.Statistics.from_moments(s["means"], s["covariances"]).project(filters).distance(name, noise=noise).mean()


def toy(scale, shrink):
    turns = [np.eye(6) for _ in range(3)]
    for turn, angle in zip(turns, np.deg2rad([15, 45, 70])):
        turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    C = np.stack([t @ np.diag([0.7, 0.01, 0.5, 0.5, 1, 1]) @ t.T for t in turns])
    C[:, 2:4, 2:4] *= shrink
    M = scale * np.array([[0, 0, 0.2, -0.1, 0, 0], [0, 0, 0, 0.2, 0, 0], [0, 0, -0.2, -0.1, 0, 0]])
    return {"means": M, "covariances": C}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("moments", [toy(1, 1), toy(5, 0.2)], ids=["covariances", "means"])
@pytest.mark.parametrize("name", ["SQFA", "SecondMomentsSQFA"])
def test_filters_of_the_toy_problem(name, moments):
    """Fits of both packages reach the same mean distance in the same subspace."""
    torch, sqfa = pytest.importorskip("torch"), pytest.importorskip("sqfa")
    torch.manual_seed(2)
    theirs = getattr(sqfa.model, name)(n_dim=6, n_filters=2, feature_noise=0.01)
    theirs.fit(data_statistics={k: torch.tensor(v, dtype=torch.float32) for k, v in moments.items()}, show_progress=False)
    ours = getattr(rao, name)(filters=2, noise=0.01, scale=None, center=False, starts=3, tol=1e-10).fit_statistics(moments)
    distance = "calvo_oller" if name == "SQFA" else "riemann"
    F = np.asarray(theirs.filters.detach(), float).T
    F /= np.linalg.norm(F, axis=0)
    a, b = (quality(f, moments, distance, 0.01) for f in (F, ours.filters_))
    assert b > a - 1e-5
    where = [(f.reshape(3, 2, 2) ** 2).sum((1, 2)).argmax() for f in (F, ours.filters_)]
    assert where[0] == where[1]
    if abs(a - b) < 1e-4:
        overlap = np.linalg.svd(np.linalg.qr(F)[0].T @ np.linalg.qr(ours.filters_)[0])[1]
        assert overlap.min() > 0.999


def test_accuracies_of_the_digits():
    """The tutorial's loop on digits: QDA on PCA and SQFA filters of both packages, within one point."""
    torch, sqfa = pytest.importorskip("torch"), pytest.importorskip("sqfa")
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    (X, y), (Z, u) = rao.load_digits(), rao.load_digits("test")
    scale = X.std() * 8
    X, Z = (X - X.mean(0)) / scale, (Z - X.mean(0)) / scale
    t = torch.tensor(X, dtype=torch.float32)
    torch.manual_seed(2)
    theirs = sqfa.model.SQFA(n_dim=64, n_filters=6, feature_noise=0.002)
    theirs.fit_pca(t)
    theirs.fit(t, torch.tensor(y), show_progress=False)
    F = np.asarray(theirs.filters.detach(), float).T
    of_theirs = QuadraticDiscriminantAnalysis().fit(X @ F, y).score(Z @ F, u)
    ours = rao.SQFA(filters=6, noise=0.002, scale=None, center=False).fit(X, y).score(Z, u)
    assert ours > of_theirs - 0.01 and ours > 0.9


@pytest.fixture(scope="module")
def of_pyriemann():
    pytest.importorskip("pyriemann")
    import matplotlib
    from pyriemann import artifact_detection, classification, clustering, datasets, embedding, estimation, regression, spatialfilters
    from pyriemann import stats, tangentspace, transfer
    from pyriemann.geometry import base, covariance, distance, geodesic, mean, median
    from pyriemann.geometry import tangentspace as tangents
    from pyriemann.utils import viz
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics.pairwise import polynomial_kernel

    X, y = spd_data(90, 5, 2, seed=1)
    rng = np.random.default_rng(0)
    holes = X.copy()
    holes[3, 1], holes[3][:, 1] = np.nan, np.nan
    epochs = rng.normal(size=(90, 4, 60)) + y[:, None, None] * np.sin(np.arange(60) / 5) * np.arange(1, 5)[:, None]
    domains = np.where(np.arange(90) % 5 < 2, "s07", "s01")
    both = {"np": np, "plt": plt, "X": X, "y": y, "A": X[0], "B": X[1], "X1": X[:, :2, :2], "X2": X[:, 2:, 2:], "epochs": epochs,
            "w": rng.uniform(1, 2, 90), "holes": holes, "T": rao.tangent(X, X[0]), "domains": domains, "cospectra": X[:4], "hertz": np.arange(4),
            "y_enc": transfer.encode_domains(X, y, domains)[1], "recording": rao.simulate("movement", trials=10, seed=1),
            "my_distance": diagonals, "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis, "polynomial_kernel": polynomial_kernel, "matplotlib": matplotlib}
    theirs = dict(both)
    for module in (artifact_detection, classification, clustering, datasets, embedding, estimation, regression, spatialfilters, stats,
                   tangentspace, transfer, base, covariance, distance, geodesic, mean, median, tangents, viz):
        theirs.update({n: v for n, v in vars(module).items() if n[0] != "_" and n not in both})
    return theirs, {**both, "rao": rao, **{n: getattr(rao, n) for n in dir(rao) if n[0].isupper()}}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("left, right, note", rows("pyRiemann"), ids=lambda v: v[:60])
def test_pyriemann(left, right, note, of_pyriemann):
    theirs, ours = ({**names, "ax": plt.gca()} for names in of_pyriemann)
    X, y = theirs["X"], theirs["y"]
    a, b = eval(left, theirs), eval(right, ours)
    plt.close("all")
    assert b is not None
    if hasattr(b, "fit") and "repair" not in right:
        target = X[:, 0, 0] if "Regressor" in left or "SVR" in right else y
        a.fit(X, target), b.fit(X, target)
        agree = np.mean(np.asarray(a.predict(X)) == np.asarray(b.predict(X))) if target is y else None
        assert agree is None or agree > 0.97
        if target is y and not note and hasattr(a, "predict_proba"):
            same(a.predict_proba(X), b.predict_proba(X), note)
    elif not note or "sign" in note:
        if hasattr(a, "savefig") or "plot_" in left:
            return
        if left.startswith("Xdawn") and "transform" in left:  # the distances between matrices do not depend on signs
            a, b = rao.distance(a), rao.distance(b)
        if left.startswith("Potato") and "predict(" in left:
            assert np.array_equal(a, b)
        same(a, b, note)


def test_every_call_of_the_examples_has_a_row():
    """What the tutorials and the first examples call, as their files had it on 2026-11-23."""
    text = page("pyRiemann")
    table = "\n".join(left for left, _, _ in rows("pyRiemann"))
    missing = text.split("not available in rao |")[1].split("\n\n")[0]
    for name in set(re.findall(r"`(\w+)`", missing)):
        assert re.search(rf"\b{name}\(", table) or name == "Coherences", name
    assert "def coherences" in text and missing.count("\n| ") == 20
    of_sqfa = "\n".join(left for left, _, _ in rows("sqfa"))
    for name in ("SQFA", "SecondMomentsSQFA", "fit", "fit_pca", "transform", "transform_scatters", "get_class_distances", "class_statistics",
                 "affine_invariant", "fisher_rao_lower_bound", "generalized_eigenvectors", "spd_sqrt", "conjugate_matrix",
                 "statistics_ellipses", "scatter_data"):
        assert f"{name}(" in of_sqfa, name


@pytest.mark.filterwarnings("ignore")
def test_blocks(tmp_path, monkeypatch):
    """The code below the tables runs, and finds what the tutorials and examples find."""
    pytest.importorskip("torch")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {}
    for package in ("sqfa", "pyRiemann"):
        here = {}
        for code in re.findall(r"```python\n(.*?)```", page(package), re.S):
            exec(compile(code, code, "exec"), here)
            plt.close("all")
        names |= here
    assert names["chosen"] == {"SQFA": 1, "smSQFA": 1, "LDA": 2, "PCA": 3}
    assert abs(names["sqfa"].filters_[[0, 1, 4, 5]]).max() < 0.1 < 0.9 < abs(names["second"].filters_[:2]).max()
    assert abs(names["affine"].filters_[2:]).max() < 0.01 and abs(names["bures"].filters_[:2]).max() < 0.02
    first, second = names["wasserstein"].filters_.T
    assert abs(first @ second) > 0.999 and abs(np.dot(*names["fisher"].filters_.T)) < 0.99
    named = rao.SQFA(distance="wasserstein", **names["low_noise"]).fit_statistics(names["gaussians"])
    a, b = (quality(m.filters_, names["gaussians"], "wasserstein", 0.001) for m in (names["wasserstein"], named))
    assert abs(a - b) < 1e-3
    assert names["c"].best.startswith("SQFA")


def test_sources_are_those_of_ajdc():
    spatialfilters = pytest.importorskip("pyriemann.spatialfilters")
    recording = rao.simulate("movement", trials=20, seed=3, blinks=4)
    S = 1e6 * recording.data
    theirs = spatialfilters.AJDC(window=128, overlap=0.5, fmin=1, fmax=32, fs=recording.rate, dim_red={"max_cond": 100}, verbose=False)
    theirs.fit(S[None, None])
    options = dict(low=1, high=32, segment=128 / recording.rate, max_condition=100)
    sources = recording.clean(**options)
    filters, patterns = np.array([s["filter"] for s in sources]), np.array([s["pattern"] for s in sources]).T
    assert len(sources) == theirs.n_sources_ and np.allclose(patterns @ filters, np.eye(16), atol=1e-8)
    blink = int(np.argmax([s["kurtosis"] for s in sources]))
    mine, other = filters @ S, theirs.transform(S[None])[0]
    found = abs(np.corrcoef(mine[blink], other)[0, 1:])
    assert found.max() > 0.99999
    cleaned = patterns @ (mine * (np.arange(16) != blink)[:, None])
    assert np.allclose(1e6 * recording.clean(blink + 1, **options).data, cleaned, atol=1e-6)
    want = theirs.inverse_transform(other[None], supp=[int(found.argmax())])[0]
    assert abs(cleaned - want).std() < 0.01 * want.std()  # theirs stops after fewer sweeps
