"""Draw weighted means of four matrices with three metrics."""
import matplotlib.pyplot as plt
import numpy as np
import rao

corners = np.array([[[0.5, 0], [0, 0.05]], [[0.5, 0], [0, 1]], [[2.7, 0.7], [0.7, 0.2]], [[2.7, -0.7], [-0.7, 0.2]]])
circle = np.stack([np.cos(np.linspace(0, 2 * np.pi, 60)), np.sin(np.linspace(0, 2 * np.pi, 60))])
for ax, metric in zip(plt.subplots(1, 3)[1], ("euclid", "logeuclid", "riemann")):
    for k in range(25):
        x, y = k % 5 / 4, k // 5 / 4
        weights = [(1 - x) * (1 - y), (1 - x) * y, x * (1 - y), x * y]
        m = rao.mean(corners, metric=metric, sample_weight=weights)
        if k == 12:
            print(f"{metric:9} determinant in the middle {np.linalg.det(m):.4f}")
        outline = np.linalg.cholesky(m) @ circle
        ax.plot(4 * x + 0.25 * outline[0], 4 * y + 0.25 * outline[1])
    ax.set_title(metric)
# Output:
# euclid    determinant in the middle 0.5800
# logeuclid determinant in the middle 0.0748
# riemann   determinant in the middle 0.0748
