package lvq

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rao/internal/faults"
	"rao/internal/kmeans"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/text"
	"rao/spd"
)

func (m *matrices) count() int { return m.x.Count }
func (m *matrices) unit() bool { return m.flat != nil && m.flat.Scaled() }

func (m *matrices) start(ctx context.Context, o *resolved, labels, index []int) (space, error) {
	prototypes, err := m.startPrototypes(ctx, o, labels, index)
	if err != nil {
		return nil, err
	}
	return m.space(prototypes)
}

// startPrototypes returns the initial prototypes, learned only from the samples of index, ordered by class.
func (m *matrices) startPrototypes(ctx context.Context, o *resolved, labels, index []int) (*spd.Stack, error) {
	if o.Start == startGiven {
		return o.Given.Clone(), nil
	}
	n := m.x.Dim
	out := spd.NewStack(len(o.label), n)
	members := o.members(labels, index)
	noise := rand.New(rand.NewPCG(o.Seed, streamNoise))
	seeds := rand.New(rand.NewPCG(o.Seed, streamSeeds))
	at := 0
	for c, p := range o.perClass {
		if len(members[c]) == 0 {
			return nil, faults.Count(0, 1, "class %s has no samples to start from; use fewer folds or a smaller "+
				"validation part", o.names[c])
		}
		var centers [][]float64
		var err error
		if o.Start == startKMeans && p > 1 {
			centers, err = m.kmeans(ctx, members[c], p, seeds, o.names[c])
		} else {
			centers, err = m.repeatedMean(ctx, members[c], p)
		}
		if err != nil {
			return nil, err
		}
		for _, center := range centers {
			if err := disturb(out.At(at), center, n, o.Noise, noise); err != nil {
				return nil, err
			}
			at++
		}
	}
	return out, nil
}

// members returns, for each class, the samples in index with the label of this class.
func (o *resolved) members(labels, index []int) [][]int {
	out := make([][]int, o.classes)
	for _, i := range index {
		out[labels[i]] = append(out[labels[i]], i)
	}
	return out
}

func (m *matrices) repeatedMean(ctx context.Context, members []int, p int) ([][]float64, error) {
	mean, err := m.mean(ctx, members)
	if err != nil {
		return nil, err
	}
	return slices.Repeat([][]float64{mean}, p), nil
}

// disturb writes L exp(N) L', where L is the Cholesky factor of the center and N is symmetric with entries from
// U(−width, width). This is noise in whitened coordinates, so it does not depend on the unit of the data.
func disturb(dst, center []float64, n int, width float64, rng *rand.Rand) error {
	nn := n * n
	if width == 0 {
		copy(dst, center)
		return nil
	}
	var ws small.Workspace
	noise, values, vecs, l := make([]float64, nn), make([]float64, n), make([]float64, nn), make([]float64, nn)
	for i := range n {
		for j := range i + 1 {
			v := width * (2*rng.Float64() - 1)
			noise[i*n+j], noise[j*n+i] = v, v
		}
	}
	if err := ws.Eigen(values, vecs, noise, n, 1); err != nil {
		return fmt.Errorf("starting noise: %w", err)
	}
	for i, v := range values {
		values[i] = math.Exp(v)
	}
	if err := ws.Cholesky(l, center, n, 1); err != nil {
		return placeError("class mean", err, func(k int) int { return k })
	}
	ws.Rebuild(noise, vecs, values, n, 1)
	ws.Congruence(dst, l, noise, n, 1, false)
	vec.Symmetrize(dst, n)
	return nil
}

// kmeans returns p centers of some samples.
func (m *matrices) kmeans(ctx context.Context, members []int, p int, rng *rand.Rand,
	class string) ([][]float64, error) {
	if len(members) < p {
		return nil, faults.Count(len(members), p, "class %s has %s, too few for %s; use fewer prototypes", class,
			text.Plural(len(members), "sample", "samples"), text.Plural(p, "prototype", "prototypes"))
	}
	g := &matrixCenters{ctx: ctx, m: m, members: members, w: spd.NewStack(p, m.x.Dim)}
	if _, err := kmeans.PlusPlus(g, len(members), p, rng); err != nil {
		return nil, err
	}
	if _, err := kmeans.Lloyd(g, len(members), p, 20); err != nil {
		return nil, err
	}
	out := make([][]float64, p)
	for c := range out {
		out[c] = g.w.At(c)
	}
	return out, nil
}
