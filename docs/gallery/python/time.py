"""Test in each of fifteen windows whether the two hands differ."""
import matplotlib.pyplot as plt
import rao

recording = rao.simulate("movement", trials=20, seed=2)
tests = {}
for k in range(15):
    start = 0.2 * k
    X, y, _ = recording.covariances(["left", "right"], start, start + 0.8, bands="7-35")
    test = tests[start + 0.4] = rao.manova(X, y, permutations=999)
    if k in (0, 10):
        print(f"{start:.1f} to {start + 0.8:.1f} s: pseudo-F {test.F:.4f}")
plt.plot(tests.keys(), [t.F for t in tests.values()])
plt.plot([at for at, t in tests.items() if t.p < 0.05], [t.F for t in tests.values() if t.p < 0.05], "o", label="p < 0.05")
plt.xlabel("middle of the window, seconds after the event")
plt.ylabel("pseudo-F")
plt.legend()
# Output:
# 0.0 to 0.8 s: pseudo-F 1.2856
# 2.0 to 2.8 s: pseudo-F 2.4849
