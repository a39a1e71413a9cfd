package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao/dataset"
	"rao/internal/subclasses"
	"rao/internal/subclassrows"
)

func init() {
	register.DoFn4x1[context.Context, Shard, []byte, func(int, []byte), error](&clusterFn{})
	register.DoFn3x1[int, func(*[]byte) bool, func([]byte), error](&basisFn{})
	register.Emitter1[[]byte]()
}

// statisticsBlock is the number of rows that are read at a time.
const statisticsBlock = 4096

// SubclassesOptions are the options of [Subclasses].
type SubclassesOptions struct {
	Open       dataset.OpenOptions // options for opening the data; functions in it are ignored
	Most       int                 // limit for the components per class; 0 for a limit from the number of rows
	Basis      *subclasses.Basis   // basis to use; nil to compute it from all rows in a first pass
	Components int                 // dimension of the computed basis; 0 for subclasses.DefaultComponents
	Subspace   int                 // if not 0, one Gaussian per class in a subspace of this dimension
	Seed       uint64              // seed of the clustering
	Hashes     Hashes              // how rows are recorded
	Out        string              // path of the sub-class file to write, also gs:// or s3://
}

// Subclasses adds steps to s that compute sub-classes. All workers receive the basis, each shard is clustered
// separately, and all shards are merged at once. The output equals the output of rao stats --subclasses --basis on each
// shard followed by rao stats merge, bit for bit. A computed basis equals the output of rao stats basis for the merged
// statistics or, with Subspace, the result of [subclasses.Subspace] for the sums over all shards. It returns an error
// if there are no shards.
func Subclasses(s beam.Scope, shards []Shard, opt SubclassesOptions) error {
	if len(shards) == 0 {
		return errors.New("no data files are given; give at least one")
	}
	s = s.Scope("Subclasses")
	basis, err := basisOf(s, shards, &opt)
	if err != nil {
		return err
	}
	f := &clusterFn{choicesOf(opt.Open), opt.Most, opt.Seed, opt.Hashes}
	parts := beam.ParDo(s, f, spread(s, shards), beam.SideInput{Input: basis})
	beam.ParDo0(s, &writeFn{Kind: ofSubclasses, Most: opt.Most, Out: opt.Out}, beam.GroupByKey(s, parts))
	return nil
}

// basisOf returns a collection with the encoded basis as its only element.
func basisOf(s beam.Scope, shards []Shard, opt *SubclassesOptions) (beam.PCollection, error) {
	if opt.Basis != nil {
		b, err := packed(opt.Basis)
		return beam.Create(s, b), err
	}
	kind, dim := ofStatistics, opt.Components
	if opt.Subspace > 0 {
		kind, dim, opt.Most = ofOutlines, opt.Subspace, 1
	}
	if dim == 0 {
		dim = subclasses.DefaultComponents
	}
	s = s.Scope("Basis")
	parts := beam.ParDo(s, &countFn{Kind: kind, Open: choicesOf(opt.Open)}, spread(s, shards))
	return beam.ParDo(s, &basisFn{kind, dim}, lastGroup(s, kind, parts, len(shards))), nil
}

// basisFn merges the last group and emits the basis.
type basisFn struct {
	Kind string
	Dim  int
}

// ProcessElement implements the DoFn.
func (f *basisFn) ProcessElement(_ int, parts func(*[]byte) bool, emit func([]byte)) error {
	p, err := mergeParts(f.Kind, all(parts))
	if err != nil {
		return err
	}
	if len(p.body) == 0 {
		return errNoRows
	}
	b, err := f.basis(p.body)
	if err != nil {
		return err
	}
	encoded, err := packed(b)
	if err != nil {
		return err
	}
	emit(encoded)
	return nil
}

func (f *basisFn) basis(body []byte) (*subclasses.Basis, error) {
	if f.Kind == ofOutlines {
		o, err := unpackOutline(body)
		if err != nil {
			return nil, err
		}
		return o.subspace(f.Dim)
	}
	s, err := unpackStatistics(body)
	if err != nil {
		return nil, err
	}
	return subclasses.BasisOf(s, f.Dim)
}

// clusterFn computes the sub-classes of a shard.
type clusterFn struct {
	Open choices
	Most int
	Seed uint64

	Hashes Hashes
}

// ProcessElement implements the DoFn.
func (f *clusterFn) ProcessElement(ctx context.Context, shard Shard, basis []byte, emit func(int, []byte)) error {
	b, err := unpacked[subclasses.Basis](basis)
	if err != nil {
		return err
	}
	body, err := shard.count(ctx, f.Open, func(spec string, open dataset.OpenOptions) ([]byte, error) {
		hashing, err := f.Hashes.hashing()
		if err != nil {
			return nil, err
		}
		s, err := subclassrows.Estimate(ctx, spec, open, subclassrows.Options{Hashing: hashing,
			Of: subclasses.Options{Most: f.Most, Basis: b, Seed: f.Seed}})
		if err != nil {
			return nil, err
		}
		return packSubclasses(s)
	})
	if err != nil {
		return err
	}
	emit(0, part{[]int{shard.Index}, body}.encode())
	return nil
}

// outlineOf reads data once and computes their outline.
func outlineOf(ctx context.Context, spec string, open dataset.OpenOptions) ([]byte, error) {
	open.RequireLabels = true
	var l outliner
	err := dataset.Stream(ctx, spec, open, statisticsBlock,
		func(x *dataset.Table, labels []int, classes []string) error {
			return l.add(x.Matrix(), labels, classes)
		})
	if err != nil {
		return nil, err
	}
	o, err := l.outline()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	o.all.Columns = open.Columns
	return o.pack()
}
