"""k-means of matrices in two metrics."""
import matplotlib.pyplot as plt
import rao
from sklearn.metrics import adjusted_rand_score

centers = [[[1, 0], [0, 1]], [[6, 2], [2, 4]], [[20, -8], [-8, 12]]]
X, y = rao.riemannian_gaussian(centers, 0.4, per_class=50, seed=3)
for ax, metric in zip(plt.subplots(1, 2)[1], ("riemann", "euclid")):
    fit = rao.MatrixKMeans(3, metric=metric).fit(X)
    print(f"{metric:7} inertia {fit.inertia_:.2f}, adjusted Rand index {adjusted_rand_score(y, fit.labels_):.2f}")
    ax.scatter(X[:, 0, 0], X[:, 1, 1], c=fit.labels_, s=8)
    ax.set(xscale="log", yscale="log", title=metric)
# Output:
# riemann inertia 72.88, adjusted Rand index 0.98
# euclid  inertia 9093.79, adjusted Rand index 0.48
