package dense

import "rao/internal/par"

// Project computes dst = Phi F for a symmetric n×n Phi, of which both triangles
// are stored, and F n×m; dst is n×m.
func Project(n, m int, phi []float64, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	project(n, m, phi, ldphi, f, ldf, dst, lddst)
}

// Project32 is [Project] for a Phi stored in float32; sums are in float64.
func Project32(n, m int, phi []float32, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	project(n, m, phi, ldphi, f, ldf, dst, lddst)
}

func project[T float32 | float64](n, m int, phi []T, ldphi int, f []float64, ldf int, dst []float64, lddst int) {
	check("Phi", len(phi), n, n, ldphi)
	check("F", len(f), n, m, ldf)
	check("dst", len(dst), n, m, lddst)
	par.For(n, 32, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst[i*lddst : i*lddst+m]
			clear(row)
			for p, x := range phi[i*ldphi : i*ldphi+n] {
				for j, v := range f[p*ldf : p*ldf+m] {
					row[j] += float64(x) * v
				}
			}
		}
	})
}

// ProjectMany computes dst_i = Phi_i F for c contiguous symmetric n×n matrices:
// phi has c·n·n values and dst c·n·m. The classes run in parallel.
func ProjectMany(c, n, m int, phi []float64, f []float64, ldf int, dst []float64) {
	check("Phi", len(phi), c*n, n, n)
	check("F", len(f), n, m, ldf)
	check("dst", len(dst), c*n, m, m)
	for i := range c {
		Project(n, m, phi[i*n*n:], n, f, ldf, dst[i*n*m:], m)
	}
}
