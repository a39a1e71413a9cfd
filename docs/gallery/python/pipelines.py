"""Compare five ways to learn for a new person from few labels."""
import numpy as np
import rao

centers = [[[1, 0], [0, 1]], [[6, 0], [0, 0.8]]]
(source, y), (target, _) = (rao.riemannian_gaussian(centers, 0.6, per_class=100, seed=seed) for seed in (6, 7))
turn = np.sqrt(0.5) * np.array([[5, -2], [5, 2]])
X, y = np.concatenate([source, turn @ target @ turn.T]), np.concatenate([y, y])
who = np.repeat(["source", "target"], 200)
few = 5
labeled = (who == "target") & (np.arange(400) % 100 < few)
rest, known = (who == "target") & ~labeled, (who == "source") | labeled
seen = np.where(known, y, -1)
centered = rao.Procrustes(target="target").fit_transform(X, seen, who)
rotated = rao.Procrustes(target="target", rotate=True).fit_transform(X, seen, who)
weighted = rao.MDM(target="target", tradeoff=0.5).fit(centered[known], y[known], recordings=who[known])
for name, Z, clf in (("as recorded", X, rao.MDM().fit(source, y[:200])),
                     ("centered", centered, rao.MDM().fit(centered[:200], y[:200])),
                     ("centered, rotated", rotated, rao.MDM().fit(rotated[:200], y[:200])),
                     ("weighted means (MDWM)", centered, weighted),
                     ("labeled trials alone", X, rao.MDM().fit(X[labeled], y[labeled]))):
    print(f"{name:22} accuracy with {few} labels of each class {clf.score(Z[rest], y[rest]):.3f}")
# Output:
# as recorded            accuracy with 5 labels of each class 0.537
# centered               accuracy with 5 labels of each class 0.711
# centered, rotated      accuracy with 5 labels of each class 0.937
# weighted means (MDWM)  accuracy with 5 labels of each class 0.879
# labeled trials alone   accuracy with 5 labels of each class 0.953
