"""Test at each frequency whether the cospectra of the two hands differ."""
import matplotlib.pyplot as plt
import rao

recording = rao.simulate("movement", trials=20, seed=2)
tests = {}
for hz in range(4, 41, 2):
    X, y, _ = recording.covariances(["left", "right"], 0.5, 3.5, bands=f"{hz - 1}-{hz + 1}", estimator="cospectrum")
    tests[hz] = rao.manova(X, y, permutations=999)
    if hz in (10, 30):
        print(f"{hz} Hz: pseudo-F {tests[hz].F:.4f}")
plt.plot(tests.keys(), [t.F for t in tests.values()])
plt.plot([hz for hz, t in tests.items() if t.p < 0.05], [t.F for t in tests.values() if t.p < 0.05], "o", label="p < 0.05")
plt.xlabel("hertz")
plt.ylabel("pseudo-F")
plt.legend()
# Output:
# 10 Hz: pseudo-F 2.5248
# 30 Hz: pseudo-F 1.8602
