package kmeans

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// Points are centers in a Euclidean space.
type Points struct {
	Dim    int
	Values []float64 // of all centers, Dim for each
}

// Count returns the number of centers.
func (p *Points) Count() int { return len(p.Values) / p.Dim }

// At returns the values of a center.
func (p *Points) At(k int) []float64 { return p.Values[k*p.Dim : (k+1)*p.Dim] }

// NearestTo returns the index of the center nearest to z and its squared distance. Ties go to the first center. Only
// the first Dim values of z count.
func (p *Points) NearestTo(z []float64) (int, float64) {
	best, least := 0, math.Inf(1)
	for k := range p.Count() {
		if q := vec.SquaredDistance(p.At(k), z[:p.Dim]); q < least {
			best, least = k, q
		}
	}
	return best, least
}

// OfRows clusters n rows of dim values: it places k centers with k-means++, and runs at most limit rounds of Lloyd's
// algorithm. A center without rows stays where it is. It returns the centers.
func OfRows(n, dim, k, limit int, row func(i int) []float64, rng *rand.Rand) *Points {
	r := &rowCenters{Points: Points{Dim: dim}, row: row, distance: make([]float64, n)}
	_, _ = PlusPlus(r, n, k, rng) // the methods of rowCenters return no errors
	_, _ = Lloyd(r, n, k, limit)
	return &r.Points
}

// rowCenters are centers and the rows from which they are learned.
type rowCenters struct {
	Points
	row      func(i int) []float64
	distance []float64
}

func (r *rowCenters) Add(i int) { r.Values = append(r.Values, r.row(i)[:r.Dim]...) }

func (r *rowCenters) Lower(near []float64) error {
	last := r.At(r.Count() - 1)
	for i := range near {
		near[i] = min(near[i], vec.SquaredDistance(last, r.row(i)))
	}
	return nil
}

func (r *rowCenters) Nearest(of []int) (inertia float64, err error) {
	par.For(len(of), 256, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			of[i], r.distance[i] = r.NearestTo(r.row(i))
		}
	})
	return floats.Sum(r.distance), nil
}

func (r *rowCenters) Move(groups [][]int) error {
	for a, group := range groups {
		if len(group) == 0 {
			continue
		}
		center := r.At(a)
		clear(center)
		for _, i := range group {
			vec.Axpy(center, 1, r.row(i)[:r.Dim])
		}
		for j := range center {
			center[j] /= float64(len(group))
		}
	}
	return nil
}
