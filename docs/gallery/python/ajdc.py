"""Remove the source of the blinks from a recording by joint diagonalization of cospectra."""
import matplotlib.pyplot as plt
import numpy as np
import rao

recording = rao.simulate("movement", trials=60, seed=3, blinks=6)
sources = recording.clean(low=1, high=32, segment=0.512)
blink = next(s["source"] for s in sources if s["channels"][0] in ("Fp1", "Fp2"))
cleaned = recording.clean(blink, low=1, high=32, segment=0.512)
fp1 = recording.channels.index("Fp1")
before, after = 1e6 * recording.data[fp1], 1e6 * cleaned.data[fp1]
print(f"deviation at Fp1 {before.std():.2f} µV, without source {blink} {after.std():.2f} µV")
window = slice(int(np.abs(before).argmax()) - 400, int(np.abs(before).argmax()) + 600)
plt.plot(before[window], label="Fp1 as recorded")
plt.plot(after[window], label="without the source of the blinks")
plt.legend()
# Output:
# deviation at Fp1 8.02 µV, without source 4 3.34 µV
