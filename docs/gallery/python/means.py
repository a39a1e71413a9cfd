"""Compare means and medians of matrices with outliers."""
import matplotlib.pyplot as plt
import numpy as np
import rao

clean, _ = rao.riemannian_gaussian(np.eye(2), 0.4, per_class=100, seed=1)
outliers, _ = rao.riemannian_gaussian(20 * np.eye(2), 0.4, per_class=100, seed=2)
shares = [0, 10, 20, 30, 40]
for name, options in {"mean": {}, "median": {"method": "median"}, "mean, euclid": {"metric": "euclid"},
                      "median, euclid": {"metric": "euclid", "method": "median"}}.items():
    away = []
    for n in shares:
        found = rao.mean(np.concatenate([clean[n:], outliers[:n]]), **options)
        away.append(rao.distance(np.eye(2), found))
    print(f"{name:14} with 40 % outliers: {away[-1]:.2f} from the center")
    plt.plot(shares, away, "o-", label=name)
plt.xlabel("outliers, %")
plt.ylabel("distance from the center")
plt.legend()
# Output:
# mean           with 40 % outliers: 1.73 from the center
# median         with 40 % outliers: 0.67 from the center
# mean, euclid   with 40 % outliers: 3.30 from the center
# median, euclid with 40 % outliers: 0.64 from the center
