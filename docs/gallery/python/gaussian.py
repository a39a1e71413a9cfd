"""Draw samples of Riemannian Gaussians as a spectral map."""
import matplotlib.pyplot as plt
import numpy as np
import rao

centers, sigma = [np.eye(2), np.eye(2), 4 * np.eye(2)], [1, 0.5, 1]
X, y = rao.riemannian_gaussian(centers, sigma, per_class=100, seed=42)
at = rao.embed(X)
for k, name in enumerate(["ε = 1, σ = 1", "ε = 1, σ = 0.5", "ε = 4, σ = 1"]):
    mean = rao.mean(X[y == k])
    print(f"{name}: mean squared distance {np.mean(rao.distance(X[y == k], mean[None]) ** 2):.4f}")
    plt.plot(*at[y == k].T, ".", label=name)
plt.legend()
# Output:
# ε = 1, σ = 1: mean squared distance 3.4111
# ε = 1, σ = 0.5: mean squared distance 0.7501
# ε = 4, σ = 1: mean squared distance 3.3864
