package vec

// RotationWidth is the number of columns that [Rotate] rotates at a time.
const RotationWidth = 16

// Rotate applies a chain of plane rotations to rows of [RotationWidth] values, stored one after the other, from the
// last pair of rows to the first. Rotation k has c = cs[2k] and s = cs[2k+1]. It replaces the lower row x, with index
// i = len(cs)/2 - k, and the upper row y, with index i-1, by
//
//	x ← c x + s y,  y ← c y - s x.
//
// rows must have one row more than there are rotations.
func Rotate(rows, cs []float64) {
	n := len(cs) / 2
	if n == 0 {
		return
	}
	rows = rows[:(n+1)*RotationWidth]
	if haveKernels {
		rotateChain(n, &cs[0], &rows[n*RotationWidth])
		return
	}
	for i := n; i > 0; i-- {
		at := 2 * (n - i)
		c, s := cs[at], cs[at+1]
		x := (*[RotationWidth]float64)(rows[i*RotationWidth:])
		y := (*[RotationWidth]float64)(rows[(i-1)*RotationWidth:])
		for k, v := range x {
			x[k], y[k] = c*v+s*y[k], c*y[k]-s*v
		}
	}
}
