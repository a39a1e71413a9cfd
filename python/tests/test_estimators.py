"""The estimators keep scikit-learn's contract."""

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs, filtered, spd_data

import rao

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.decomposition import PCA as SklearnPCA  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from rao._base import Matrices, Trials, Vectors  # noqa: E402
from rao._labels import numbered  # noqa: E402

names = list(rao._methods.modules())
on_vectors = [n for n in names if issubclass(getattr(rao, n), Vectors)]
on_matrices = [n for n in names if issubclass(getattr(rao, n), Matrices)]
on_trials = [n for n in names if issubclass(getattr(rao, n), Trials)]
quick = {"epochs": 5, "max_iter": 20}


def make(name, **options):
    e = getattr(rao, name)(**options)
    return e.set_params(**{k: v for k, v in quick.items() if k in e.get_params() and k not in options})


def test_a_wing_can_be_deleted(tmp_path):
    shutil.copytree(Path(rao.__file__).parent, tmp_path / "rao", ignore=shutil.ignore_patterns("*_eeg.py", "_bin", "__pycache__"))
    program = "import rao; print(rao.__file__, rao.SQFA.__name__, hasattr(rao, 'Xdawn'), 'Xdawn' in dir(rao))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.split() == [str(tmp_path / "rao" / "__init__.py"), "SQFA", "False", "False"], done.stderr
    assert rao.Xdawn.__module__ == "rao.estimators_eeg" and "Xdawn" in dir(rao)


def test_star_imports_all_public_names():
    program = ("import sys\nif {0}: sys.modules['sklearn'] = None\nfrom rao import *\n"
               "print(sorted(n for n in ('SQFA', 'Potato', 'stats', 'plot_filters', 'importlib') if n in globals()))")
    for without, want in ((False, "['Potato', 'SQFA', 'plot_filters', 'stats']"), (True, "['plot_filters', 'stats']")):
        ran = subprocess.run([sys.executable, "-c", program.format(without)], capture_output=True, text=True)
        assert ran.stdout.strip() == want, ran.stderr


@pytest.mark.parametrize("labels", [
    [3, 1, 3, 2, 1], [-5, 7, -5, 7], [250, 0, 250], [10**12, 10**12 + 1, 10**12], [-2**63, 2**63 - 1, 5], [2, 10**9, 2],
])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", "f8", "U20", "O"])
def test_labels_are_numbered_in_their_order(labels, dtype):
    with filtered("ignore"):
        y = np.array(labels).astype(dtype)
    classes, numbers = numbered(y)
    want, want_numbers = np.unique(y, return_inverse=True)
    assert classes.dtype == want.dtype and np.array_equal(classes, want)
    assert numbers.dtype == np.int64 and np.array_equal(numbers, want_numbers)


@pytest.mark.parametrize("name", on_vectors)
def test_contract(name):
    with filtered("ignore"):
        check_estimator(getattr(rao, name)(), expected_failed_checks={
            "check_sample_weight_equivalence_on_dense_data": "a class of its data has one observation, or no spread"})


def test_every_method_is_an_estimator():
    assert len(on_vectors) + len(on_matrices) + len(on_trials) == len(names)


@pytest.mark.parametrize("name", on_trials)
def test_trials(name):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3, 25))
    X[y == 1] += np.array([2, -1, 0.6])[:, None] * np.sin(np.linspace(0, 3, 25))
    e = getattr(rao, name)()
    if name == "TRCA":  # is for steady-state responses: each class oscillates at its own frequency
        cycles = np.where(y == 1, 4, 2)[:, None] * np.arange(25) / 25
        X = rng.normal(size=X.shape) + np.array([2, -1, 0.6])[:, None] * np.sin(2 * np.pi * cycles)[:, None]
    assert cross_val_score(e, X, y).mean() > 0.8
    e.fit(X, y)
    if name != "TRCA":
        Z = e.transform(X)
        assert Z.ndim == 3 and Z.shape[1] == Z.shape[2] and len(Z) == 60
    assert np.array_equal(clone(e).fit(X, y).predict_proba(X), e.predict_proba(X))
    with pytest.raises(ValueError, match="needs trials"):
        e.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="but the training trials have 3 and 25"):
        e.predict(X[:, :2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", on_matrices)
def test_matrices(name):
    X, y = spd_data()
    e = make(name).fit(X, y)
    assert e.score(X, y) > 0.8
    p = e.predict_proba(X)
    assert p.shape == (len(X), 3) and np.allclose(p.sum(1), 1)
    assert np.allclose(np.exp(e.predict_log_proba(X)), p)
    again = pickle.loads(pickle.dumps(e))
    assert np.array_equal(again.predict_proba(X), p)
    distances = name == "MDM"  # transform gives the distances from the means
    assert hasattr(e, "transform") == (e.model_.has_features or distances)
    if hasattr(e, "transform"):
        assert e.transform(X).shape[1] == e._n_features_out
    if hasattr(e, "partial_fit"):
        e.partial_fit(X[:10], y[:10])
        assert e.score(X, y) > 0.8
    copy = clone(e)
    with pytest.raises(ValueError, match="order"):
        e.predict(X[:, :3, :3])
    with pytest.raises(ValueError, match="shape"):
        copy.fit(X[:, 0], y)
    with pytest.raises(ValueError, match="1 class"):
        copy.fit(X, np.zeros(len(X)))
    bad = X.copy()
    bad[4, 1, 1] = np.nan
    with pytest.raises(ValueError, match="4"):
        copy.fit(bad, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", on_vectors)
def test_vectors(name):
    X, y = blobs()
    e = make(name).fit(X, y)
    assert e.model_.has_features == hasattr(e, "transform")
    if "filters" in e.get_params():
        assert e.filters_.shape[0] == 5
        assert e.get_feature_names_out()[0] == name.lower() + "0"


def test_statistics_teach_the_same():
    X, y = blobs()
    whole = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    parts = rao.SQFA(filters=2, noise=0.1)
    for i in range(0, len(X), 60):
        parts.partial_fit(X[i : i + 60], y[i : i + 60], classes=[0, 1, 2])
    shared = rao.SQFA(filters=2, noise=0.1).fit_statistics(rao.stats(X, y))
    for other in (parts, shared):
        assert np.allclose(other.filters_, whole.filters_, atol=1e-5)
    assert np.array_equal(parts.predict(X), whole.predict(X))
    assert shared.classes_.dtype.kind == "i" and shared.score(X, y) == whole.score(X, y)


def test_text_labels_and_pandas():
    pd = pytest.importorskip("pandas")
    X, y = blobs()
    names = np.array(["low", "mid", "top"])[y]
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(5)])
    e = rao.SQFA(filters=2, noise=0.1).set_output(transform="pandas").fit(frame, names)
    z = e.transform(frame)
    assert list(z.columns) == ["sqfa0", "sqfa1"] and list(e.feature_names_in_) == list(frame.columns)
    assert e.model_.columns == list(frame.columns)
    assert e.score(frame, names) > 0.9 and set(e.predict(frame)) == set(names)
    assert np.array_equal(e.predict(frame[frame.columns[::-1]]), e.predict(frame))
    with pytest.raises(ValueError, match="feature names(?s:.*)- c1"):
        e.predict(frame.drop(columns="c1"))


def test_options_reach_the_method():
    X, y = blobs()
    e = rao.SQFA(filters=2, noise=0.25, distance="bhattacharyya", priors=[0.2, 0.3, 0.5], center=False).fit(X, y)
    assert e.model_.options == {"filters": "2", "noise": "0.25", "distance": "bhattacharyya", "priors": "0.2,0.3,0.5", "center": "false"}
    start = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 2)))[0]
    with filtered("ignore"):
        near = rao.SQFA(filters=2, noise=0.25, init=start, max_iter=1).fit(X, y)
    assert not np.allclose(near.filters_, e.filters_)
    with pytest.raises(ValueError, match="filters"):
        rao.SQFA(filters=0).fit(X, y)
    with pytest.raises(ValueError, match="softmin"):
        rao.SQFA(beta=2.0).fit(X, y)
    no = rao.SQFA(classifier=None, noise=0.1).fit(X, y)
    assert not hasattr(no, "predict") and no.transform(X).shape == (len(X), 2)


def test_warning_of_no_convergence():
    from sklearn.exceptions import ConvergenceWarning

    X, y = blobs()
    with pytest.warns(ConvergenceWarning):
        rao.SQFA(filters=2, noise=0.1, max_iter=1, tol=1e-15).fit(X, y)


def test_progress(capfd):
    X, y = blobs()
    rao.SQFA(filters=2, verbose=True).fit(X, y)
    assert "sqfa" in capfd.readouterr().err


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_parallel_searches(backend):
    joblib = pytest.importorskip("joblib")
    X, y = spd_data()
    steps = make_pipeline(rao.TangentSpace(classifier=None), LogisticRegression())
    with joblib.parallel_backend(backend):
        search = GridSearchCV(rao.MDM(), {"metric": ["riemann", "logeuclid"]}, cv=2, n_jobs=2).fit(X, y)
        scores = cross_val_score(steps, X, y, cv=2, n_jobs=2)
    assert search.best_score_ > 0.8 and scores.min() > 0.8


def test_inside_pipelines():
    X, y = blobs()
    pipe = make_pipeline(SklearnPCA(3), rao.SQFA(filters=2, noise=0.1)).fit(X, y)
    assert pipe.score(X, y) > 0.9
    features = make_pipeline(rao.SQFA(filters=2, noise=0.1), LogisticRegression()).fit(X, y)
    assert features.score(X, y) > 0.9


def test_partial_fit_continues_or_warns():
    X, y = blobs()
    a, b = slice(0, None, 2), slice(1, None, 2)
    shared = rao.stats(X[a], y[a])
    for e in (rao.SQFA(filters=2, noise=0.1), rao.PCA(), rao.LDA(), rao.QDA(), rao.LDAFilters()):
        with pytest.warns(rao.RaoWarning, match="partial_fit discards the result of fit"):
            e.fit(X[a], y[a]).partial_fit(X[b], y[b])
        assert np.sum(e.model_.counts) == len(X[b])
        e.fit_statistics(shared).partial_fit(X[b], y[b])
        assert np.sum(e.model_.counts) == len(X) and np.sum(shared.counts) == len(X[a])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["PLRSQ", "LogEuclideanPLRSQ", "MatrixRSLVQ", "RSLVQ"])
def test_the_option_decision_leaves_the_method_decide(name):
    X, y = blobs() if name == "RSLVQ" else spd_data()
    e = make(name).set_params(decision="nearest", prototypes=2).fit(X, y)
    assert e.model_.options["decide"] == "nearest"
    assert np.array_equal(e.decide(X).label, e.predict(X))
