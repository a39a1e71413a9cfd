"""Draw the mean response at P4 to lights on the left and on the right, with the standard deviation of the trials."""
import matplotlib.pyplot as plt
import numpy as np
import rao

recording = rao.simulate("evoked", trials=240, seed=1)
X, y, channels = recording.trials(["light-left", "light-right"], 0, 0.5, bands="1-20")
seconds = np.arange(X.shape[2]) / recording.rate
for name in ("light-left", "light-right"):
    trials = 1e6 * X[y == name, channels.index("P4")]
    mean, sd = trials.mean(0), trials.std(0)
    plt.plot(seconds, mean, label=name)
    plt.fill_between(seconds, mean - sd, mean + sd, alpha=0.2)
    print(f"{name:11} peak of {mean.max():.2f} µV after {1000 * seconds[mean.argmax()]:.0f} ms")
plt.xlabel("seconds after the light")
plt.ylabel("µV")
plt.legend()
# Output:
# light-left  peak of 4.47 µV after 120 ms
# light-right peak of 3.12 µV after 320 ms
