"""Draw the probability of a class for three classifiers of 2×2 matrices."""
import matplotlib.pyplot as plt
import numpy as np
import rao

X, y = rao.riemannian_gaussian([[[1, 0], [0, 1]], [[2.5, 0.5], [0.5, 1.2]]], 0.5, per_class=100, seed=7)
a, b = np.meshgrid(np.linspace(0.2, 6, 30), np.linspace(0.2, 4, 30))
plane = np.stack([np.stack([a, 0.1 + 0 * a], -1), np.stack([0.1 + 0 * a, b], -1)], -2).reshape(-1, 2, 2)
classifiers = {"MDM": rao.MDM(), "3-NN": rao.MatrixKNN(neighbors=3), "SVM": rao.MatrixSVM()}
for ax, (name, clf) in zip(plt.subplots(1, 3)[1], classifiers.items()):
    clf.fit(X[::2], y[::2])
    print(f"{name:4} accuracy {clf.score(X[1::2], y[1::2]):.2f}")
    ax.contourf(a, b, clf.predict_proba(plane)[:, 1].reshape(a.shape))
    ax.set_title(name)
# Output:
# MDM  accuracy 0.85
# 3-NN accuracy 0.81
# SVM  accuracy 0.85
