"""Compare estimators of the covariance for 50 samples and 7 outliers."""
import matplotlib.pyplot as plt
import numpy as np
import rao

rng = np.random.default_rng(20)
x = np.array([[1, 0.6], [0.6, 1.5]]) @ rng.normal(size=(2, 57))
x[:, 50:] = [[9], [1]] + 2 * rng.normal(size=(2, 7))
plt.plot(*x, ".")
circle = np.stack([np.cos(np.linspace(0, 2 * np.pi, 99)), np.sin(np.linspace(0, 2 * np.pi, 99))])
for estimator in ("sample", "oas", "huber", "mcd"):
    c = rao.covariances(x[None], estimator)[0]
    print(f"{estimator:7} {c[0, 0]:.2f} {c[0, 1]:.2f} {c[1, 1]:.2f}")
    plt.plot(*(2 * np.linalg.cholesky(c) @ circle), label=estimator)
plt.legend()
# Output:
# sample  11.63 2.42 4.03
# oas     10.78 1.97 4.61
# huber   5.73 2.78 3.89
# mcd     2.82 2.81 3.53
