"""Distances that are written in Python."""


import numpy as np
import pytest
from conftest import blobs, filtered

import rao

pytest.importorskip("sklearn")


def shift(mean_a, cov_a, mean_b, cov_b):
    """Half the squared distance of the means in the mean covariance: Mahalanobis's, with derivatives."""
    d = mean_a - mean_b
    p = np.linalg.inv((cov_a + cov_b) / 2)
    g = p @ d
    return d @ g / 2, (g, -np.outer(g, g) / 4, -g, -np.outer(g, g) / 4)


def test_a_function_of_two_classes():
    X, y = blobs()
    own = rao.SQFA(filters=2, noise=0.1, distance=shift).fit(X, y)
    assert own.model_.options["distance"] == "callable" and own.score(X, y) > 0.9
    s = rao.stats(X, y).project(own)
    assert np.allclose(s.distance(shift), s.distance("mahalanobis", squared=True) / 2)
    assert np.allclose(s.distance(shift, noise=1), s.distance("mahalanobis", noise=1, squared=True) / 2)
    mean = np.mean(s.distance(shift, noise=0.1)[np.triu_indices(3, 1)])
    assert own.model_.report["objective"] == pytest.approx(mean, rel=1e-6)
    again = rao.SQFA(filters=2, noise=0.1, distance=shift).fit(X, y)
    assert np.array_equal(own.filters_, again.filters_)


def test_torch_gives_the_derivatives(tmp_path):
    torch = pytest.importorskip("torch")

    def mahalanobis(a, b):
        d = a["means"][:, None] - b["means"][None, :]
        p = torch.linalg.inv((a["covariances"][:, None] + b["covariances"][None, :]) / 2)
        return torch.einsum("ijk,ijkl,ijl->ij", d, p, d) / 2

    X, y = blobs()
    distance = rao.torch_distance(mahalanobis)
    a = rao.SQFA(filters=2, noise=0.1, distance=distance).fit(X, y)
    b = rao.SQFA(filters=2, noise=0.1, distance=shift).fit(X, y)
    assert a.model_.report["objective"] == pytest.approx(b.model_.report["objective"], rel=1e-6)
    value, derivatives = distance(np.zeros(2), np.eye(2), np.ones(2), 2 * np.eye(2))
    want = shift(np.zeros(2), np.eye(2), np.ones(2), 2 * np.eye(2))
    assert value == pytest.approx(want[0]) and all(np.allclose(g, w) for g, w in zip(derivatives, want[1]))
    a.save(tmp_path / "m.rao")
    assert np.array_equal(rao.load(tmp_path / "m.rao").predict(X), a.predict(X))


def test_distances_of_the_package_sqfa():
    """Its function as distance_fun and here find the same filters."""
    sqfa = pytest.importorskip("sqfa")
    X, y = blobs()
    ours = rao.SecondMomentsSQFA(filters=2, noise=0.1).fit(X, y)
    theirs = rao.SecondMomentsSQFA(filters=2, noise=0.1, distance=rao.torch_distance(sqfa.distances.affine_invariant, second_moments=True)).fit(X, y)
    assert theirs.model_.report["objective"] == pytest.approx(ours.model_.report["objective"], rel=1e-4)
    lower = rao.torch_distance(sqfa.distances.fisher_rao_lower_bound)
    assert np.allclose(rao.stats(X, y).distance(lower), rao.stats(X, y).distance("calvo_oller") * 2**0.5, atol=1e-5)


def test_what_a_function_raises_is_raised():
    X, y = blobs()

    def fails(*_):
        raise KeyError("my own")

    def with_value_only(mean_a, cov_a, mean_b, cov_b):
        return float(np.sum((mean_a - mean_b) ** 2))

    def of_wrong_shape(mean_a, cov_a, mean_b, cov_b):
        return 1.0, (mean_a, cov_a, mean_b, cov_b[0])

    def nowhere_finite(mean_a, cov_a, mean_b, cov_b):
        return np.nan, (mean_a, cov_a, mean_b, cov_b)

    for function, error, words in ((fails, KeyError, "my own"), (with_value_only, rao.RaoError, "returns 0 derivatives, not 4"),
                                   (of_wrong_shape, rao.RaoError, "derivative with respect to cov_b has shape"),
                                   (nowhere_finite, rao.RaoError, "must be finite"),
                                   (lambda *_: np.ones(3), rao.RaoError, "returns 3 values for two classes"),
                                   (lambda *g: (1.0, *g), rao.RaoError, r"returns 5 values.*or \(value, \(d_mean_a")):
        with pytest.raises(error, match=words):
            rao.SQFA(filters=2, noise=0.1, distance=function).fit(X, y)
    with filtered("error"):
        rao.SQFA(filters=2, noise=0.1).fit(X, y)  # the worker goes on
    assert np.allclose(rao.stats(X, y).distance(with_value_only)[0, 1], np.sum(np.diff(rao.stats(X, y).means[:2], axis=0) ** 2))
    with pytest.raises(rao.RaoError, match="fit the estimator, and score it with rao.evaluate"):
        rao.compare([rao.SQFA(distance=shift)], X, y)
    with pytest.raises(TypeError, match="needs a function"):
        rao.torch_distance("wasserstein")
    with pytest.raises(rao.RaoError, match="there is none|callable"):
        rao.SQFA(filters=2, noise=0.1, distance="callable").fit(X, y)
