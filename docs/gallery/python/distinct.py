"""Show how accuracy and class distinctiveness depend on the distance between two class centers."""
import matplotlib.pyplot as plt
import numpy as np
import rao

deltas, right, distinct = np.arange(7) / 2, [], []
for delta in deltas:
    X, y = rao.riemannian_gaussian([np.eye(2), np.exp(delta / np.sqrt(2)) * np.eye(2)], 1, per_class=100, seed=42)
    right.append(rao.MDM().fit(X[::2], y[::2]).score(X[1::2], y[1::2]))
    distinct.append(rao.distinctiveness(X[::2], y[::2]))
    print(f"Δ/σ = {delta:.1f}: accuracy {right[-1]:.2f}, distinctiveness {distinct[-1]:.4f}")
plt.plot(deltas, right, "o-", label="accuracy of nearest means")
plt.plot(deltas, distinct, "o-", label="class distinctiveness")
plt.xlabel("distance of the centers over the dispersion, Δ/σ")
plt.legend()
# Output:
# Δ/σ = 0.0: accuracy 0.50, distinctiveness 0.1043
# Δ/σ = 0.5: accuracy 0.63, distinctiveness 0.3693
# Δ/σ = 1.0: accuracy 0.71, distinctiveness 0.6648
# Δ/σ = 1.5: accuracy 0.78, distinctiveness 0.9632
# Δ/σ = 2.0: accuracy 0.85, distinctiveness 1.2624
# Δ/σ = 2.5: accuracy 0.92, distinctiveness 1.5619
# Δ/σ = 3.0: accuracy 0.97, distinctiveness 1.8616
