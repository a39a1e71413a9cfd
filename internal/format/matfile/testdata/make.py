# Writes the files beside it with scipy; run with python3 make.py.
# Element (i,j,k) of the arrays of three axes is 100 i + 10 j + k, less for small types.
import numpy as np
import scipy.io as sio
import scipy.sparse as sp

i, j, k = np.meshgrid(range(2), range(3), range(4), indexing="ij")
a = 100 * i + 10 * j + k
numbers = {t: (a % 120).astype(t) for t in "f8 f4 i1 i2 i4 i8 u1 u2 u4 u8".split()}
numbers = {"v_" + t: v for t, v in numbers.items()}
rest = dict(
    flag=np.array([[True, False, True]]),
    name=np.array(["left hand", "feet"]),
    word="tongue",
    greek="µ-rhythm",
    labels=np.array(["one", "two", ""], dtype=object),
    scalar=2.5,
    empty=np.zeros((0, 3)),
    small=np.array([[1.0, 2.0, 3.0]]),
    odd=np.array([1, 2, 3, 4, 5], "u1"),
)
sio.savemat("v5.mat", {**numbers, **rest}, format="5", do_compression=False)
sio.savemat("v7.mat", {**numbers, **rest}, format="5", do_compression=True)
sio.savemat("v4.mat", dict(x=a[:, :, 0].astype("f8"), f=a[:, :, 0].astype("f4"), i=a[:, :, 0].astype("i4"),
                           s=a[:, :, 0].astype("i2"), b=(a[:, :, 0] % 100).astype("u1"), word="tongue"), format="4")
sio.savemat("refused.mat", dict(good=np.eye(2), z=np.array([1 + 2j]), s=dict(field=1.0), sparse=sp.eye(3).tocsc(),
                                cells=np.array([np.eye(2), "a"], dtype=object)), format="5")
sio.savemat("refused4.mat", dict(good=np.eye(2), z=np.array([1 + 2j]), sparse=sp.eye(3).tocsc()), format="4")

# Structs and cells as the competitions' files have them.
run = lambda k: dict(X=(a[:, :, 0] + k).astype("f8"), trial=np.array([2, 5 + k]), y=np.array([1, 2]), fs=250.0,
                     classes=np.array(["left hand", "feet"], dtype=object), gender="female")
mrk = np.zeros((1, 3), dtype=[("type", object), ("latency", object)])
for n in range(3):
    mrk[0, n] = (["square", 7, ""][n], 10.5 + n)
nested = dict(data=np.array([run(0), run(10)], dtype=object), mrk=mrk, deep=dict(a=dict(b=dict(c=np.arange(6.0).reshape(2, 3)))),
              mixed=np.array([np.eye(2), "a", np.array([1 + 2j])], dtype=object).reshape(1, 3), none=np.empty((0, 0), dtype=object))
sio.savemat("nested.mat", nested, format="5", do_compression=True)
sio.savemat("nested_plain.mat", nested, format="5", do_compression=False)
