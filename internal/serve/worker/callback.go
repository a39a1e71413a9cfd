package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// callDissimilarity is the name of the dissimilarity that the caller computes. A fit with this dissimilarity sends
// frames with call set. The arrays of a frame are means and covs of all classes, and first and second, the class
// numbers of each pair. The caller replies with a request of the operation answer, whose array values has one value for
// each pair. If the frame has the array weights, the caller instead returns the derivatives of the weighted sum of the
// values with respect to the means and covariances, as means and covs.
const callDissimilarity = "callable"

// called is the conversation of the running fit, or nil if the fit does not ask the caller.
var called atomic.Pointer[conversation]

var registerCalled = sync.OnceFunc(func() {
	gaussian.RegisterDissimilarity(gaussian.Measure{Name: callDissimilarity, Joint: func(p *gaussian.JointPairs) error {
		c := called.Load()
		if c == nil {
			return errors.New("the dissimilarity callable needs a function in the calling program, but the request " +
				"names no function")
		}
		return c.joint(p)
	}})
})

// call marks a frame with a question for the caller.
type call struct{}

// conversation asks the caller for dissimilarities, one question at a time.
type conversation struct {
	s    *server
	ctx  context.Context
	stop context.CancelFunc
	mu   sync.Mutex
	err  error // the first error, which ends the fit
}

// converse allows the fits of this request to use the caller's dissimilarity until done is called. done returns the
// first error of the conversation.
func (s *server) converse(ctx context.Context, q *Request) (inner context.Context, done func() error) {
	if !q.Calls {
		return ctx, func() error { return nil }
	}
	registerCalled()
	c, done := s.conversation(ctx)
	return c.ctx, done
}

// conversation starts a conversation; done ends it.
func (s *server) conversation(ctx context.Context) (c *conversation, done func() error) {
	c = &conversation{s: s}
	select {
	case <-s.answers: // the late answer to a question of an earlier fit
	default:
	}
	c.ctx, c.stop = context.WithCancel(ctx)
	called.Store(c)
	s.talking.Store(true)
	return c, func() error {
		called.CompareAndSwap(c, nil)
		s.talking.Store(false)
		c.stop()
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.err
	}
}

func (c *conversation) joint(p *gaussian.JointPairs) error {
	return c.once(func() error { return c.ask(p) })
}

// distances asks the caller for the distances of matrices from a center. The arrays of the frame are "X" and "C", and
// the caller answers with "values".
func (c *conversation) distances(_ context.Context, x *spd.Stack, center *mat.SymDense) ([]float64, error) {
	d := make([]float64, x.Count)
	return d, c.once(func() error {
		q, err := c.exchange([]Array{stackArray("X", x), float64Array("C", full(center), x.Dim, x.Dim)})
		if err == nil {
			err = add(q, "values", d, func(_, v float64) float64 { return v })
		}
		for i, v := range d {
			if err == nil && v < 0 {
				err = fmt.Errorf("the distance of matrix %d is %g, but distances must not be negative", i, v)
			}
		}
		return err
	})
}

// once runs one question at a time. An error ends the work, and later questions are not asked.
func (c *conversation) once(ask func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	err := ask()
	if err != nil {
		c.err = err
		c.stop()
	}
	return err
}

func (c *conversation) ask(p *gaussian.JointPairs) error {
	m, n := p.Dim, len(p.Pairs)
	first, second := make([]int, n), make([]int, n)
	for i, pair := range p.Pairs {
		first[i], second[i] = pair.I, pair.J
	}
	classes := len(p.Means) / m
	arrays := []Array{float64Array("means", p.Means, classes, m), float64Array("covs", p.Covs, classes, m, m),
		intArray("first", first), intArray("second", second)}
	if p.Weights != nil {
		arrays = append(arrays, float64Array("weights", p.Weights, n))
	}
	q, err := c.exchange(arrays)
	if err != nil {
		return err
	}
	return read(q, p)
}

// exchange sends arrays to the caller and returns the answer.
func (c *conversation) exchange(arrays []Array) (*request, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	c.s.mu.Lock()
	err := c.s.out.write(&Reply{Call: &call{}, Arrays: arrays}, arrays, bodyLen(arrays))
	c.s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case q := <-c.s.answers:
		if q.err != nil {
			return nil, q.err
		}
		if err := cut(q.Arrays, q.body); err != nil {
			return nil, err
		}
		if q.Problem != "" {
			return nil, errors.New(q.Problem)
		}
		return q, nil
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}

// read sets or adds to the fields of p from the arrays of an answer. If p has Values, these are the values, otherwise
// the derivatives.
func read(q *request, p *gaussian.JointPairs) error {
	if p.Values != nil {
		return add(q, "values", p.Values, func(old, v float64) float64 { return v })
	}
	sum := func(old, v float64) float64 { return old + v }
	if err := add(q, "means", p.GradMeans, sum); err != nil {
		return err
	}
	return add(q, "covs", p.GradCovs, sum)
}

// add replaces each value of dst by the result of combine with the value of the named array. It returns an error if a
// value is not finite.
func add(q *request, name string, dst []float64, combine func(old, v float64) float64) error {
	a, err := q.array(name)
	if err != nil {
		return err
	}
	if a.len() != len(dst) {
		return fmt.Errorf("the function returned an array %q of length %d, but the length must be %d", name, a.len(),
			len(dst))
	}
	values := a.doubles()
	if i := vec.NotFinite(values); i >= 0 {
		return fmt.Errorf("the function returned %g at index %d of %q, but all values and derivatives must be finite",
			values[i], i, name)
	}
	for i, v := range values {
		dst[i] = combine(dst[i], v)
	}
	return nil
}
