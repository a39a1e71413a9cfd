"""Test whether responses to four stimuli differ. The filters are from another recording, so they do not depend on the labels."""
import matplotlib.pyplot as plt
import rao

classes = ["sound-left", "sound-right", "light-left", "light-right"]
learn, test = (rao.simulate("evoked", trials=160, seed=seed).trials(classes, 0, 0.5, bands="1-20") for seed in (1, 2))
xdawn = rao.Xdawn(classifier=None).fit(learn.X, learn.y)
found = rao.manova(xdawn.transform(test.X), test.y, permutations=999)
print(f"pseudo-F {found.F:.4f}, p = {found.p:.3f}")
plt.hist(found.all, 30)
plt.axvline(found.F, color="C1", label="the stimuli")
plt.xlabel("pseudo-F of 1000 labelings")
plt.legend()
# Output:
# pseudo-F 2.4999, p = 0.001
