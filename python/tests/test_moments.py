"""Statistics from arrays: means and covariances in, features, distances and models out."""


import numpy as np
import pytest
from conftest import blobs, filtered

import rao


def moments(classes=3, n=4, seed=0):
    r = np.random.default_rng(seed)
    a = r.normal(size=(classes, n, 2 * n))
    return r.normal(size=(classes, n)), a @ a.swapaxes(1, 2) / (2 * n)


def test_from_moments():
    X, y = blobs()
    s = rao.stats(X, y)
    t = rao.Statistics.from_moments(s.means, s.covariances, s.counts)
    assert t.classes == ["0", "1", "2"] and np.array_equal(t.counts, s.counts)
    assert np.array_equal(t.means, s.means) and np.allclose(t.covariances, s.covariances, rtol=1e-15)
    second = np.stack([np.cov(X[y == k].T) + np.outer(X[y == k].mean(0), X[y == k].mean(0)) for k in range(3)])
    assert np.allclose(t.second_moments, second)
    pytest.importorskip("sklearn")
    a = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    b = rao.SQFA(filters=2, noise=0.1).fit_statistics(t)
    c = rao.SQFA(filters=2, noise=0.1).fit_statistics({"means": s.means, "covariances": s.covariances, "counts": s.counts})
    assert np.allclose(abs(a.filters_), abs(b.filters_), atol=1e-5) and np.array_equal(b.filters_, c.filters_)
    assert b.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("change, words", [
    (dict(means=np.ones(3)), r"means of shape \(3,\)"),
    (dict(covariances=np.ones((3, 4, 5))), "do not match"),
    (dict(means=np.full((3, 4), np.nan)), "not finite"),
    (dict(covariances=np.triu(np.ones((3, 4, 4)))), "covariance 0 .counted from 0. is not symmetric"),
    (dict(counts=[5, 5]), "a whole number of 1 or more for each of 3 classes"),
    (dict(counts=[5, 5, 0]), "a whole number"),
    (dict(counts=[5, 5, 1.5]), "a whole number"),
    (dict(classes=["a", "b"]), "classes has 2 values, but means has 3 rows"),
    (dict(classes=["a", "b", "b"]), "b twice"),
    (dict(means="means"), "single value|text"),
])
def test_moments_that_are_none(change, words):
    means, covariances = moments()
    with pytest.raises(rao.RaoError, match=words):
        rao.Statistics.from_moments(**{"means": means, "covariances": covariances, **change})


def test_exact_moments_do_not_add_up(tmp_path):
    means, covariances = moments()
    exact = rao.Statistics.from_moments(means, covariances)
    counted = rao.Statistics.from_moments(means, covariances, [10, 20, 30])
    assert "without counts" in repr(exact)
    for call, words in ((lambda: exact.merge(counted), "merged"), (lambda: counted + exact, "merged"),
                        (lambda: exact.save(tmp_path / "s.npz"), "saved"),
                        (lambda: exact.partial_fit(np.ones((3, 4)), [0, 1, 2]), "added to")):
        with pytest.raises(rao.RaoError, match=f"cannot be {words}; give counts"):
            call()
    both = counted + counted.merge()
    assert both.counts.tolist() == [20, 40, 60] and np.allclose(both.means, means)
    assert np.array_equal(sum([counted, counted]).covariances, both.covariances)
    with pytest.raises(TypeError):
        counted + 1


def test_projected_statistics_are_those_of_the_features():
    pytest.importorskip("sklearn")
    X, y = blobs(d=6)
    X = X * [1, 2, 3, 4, 5, 60] + 7
    s = rao.stats(X, y)
    f = np.random.default_rng(1).normal(size=(6, 2))
    got, want = s.project(f), rao.stats(X @ f, y)
    assert np.allclose(got.means, want.means) and np.allclose(got.covariances, want.covariances)
    m = rao.SQFA(filters=3, noise=0.1).fit(X, y)
    want = rao.stats(m.transform(X), y)
    for model in (m, m.model_):
        got = s.project(model)
        assert np.allclose(got.means, want.means) and np.allclose(got.covariances, want.covariances)
        assert got.classes == s.classes and np.array_equal(got.counts, s.counts)
    with pytest.raises(rao.RaoError, match="confirm="):
        s.project(m) + s.project(m)  # the same rows, which projected statistics know too
    for wrong, words in ((f.T, "give their transpose"), (f[:4], "with 6 features"), (rao.KNN().fit(X, y), "no linear filters"),
                         (rao.PCA(filters=2).fit(X[:, :4], y), "needs 4 features")):
        with pytest.raises(rao.RaoError, match=words):
            s.project(wrong)


def test_squared_distances():
    s = rao.Statistics.from_moments(*moments())
    for name in ("fisher_rao", "calvo_oller", "wasserstein"):
        assert np.allclose(s.distance(name, squared=True), s.distance(name) ** 2)
    with pytest.raises(rao.RaoError, match="has no square; leave out squared"):
        s.distance("bhattacharyya", squared=True)
    with pytest.raises(rao.RaoError, match="not positive definite.*; give noise, shrink the covariances, or"):
        rao.Statistics.from_moments(np.zeros((2, 2)), np.stack([np.eye(2), np.ones((2, 2))])).distance()


@pytest.mark.parametrize("given, error, words", [
    ({"means": np.ones((2, 3))}, rao.RaoError, "has no covariances"),
    ({"means": np.ones((2, 3)), "covariances": np.stack([np.eye(3)] * 2), "names": ["a", "b"]}, rao.RaoError,
     "has the key names; rename it to classes"),
    (np.ones((2, 3, 3)), TypeError, "or a dict with means and covariances"),
    (rao.Statistics(), rao.RaoError, "contain no rows"),
])
def test_statistics_that_are_none(given, error, words):
    pytest.importorskip("sklearn")
    with pytest.raises(error, match=words):
        rao.SQFA().fit_statistics(given)


def test_the_moments_of_the_package_sqfa():
    """Its distances and scatters have counterparts here: distances of SQFA differ by sqrt(2), and it adds 1e-6 below
    the root."""
    torch = pytest.importorskip("torch")
    sqfa = pytest.importorskip("sqfa")
    pytest.importorskip("sklearn")
    X, y = blobs()
    X = torch.tensor(X)
    given = sqfa.statistics.class_statistics(X, torch.tensor(y))
    s = rao.Statistics.from_moments(given["means"], given["covariances"])
    assert np.allclose(s.second_moments, given["second_moments"])
    f = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 2)))[0].astype(np.float32)
    theirs = sqfa.model.SQFA(n_dim=5, n_filters=2, filters=torch.tensor(f.T), feature_noise=0.1)
    own = s.project(theirs.filters.detach().T)
    given = {k: v.float() for k, v in given.items()}
    assert np.allclose(own.covariances, theirs.transform_scatters(given["covariances"]).detach(), rtol=1e-4)
    off = ~np.eye(3, dtype=bool)
    for noise in (0, 0.1):
        want = theirs.get_class_distances(given, regularized=noise > 0).detach().numpy()
        got = np.sqrt(2 * own.distance("calvo_oller", noise, squared=True) + 1e-6)
        assert np.allclose(got[off], want[off], rtol=1e-4)
    second = sqfa.model.SecondMomentsSQFA(n_dim=5, n_filters=2, filters=torch.tensor(f.T))
    want = second.get_class_distances(given["second_moments"]).detach().numpy()
    assert np.allclose(np.sqrt(rao.distance(own.second_moments) ** 2 + 1e-6)[off], want[off], rtol=1e-4)
    assert np.allclose(own.distance("riemann")[off], want[off], rtol=1e-4)
    fitted = rao.SecondMomentsSQFA(filters=2, noise=0.1, scale=None).fit_statistics(given["second_moments"])
    same = {"means": np.zeros((3, 5)), "covariances": given["second_moments"]}
    assert np.array_equal(fitted.filters_, rao.SecondMomentsSQFA(filters=2, noise=0.1, scale=None).fit_statistics(same).filters_)


def test_sample_weights_count_as_repeated_rows():
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(120, 3)), np.arange(120) % 2, rng.integers(0, 4, 120)
    X[y == 1] += 1
    twice, labels = np.repeat(X, w, axis=0), np.repeat(y, w)
    for cls in (rao.LDA, rao.QDA):
        a, b = cls().fit(X, y, sample_weight=w), cls().fit(twice, labels)
        assert np.allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
    a, b = rao.stats(X, y, sample_weight=w), rao.stats(twice, labels)
    assert np.allclose(a.covariances, b.covariances) and np.allclose(a.weights, b.counts) and b.weights is None
    parts = rao.Statistics(classes=[0, 1])
    parts.partial_fit(X[:60], y[:60], w[:60]).partial_fit(X[60:], y[60:], w[60:])
    assert np.allclose(parts.covariances, b.covariances)
    with pytest.raises(rao.RaoError, match="have weights"):
        a.merge(rao.stats(X + 1, y))
    with pytest.raises(ValueError, match="one value for each of 120"):
        rao.LDA().fit(X, y, sample_weight=w[:5])
    many = y & (np.arange(120) % 3 == 0)
    even = rao.LDA(class_weight="balanced").fit(X, many)
    assert even.predict(X).sum() > rao.LDA(class_weight=None).fit(X, many).predict(X).sum()


def test_single_precision_is_not_forgotten(tmp_path):
    X, y = blobs(d=4)
    X = np.hstack([X, X[:, :2] + X[:, 2:]])
    s = rao.stats(X, y)
    single = rao.Statistics.from_moments(s.means, s.covariances.astype(np.float32), counts=s.counts, classes=s.classes)
    single.save(tmp_path / "s.npz")
    back = rao.Statistics.load(tmp_path / "s.npz")
    for known in (single, back, back.merge(s, confirm=["columns", "rows"]), single.project(np.eye(6))):
        with pytest.warns(rao.RaoWarning, match="the covariances have single precision"):
            rao.SQFA(filters=6, noise=3e-7, max_iter=50).fit_statistics(known)
    with filtered("error", "the covariances have single precision", rao.RaoWarning):
        rao.SQFA(filters=6, noise=3e-7, max_iter=50).fit_statistics(s)
