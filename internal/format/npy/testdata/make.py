# Writes the files beside it with numpy; run with python3 make.py.
# Element k, in C order, of every array is (7 k) mod 5 - 2 for signed types, (7 k) mod 5
# for unsigned ones, and odd for bool.
import numpy as np
from numpy.lib import format as f

shape = (3, 4, 2)
k = np.arange(24).reshape(shape)
signed, unsigned = (7 * k) % 5 - 2, (7 * k) % 5
for t in "f2 f4 f8 i1 i2 i4 i8".split():
    np.save(t + ".npy", signed.astype(t))
for t in "u1 u2 u4 u8".split():
    np.save(t + ".npy", unsigned.astype(t))
np.save("bool.npy", (unsigned % 2).astype(bool))
np.save("fortran.npy", np.asfortranarray(signed.astype("f8")))
np.save("fortran_f4.npy", np.asfortranarray(signed.astype("f4")))
for t in "f2 f4 f8 i2 i4 i8 u2 u4 u8".split():
    a = unsigned if t[0] == "u" else signed
    np.save("big_" + t + ".npy", a.astype(">" + t))
for v in (1, 2, 3):
    with open("v%d.npy" % v, "wb") as out:
        f.write_array(out, signed.astype("f8"), version=(v, 0))
np.save("empty.npy", np.zeros((0, 5)))
np.save("empty1.npy", np.zeros(0, "f4"))
np.save("scalar.npy", np.array(2.5))
np.save("text.npy", np.array(["left", "right", "µ-rhythm", ""]))
np.save("bytes.npy", np.array([b"ab", b"c", b""]))
np.save("halves.npy", np.array([0, 1, -1, 6e-8, 65504, np.inf, -np.inf, np.nan, 1 / 3, 2**-14, -2.0**-15], "f2"))
np.save("object.npy", np.array([1, "a"], object), allow_pickle=True)
np.save("complex.npy", np.array([1 + 2j]))
np.save("record.npy", np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]))
np.save("longdouble.npy", np.array([1], np.longdouble))
np.save("date.npy", np.array(["2020-01-01"], "M8[D]"))
np.save("u8_large.npy", np.array([1, 2**63 + 2048], "u8"))
np.savez("stored.npz", X=signed[:, :, 0].astype("f4"), y=np.array([0, 1, 0]))
np.savez_compressed("packed.npz", X=signed[:, :, 0].astype("f8"), y=np.array(["a", "b", "a"]))
