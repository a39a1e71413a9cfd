package onnx

import "math"

const (
	near      = 0.3  // limit for the absolute logarithm of an eigenvalue, below which the series is used
	converged = 1e-8 // residual before the last step of a root; the step squares the residual
	validTo   = 1e-6 // limit for the residual of an accurate logarithm
)

// rootSteps returns the number of steps of the coupled Newton-Schulz iteration for the square root of a matrix with
// eigenvalues from smallest to 1.
func rootSteps(smallest float64) int {
	y, z := smallest, 1.0
	for steps := 1; ; steps++ {
		residual := 1 - z*y
		t := (3 - z*y) / 2
		y, z = y*t, z*t
		if residual < converged || steps == 100 {
			return steps
		}
	}
}

// logm returns the logarithms of SPD matrices of order n and, for each matrix, the largest residual of the first root.
// The matrices are the last two axes of x. The logarithms are accurate for condition numbers up to condition.
func (g *graph) logm(x string, n int, condition float64) (logarithm, residual string) {
	identity := g.multiple(1, n)
	half := g.scalar(-0.5)
	three := g.multiple(1.5, n)
	norm := g.reduce("ReduceL2", x, 1, -2, -1)
	y := g.op("Div", x, norm)
	smallest := 1 / (condition * math.Sqrt(float64(n)))
	roots := 0
	for ; -math.Log(smallest) > near; roots++ {
		steps := rootSteps(smallest)
		smallest = math.Sqrt(smallest)
		z := ""
		for k := range steps {
			zy := y
			if k > 0 {
				zy = g.matmul(z, y)
			}
			t := g.op("Add", g.op("Mul", zy, half), three)
			y = g.matmul(y, t)
			if k == 0 {
				z = t
			} else if k < steps-1 {
				z = g.matmul(t, z)
			}
			if roots == 0 && k == steps-1 {
				residual = g.reduce("ReduceMax", g.op("Abs", g.op("Sub", t, identity)), 0, -2, -1)
			}
		}
	}
	// log B = -(E + E²/2 + E³/3 + ...), E = I - B, by Horner's rule
	e := g.op("Sub", identity, y)
	terms := 2
	for bound := 1 - smallest; math.Pow(bound, float64(terms))/float64(terms) > 1e-18; terms++ {
	}
	sum := g.multiple(1/float64(terms), n)
	for k := terms - 1; k >= 1; k-- {
		sum = g.op("Add", g.matmul(e, sum), g.multiple(1/float64(k), n))
	}
	logarithm = g.op("Mul", g.matmul(e, sum), g.scalar(-math.Ldexp(1, roots)))
	return g.op("Add", logarithm, g.op("Mul", identity, g.op("Log", norm))), residual
}

// expm sums expTerms terms of the series and squares the result squarings times. 2^squarings exceeds the norm of any
// logarithm in a graph.
const squarings, expTerms = 8, 12

// expm returns the exponentials of symmetric matrices. x contains the matrices divided by 2^squarings.
func (g *graph) expm(x string, n int) string {
	sum := g.multiple(1, n)
	for k := expTerms; k >= 1; k-- {
		sum = g.op("Add", g.op("Mul", g.matmul(x, sum), g.numbers([]float64{1 / float64(k)}, 1, 1)), g.multiple(1, n))
	}
	for range squarings {
		sum = g.matmul(sum, sum)
	}
	return sum
}

func (g *graph) multiple(v float64, n int) string {
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = v
	}
	return g.numbers(m, n, n)
}
