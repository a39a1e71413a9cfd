package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/subclasses"
)

// These are the kinds of parts. Every shard yields a part, and parts of one kind can be merged.
const (
	ofStatistics = "statistics"
	ofOutlines   = "outlines"
	ofSubclasses = "sub-classes"
)

// disjoint confirms the doubt about equal rows in advance. Shards share no rows, but may contain equal rows.
var disjoint = []string{provenance.DoubtRows}

var errNoRows = errors.New("the selection leaves no rows in any shard; choose values that the data contain")

// mergeParts merges parts of one kind in their order. If there are no rows, the body of the result is nil.
func mergeParts(kind string, encoded [][]byte) (part, error) {
	parts, err := inOrder(encoded)
	if err != nil || len(parts) == 0 {
		return part{}, err
	}
	var sum part
	switch kind {
	case ofStatistics:
		s, err := gaussian.MergeInOrder(len(parts), func(i int) (*gaussian.Statistics, error) {
			return unpackStatistics(parts[i].body)
		}, disjoint...)
		if err != nil {
			return part{}, err
		}
		sum.body, err = packStatistics(s)
		return sum, err
	case ofOutlines:
		var o *outline
		for _, p := range parts {
			next, err := unpackOutline(p.body)
			if err != nil {
				return part{}, err
			}
			if o, err = o.add(next); err != nil {
				return part{}, err
			}
		}
		sum.body, err = o.pack()
		return sum, err
	}
	return part{}, fmt.Errorf("a part has the unknown kind %q; run the same version of the program on all workers",
		kind)
}

// outline contains what is needed to compute the basis of a subspace: the mean and covariance of all rows, and the sum
// of each class.
type outline struct {
	all     *gaussian.Statistics // all rows as one class
	Classes []string
	Counts  []int
	Sums    []float64 // classes × columns
}

// packedOutline is the gob encoding of an [outline]. All is the separate encoding of the statistics of all rows.
type packedOutline struct {
	All     []byte
	Outline outline
}

func (o *outline) pack() ([]byte, error) {
	all, err := packStatistics(o.all)
	if err != nil {
		return nil, err
	}
	return packed(packedOutline{all, *o})
}

func unpackOutline(b []byte) (*outline, error) {
	p, err := unpacked[packedOutline](b)
	if err != nil {
		return nil, err
	}
	p.Outline.all, err = unpackStatistics(p.All)
	return &p.Outline, err
}

// add returns the sum of two outlines. o may be nil.
func (o *outline) add(b *outline) (*outline, error) {
	if o == nil {
		return b, nil
	}
	all, err := gaussian.Merge(o.all, b.all)
	if err != nil {
		return nil, err
	}
	n := all.Dim
	out := &outline{all: all, Classes: slices.Clone(o.Classes), Counts: slices.Clone(o.Counts),
		Sums: slices.Clone(o.Sums)}
	for k, name := range b.Classes {
		i := slices.Index(out.Classes, name)
		if i < 0 {
			i = len(out.Classes)
			out.Classes, out.Counts, out.Sums = append(out.Classes, name), append(out.Counts, 0),
				append(out.Sums, make([]float64, n)...)
		}
		out.Counts[i] += b.Counts[k]
		vec.Axpy(out.Sums[i*n:(i+1)*n], 1, b.Sums[k*n:(k+1)*n])
	}
	return out, nil
}

// outliner accumulates an outline from blocks of rows.
type outliner struct {
	o   outline
	acc *gaussian.Accumulator
	row []float64
}

func (l *outliner) add(x mat.Matrix, labels []int, classes []string) error {
	_, n := x.Dims()
	if l.acc == nil {
		if err := statsarrays.CheckSize(n, 1); err != nil {
			return err
		}
		l.acc, l.row = gaussian.NewAccumulator(n, 1), make([]float64, n)
		l.o = outline{Classes: slices.Clone(classes), Counts: make([]int, len(classes)),
			Sums: make([]float64, len(classes)*n)}
	}
	if err := l.acc.Add(x, make([]int, len(labels))); err != nil {
		return err
	}
	for i, class := range labels {
		mat.Row(l.row, i, x)
		l.o.Counts[class]++
		vec.Axpy(l.o.Sums[class*n:(class+1)*n], 1, l.row)
	}
	return nil
}

func (l *outliner) outline() (*outline, error) {
	var err error
	l.o.all, err = l.acc.Finish(nil)
	return &l.o, err
}

// subspace returns a basis of d columns, computed from the class means and the statistics of all rows. It returns an
// error if a class has no rows.
func (o *outline) subspace(d int) (*subclasses.Basis, error) {
	n := o.all.Dim
	means := slices.Clone(o.Sums)
	for i, count := range o.Counts {
		if count == 0 {
			return nil, fmt.Errorf("class %s has no rows; leave it out of the classes", o.Classes[i])
		}
		for j := range n {
			means[i*n+j] /= float64(count)
		}
	}
	return subclasses.Subspace(o.all, o.Counts, means, d)
}

// packedSubclasses is the gob encoding of [subclasses.Statistics]. The statistics of the components are encoded
// separately.
type packedSubclasses struct {
	Components []byte
	Rest       subclasses.Statistics
}

func packSubclasses(s *subclasses.Statistics) ([]byte, error) {
	components, err := packStatistics(s.Components)
	if err != nil {
		return nil, err
	}
	rest := *s
	rest.Components = nil
	return packed(packedSubclasses{components, rest})
}

func unpackSubclasses(b []byte) (*subclasses.Statistics, error) {
	p, err := unpacked[packedSubclasses](b)
	if err != nil {
		return nil, err
	}
	p.Rest.Components, err = unpackStatistics(p.Components)
	return &p.Rest, err
}

// mergeSubclasses merges the sub-classes of all shards at once. It returns the sub-classes of a single shard unchanged.
func mergeSubclasses(most int, encoded [][]byte) (*subclasses.Statistics, error) {
	parts, err := inOrder(encoded)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, errNoRows
	}
	all := make([]*subclasses.Statistics, len(parts))
	for i, p := range parts {
		if all[i], err = unpackSubclasses(p.body); err != nil {
			return nil, err
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return subclasses.Merge(most, disjoint, all...)
}
