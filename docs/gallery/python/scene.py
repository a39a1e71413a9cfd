"""Segment a simulated radar image with two looks by k-means. The four fields differ only in covariance."""
import matplotlib.pyplot as plt
import numpy as np
import rao
from scipy.optimize import linear_sum_assignment

side, window = 40, 7
looks = np.array([[[0.1, 0], [0, 0.1]], [[0.4, 0.2], [0.2, 0.4]], [[3, -2], [-2, 3]], [[9, 5], [5, 6]]])
row, column = np.indices((side, side))
field = row // (side // 2) * 2 + column // (side // 2)
pixels = np.einsum("rcij,rcj->rci", np.linalg.cholesky(looks)[field], np.random.default_rng(1).normal(size=(side, side, 2)))
views = np.lib.stride_tricks.sliding_window_view(pixels, (window, window), (0, 1)).reshape(-1, 2, window**2)
X = views @ views.swapaxes(1, 2) / window**2
truth = field[window // 2:-(window // 2), window // 2:-(window // 2)].ravel()
axes = plt.subplots(1, 2)[1]
for ax, metric in zip(axes, ("euclid", "riemann")):
    groups = rao.MatrixKMeans(4, metric=metric).fit_predict(X)
    table = np.array([[np.sum((groups == g) & (truth == t)) for t in range(4)] for g in range(4)])
    print(f"{metric:7} {100 * table[linear_sum_assignment(-table)].sum() / len(truth):.0f} % of the pixels")
    ax.imshow(groups.reshape(side - window + 1, -1))
    ax.set_title(metric)
# Output:
# euclid  61 % of the pixels
# riemann 87 % of the pixels
