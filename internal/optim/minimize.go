package optim

import (
	"context"
	"math"

	"rao/internal/linalg/vec"
)

// Minimize minimizes f from x0 with L-BFGS. f returns the value at x and writes the gradient to grad; f must not retain
// either slice. A value that is not finite makes the line search try a shorter step.
//
// x0 is not modified. Minimize returns an error if the options are invalid or the function is not finite at the start
// ([ErrStart]). Result.Status is the reason why the run ended. If ctx is canceled, the result is the best point so far,
// with the status Canceled.
func Minimize(ctx context.Context, x0 []float64, f func(x, grad []float64) float64, opt Options) (Result, error) {
	return Run(ctx, Function(len(x0), f), nil, x0, opt)
}

// Function returns a [Problem] in the flat space of n dimensions for a function that returns its value and writes its
// gradient.
func Function(n int, f func(x, grad []float64) float64) Problem { return newFunction(n, f, nil) }

// FunctionOn is [Function] for a function of the matrices of a manifold. f writes the gradient in the surrounding
// space.
func FunctionOn(m *Manifold, f func(x, grad []float64) float64) Problem {
	return newFunction(m.Rows*m.Cols, f, NewCurve(m))
}

// function implements Problem for an ordinary function.
type function struct {
	f      func(x, grad []float64) float64
	curve  *Curve    // nil in a flat space
	x, d   []float64 // current point and direction
	xt, gt []float64 // last trial point and its gradient
	t      float64
}

func newFunction(n int, f func(x, grad []float64) float64, curve *Curve) *function {
	buf := make([]float64, 4*n)
	part := func(i int) []float64 { return buf[i*n : (i+1)*n : (i+1)*n] }
	return &function{f: f, curve: curve, xt: part(0), gt: part(1), x: part(2), d: part(3)}
}

func (p *function) Start(x, grad []float64) (float64, error) {
	return p.f(x, grad), nil
}

func (p *function) Search(x, d []float64) error {
	copy(p.x, x)
	copy(p.d, d)
	if p.curve != nil {
		p.curve.Set(x, d)
	}
	p.t = math.Inf(1)
	return nil
}

func (p *function) Along(t float64) (value, slope float64) {
	if p.curve == nil {
		for i, x := range p.x {
			p.xt[i] = x + t*p.d[i]
		}
		p.t = t
		value = p.f(p.xt, p.gt)
		return value, vec.Dot(p.gt, p.d)
	}
	if !p.curve.At(t) {
		return math.Inf(1), 0
	}
	p.t = t
	p.curve.Point(p.xt, p.x, p.d, t)
	value = p.f(p.xt, p.gt)
	return value, p.curve.slope(p.gt, p.x, p.d, t)
}

func (p *function) Take(t float64, x, grad []float64) error {
	if t != p.t {
		p.Along(t)
	}
	copy(x, p.xt)
	copy(grad, p.gt)
	return nil
}
