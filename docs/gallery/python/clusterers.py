"""Cluster matrices by three methods with two metrics."""
import matplotlib.pyplot as plt
import rao
from sklearn.metrics import adjusted_rand_score

centers = [[[1, 0], [0, 1]], [[6, 2], [2, 4]], [[20, -8], [-8, 12]]]
X, y = rao.riemannian_gaussian(centers, 0.4, per_class=50, seed=3)
axes = plt.subplots(2, 3, layout="constrained")[1]
for row, metric in zip(axes, ("riemann", "euclid")):
    methods = rao.MatrixKMeans(3, metric=metric), rao.MatrixMeanShift(metric=metric), rao.MatrixGaussianMixture(3, metric=metric)
    for ax, method in zip(row, methods):
        groups = method.fit_predict(X)
        print(f"{metric:7} {type(method).__name__:21} {groups.max() + 1} clusters, adjusted Rand index {adjusted_rand_score(y, groups):.2f}")
        ax.scatter(X[:, 0, 0], X[:, 1, 1], c=groups, s=8)
        ax.set(xscale="log", yscale="log", title=f"{type(method).__name__}, {metric}")
# Output:
# riemann MatrixKMeans          3 clusters, adjusted Rand index 0.98
# riemann MatrixMeanShift       2 clusters, adjusted Rand index 0.45
# riemann MatrixGaussianMixture 3 clusters, adjusted Rand index 1.00
# euclid  MatrixKMeans          3 clusters, adjusted Rand index 0.48
# euclid  MatrixMeanShift       9 clusters, adjusted Rand index 0.41
# euclid  MatrixGaussianMixture 3 clusters, adjusted Rand index 0.94
