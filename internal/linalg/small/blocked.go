package small

import (
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
)

// blocked is the engine with one lane for orders above MaxLanes. It multiplies packed panels, and its factorizations
// consist mostly of such products. The products allocate a little memory, and run on several goroutines if the matrix
// is very large.
type blocked struct{ portable }

func (blocked) cholesky(a, pivots []float64, n int) {
	column, pivot, ok := tri.Factor(n, a, 0, pivots)
	for j := range n {
		pivots[j] = 1 // only the first failure is reported
	}
	if !ok {
		pivots[column] = pivot
	}
}

func (blocked) invertLower(li, l []float64, n int) { tri.InvertLower(n, li, l) }

// slab is the number of rows or columns that are multiplied together when a product skips known zeros.
const slab = 96

func (blocked) multiply(p *product) {
	n := p.n
	switch {
	case p.known&symmetric != 0:
		p.symmetric()
	case p.known&lowerA != 0 && !p.transA:
		for i := 0; i < n; i += slab {
			hi := min(i+slab, n)
			dense.Gemm(false, p.transB, hi-i, n, hi, 1, p.a[i*n:], n, p.b, n, 0, p.c[i*n:], n)
		}
	case p.known&lowerB != 0 && !p.transB:
		for j := 0; j < n; j += slab {
			hi := min(j+slab, n)
			a := p.a[j:]
			if p.transA {
				a = p.a[j*n:]
			}
			dense.Gemm(p.transA, false, n, hi-j, n-j, 1, a, n, p.b[j*n+j:], n, 0, p.c[j:], n)
		}
	default:
		dense.Gemm(p.transA, p.transB, n, n, n, 1, p.a, n, p.b, n, 0, p.c, n)
	}
}

// symmetric computes the lower triangle, one slab of columns at a time, and then copies it to the upper triangle.
// Columns of an upper triangular B end at their diagonal.
func (p *product) symmetric() {
	n := p.n
	for j := 0; j < n; j += slab {
		hi, terms := min(j+slab, n), n
		if p.known&upperB != 0 {
			terms = hi
		}
		a, b := p.a[j*n:], p.b[j:]
		if p.transA {
			a = p.a[j:]
		}
		if p.transB {
			b = p.b[j*n:]
		}
		dense.Gemm(p.transA, p.transB, n-j, hi-j, terms, 1, a, n, b, n, 0, p.c[j*n+j:], n)
	}
	for i := range n {
		for j, v := range p.c[i*n : i*n+i] {
			p.c[j*n+i] = v
		}
	}
}
