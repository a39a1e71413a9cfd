"""Compare the masked mean of matrices with missing channels with the mean of the complete matrices."""
import numpy as np
import rao

rng = np.random.default_rng(5)
A = rng.normal(size=(60, 6, 6)) * 0.2 + np.eye(6)
X = A @ A.swapaxes(1, 2)
reference = rao.mean(X)
for most in range(4):
    holes, kept = X.copy(), []
    for k in range(60):
        missing = rng.choice(6, rng.integers(0, most + 1), replace=False)
        holes[k, missing], holes[k][:, missing] = np.nan, np.nan
        if not len(missing):
            kept.append(k)
    masked, deleted = rao.mean(holes, method="masked"), rao.mean(X[kept])
    print(f"up to {most} missing: {rao.distance(reference, masked):.2f} masked, "
          f"{rao.distance(reference, deleted):.2f} of {len(kept)} complete ones")
# Output:
# up to 0 missing: 0.00 masked, 0.00 of 60 complete ones
# up to 1 missing: 0.08 masked, 0.19 of 36 complete ones
# up to 2 missing: 0.20 masked, 0.35 of 17 complete ones
# up to 3 missing: 0.25 masked, 0.47 of 13 complete ones
