"""Segment a simulated image of 30 bands, in which two materials vary together or in opposite directions."""
import matplotlib.pyplot as plt
import numpy as np
import rao
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA

side, window, bands = 40, 7, 30
rng = np.random.default_rng(4)
row, column = np.indices((side, side))
field = row // (side // 2) * 2 + column // (side // 2)
strong, sign = (0.3 + 0.9 * (field // 2))[..., None], (1 - field % 2 * 2)[..., None]
u, v, t = rng.normal(size=(side, side, 1)), rng.normal(size=(side, side, 1)), np.pi * np.arange(bands) / bands
pixels = strong * (u * np.sin(t) + (0.8 * sign * u + 0.6 * v) * np.sin(2 * t)) + 0.1 * rng.normal(size=(side, side, bands))
two = PCA(2).fit_transform(pixels.reshape(-1, bands)).reshape(side, side, 2)
views = np.lib.stride_tricks.sliding_window_view(two, (window, window), (0, 1)).reshape(-1, 2, window**2)
X = views @ views.swapaxes(1, 2) / window**2
truth = field[window // 2:-(window // 2), window // 2:-(window // 2)].ravel()
for ax, metric in zip(plt.subplots(1, 2)[1], ("euclid", "riemann")):
    groups = rao.MatrixKMeans(4, metric=metric).fit_predict(X)
    table = np.array([[np.sum((groups == g) & (truth == t)) for t in range(4)] for g in range(4)])
    print(f"{metric:7} {100 * table[linear_sum_assignment(-table)].sum() / len(truth):.0f} % of the pixels")
    ax.imshow(groups.reshape(side - window + 1, -1))
# Output:
# euclid  63 % of the pixels
# riemann 92 % of the pixels
