"""Images and tensors in, pictures out."""

import numpy as np
import pytest
from conftest import blobs, spd_data

import rao


@pytest.fixture(autouse=True)
def agg():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    yield
    plt.close("all")


def images(channels=1, n=90):
    r = np.random.default_rng(0)
    y = np.arange(n) % 3
    x = r.normal(size=(n, 4, 6, channels))
    x[np.arange(n), y, 2] += 4
    return (x[..., 0] if channels == 1 else x), y


@pytest.mark.parametrize("channels", [1, 3])
def test_images_keep_their_shape(channels, tmp_path):
    pytest.importorskip("sklearn")
    X, y = images(channels)
    m = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    flat = rao.SQFA(filters=2, noise=0.1).fit(X.reshape(len(X), -1), y)
    assert np.array_equal(m.filters_, flat.filters_) and m.model_.image == (4, 6, channels) and flat.model_.image is None
    assert np.array_equal(m.predict(X), flat.predict(X.reshape(len(X), -1))) and m.score(X, y) > 0.9
    assert np.array_equal(m.model_.predict_proba(X), m.predict_proba(X)) and m.n_features_in_ == 24 * channels
    m.save(tmp_path / "m.rao")
    loaded = rao.load(tmp_path / "m.rao")
    assert loaded.image == (4, 6, channels) and np.array_equal(loaded.predict(X), m.predict(X))
    assert rao.plot_filters(loaded)[0].images[0].get_array().shape[:2] == (4, 6)
    assert np.array_equal(rao.stats(X, y).means, rao.stats(X.reshape(len(X), -1), y).means)
    with pytest.raises(ValueError, match="24|72"):
        m.predict(X[:, :3])
    for half in (X[:45], y[:45]), (X[45:], y[45:]):
        flat = rao.SQFA(filters=2, noise=0.1).partial_fit(*half)
    assert flat.filters_.shape == (24 * channels, 2)


def test_matrices_are_no_images():
    pytest.importorskip("sklearn")
    C, y = spd_data()
    for call in (lambda: rao.SQFA(filters=2).fit(C, y), lambda: rao.stats(C, y)):
        with pytest.raises(rao.RaoError, match="symmetric matrices of order 5; use a method of SPD matrices"):
            call()


def test_tensors():
    torch = pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    X, y = blobs()
    start = np.random.default_rng(0).normal(size=(5, 2))
    want = rao.SQFA(filters=2, noise=0.1, init=start).fit(X, y)
    tensor = torch.tensor(start, requires_grad=True)
    for noise in (torch.tensor(0.1, dtype=torch.float64), np.array(0.1), np.float64(0.1)):
        for init in (tensor, start.tolist(), torch.tensor(start)):
            got = rao.SQFA(filters=2, noise=noise, init=init).fit(torch.tensor(X, requires_grad=True), torch.tensor(y))
            assert np.array_equal(got.filters_, want.filters_)
    assert np.array_equal(want.predict(torch.tensor(X)), want.predict(X))
    assert np.array_equal(rao.stats(torch.tensor(X), torch.tensor(y)).means, rao.stats(X, y).means)
    C, _ = spd_data()
    assert np.array_equal(rao.distance(torch.tensor(C)), rao.distance(C))
    assert rao.stats(X, y).distance(noise=torch.tensor(1.0)).shape == (3, 3)


def test_filters_are_drawn_in_their_shape():
    f = np.random.default_rng(0).normal(size=(128, 3))
    axes = rao.plot_filters(f, shape=(2, 8, 8), cmap="gray")
    shown = axes[0].images[0]
    assert shown.get_array().shape == (8, 17) and shown.get_cmap().name == "gray"  # a gap between two panels
    assert np.allclose(shown.get_array()[:, :8], f[:64, 0].reshape(8, 8))
    assert np.allclose(shown.get_array()[:, 9:], f[64:, 0].reshape(8, 8))
    top = shown.get_clim()[1]
    assert shown.get_clim() == (-top, top) and np.mean(abs(f[:, 0]) > top) <= 0.02 < np.mean(abs(f[:, 0]) >= 0.6 * top)
    common = {tuple(a.images[0].get_clim()) for a in rao.plot_filters(f, shape=(8, 16), common_scale=True)[:3]}
    assert len(common) == 1 and len({tuple(a.images[0].get_clim()) for a in rao.plot_filters(f, shape=(8, 16))[:3]}) == 3
    color = rao.plot_filters(f[:48], shape=(4, 4, 3))[0].images[0].get_array()
    assert color.shape == (4, 4, 3) and 0 <= color.min() and color.max() <= 1
    assert rao.plot_filters(f[:96], shape=(2, 4, 4, 3))[0].images[0].get_array().shape == (4, 9, 3)
    for shape in ((3, 3), (2, 2, 2, 16), 128, (2, 4, 8, 2)):
        with pytest.raises(ValueError, match="whose product is 128"):
            rao.plot_filters(f, shape=shape)
    flat = np.zeros((9, 1))
    assert rao.plot_filters(flat, shape=(3, 3))[0].images[0].get_clim() == (-1, 1)


def test_ellipses_of_moments():
    means = np.array([[0, 0, 1], [3, 1, 1.0]])
    given = {"means": means, "covariances": np.stack([np.diag([4, 1, 1]), np.eye(3)])}
    ax = rao.plot_ellipses(given, deviations=1)
    x, y = ax.lines[0].get_data()
    assert np.allclose([x.max(), y.max()], [2, 1], atol=1e-2) and np.allclose(ax.lines[1].get_xdata().mean(), 3, atol=0.05)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["0", "1"]


def test_ordered_classes_have_a_scale():
    speeds = np.round(np.linspace(-6, 6, 41), 1)
    many = rao.Statistics.from_moments(np.c_[speeds, speeds], np.stack([np.eye(2)] * 41), classes=speeds)
    ax = rao.plot_ellipses(many, label="speed")
    colors = [line.get_color() for line in ax.lines]
    assert len(set(colors)) == 41 and ax.get_legend() is None and ax.figure.axes[1].get_ylabel() == "speed"
    assert ax.figure.axes[1].get_ylim() == (-6, 6)
    few = rao.Statistics.from_moments(np.eye(3)[:, :2], np.stack([np.eye(2)] * 3), classes=["low", "middle", "high"])
    ax = rao.plot_ellipses(few, values=[1, 2, 4], cmap="plasma", color_bar=False)
    assert len(ax.figure.axes) == 1 and len({line.get_color() for line in ax.lines}) == 3
    with pytest.raises(ValueError, match="values has 2 numbers, but there are 3 classes"):
        rao.plot_ellipses(few, values=[1, 2])


def test_many_classes_are_told_apart():
    names = [f"word {i}" for i in range(40)]
    s = rao.Statistics.from_moments(np.random.default_rng(0).normal(size=(40, 2)), np.stack([np.eye(2)] * 40), classes=names)
    ax = rao.plot_ellipses(s)
    assert len({(line.get_color(), str(line._dash_pattern)) for line in ax.lines}) == 40
    assert {t.get_text() for t in ax.texts} == set(names) and ax.get_legend() is None


def test_what_a_reader_sees():
    r = np.random.default_rng(0)
    channels = rao.plot_filters(r.normal(size=(16, 2)), names=[f"C{i}" for i in range(16)])  # 16 is a square, but these are no pixels
    assert not channels[0].images and len(channels[0].patches) == 16 and channels[0].get_ylabel() == "weight"
    grid = rao.plot_filters(r.normal(size=(16, 6)))
    assert len(grid) == 6 and grid[0].images and grid[0].axison  # two rows of three, in frames
    X, y = blobs(classes=5, d=6)
    legend = rao.plot_ellipses(X, y).get_legend()
    assert legend.get_bbox_to_anchor()._bbox.x0 == 1  # outside, next to the axes
    ax = rao.plot_ellipses(rao.stats(X, y))
    assert [tuple(np.round(c.get_offsets()[0], 6)) for c in ax.collections] == [tuple(np.round(m[:2], 6)) for m in rao.stats(X, y).means]
    assert not rao.plot_ellipses(rao.stats(X, y), points=False).collections
