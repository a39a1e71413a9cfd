"""Find the band of 4 Hz in which imagined movements of the two hands differ most."""
import matplotlib.pyplot as plt
import numpy as np
import rao

recording = rao.simulate("movement", trials=60, seed=1)
lows = np.arange(4, 36, 2)
distinct = []
for low in lows:
    X, y, _ = recording.covariances(["left", "right"], 0.5, 3.5, bands=f"{low}-{low + 4}")
    distinct.append(rao.distinctiveness(X, y))
best = int(np.argmax(distinct))
print(f"best band {lows[best]} to {lows[best] + 4} Hz: distinctiveness {distinct[best]:.4f}, 30 to 34 Hz {distinct[13]:.4f}")
plt.plot(lows + 2, distinct, "o-")
plt.xlabel("center of a band of 4 Hz")
plt.ylabel("class distinctiveness")
# Output:
# best band 10 to 14 Hz: distinctiveness 0.6031, 30 to 34 Hz 0.3574
