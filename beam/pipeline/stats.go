package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

func init() {
	register.DoFn3x1[context.Context, Shard, func(int, []byte), error](&countFn{})
	register.DoFn3x1[int, func(*[]byte) bool, func(int, []byte), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeFn{})
	register.DoFn2x1[context.Context, []byte, error](&writeOneFn{})
	register.Combiner1[[]byte](&freely{})
	register.Function2x1(withoutKey)
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	beam.RegisterType(reflect.TypeFor[Shard]())
}

// StatsOptions are the options of [Stats].
type StatsOptions struct {
	Open     dataset.OpenOptions // options for opening the data; functions in it are ignored
	First    []byte              // survey of the first shard, from [SurveyFirst]; nil if no survey is needed
	Moments  bool                // whether to compute the third and fourth moments
	MinCount int                 // smallest number of rows of a class in a shard; smaller classes are left out
	Hashes   Hashes              // how rows are recorded
	Single   bool                // whether to write classes with one row; otherwise they are an error
	Free     bool                // whether to merge in the order of the runner; faster, but changes the last bits
	Out      string              // path of the statistics file to write, also gs:// or s3://
}

// Hashes determines how rows are recorded. It is sent to the workers with the pipeline, including the key.
type Hashes struct {
	None bool   // record only the number of rows
	Key  []byte // key for [provenance.KeyedHashes]; nil hashes without a key
}

func (h Hashes) hashing() (provenance.Hashing, error) {
	return provenance.HashesOf(h.None, h.Key)
}

// Stats adds steps to s that compute class statistics. Unless opt.Free is set, the output equals the output of rao
// stats on each shard followed by rao stats merge, bit for bit. Shards without selected rows are ignored. It returns an
// error if there are no shards.
func Stats(s beam.Scope, shards []Shard, opt StatsOptions) error {
	if len(shards) == 0 {
		return errors.New("no data files are given; give at least one")
	}
	s = s.Scope("Stats")
	count := &countFn{ofStatistics, choicesOf(opt.Open), opt.Moments, opt.MinCount, opt.Hashes}
	var parts beam.PCollection
	if opt.First == nil {
		parts = beam.ParDo(s, count, spread(s, shards))
	} else {
		inputs := inputsOf(s, shards, opt)
		parts = beam.ParDo(s, &countTableFn{*count}, spread(s, shards), beam.SideInput{Input: inputs})
	}
	if opt.Free {
		all := beam.Combine(s, &freely{}, beam.ParDo(s, withoutKey, parts))
		beam.ParDo0(s, &writeOneFn{opt.Out, opt.Single}, all)
		return nil
	}
	beam.ParDo0(s, &writeFn{Kind: ofStatistics, Out: opt.Out, Single: opt.Single},
		lastGroup(s, ofStatistics, parts, len(shards)))
	return nil
}

// spread returns a collection of the shards, spread over the workers.
func spread(s beam.Scope, shards []Shard) beam.PCollection {
	return beam.Reshuffle(s, beam.CreateList(s, shards))
}

// lastGroup merges groups of consecutive parts, and then groups of the results, until one group is left. It does not
// merge that group.
func lastGroup(s beam.Scope, kind string, parts beam.PCollection, n int) beam.PCollection {
	for ; n > statsarrays.MergeWidth; n = (n + statsarrays.MergeWidth - 1) / statsarrays.MergeWidth {
		parts = beam.ParDo(s, &mergeFn{kind}, beam.GroupByKey(s, parts))
	}
	return beam.GroupByKey(s, parts)
}

// countFn counts a shard and emits its part, with the number of the group that merges it.
type countFn struct {
	Kind     string
	Open     choices
	Moments  bool
	MinCount int
	Hashes   Hashes
}

// ProcessElement implements the DoFn.
func (f *countFn) ProcessElement(ctx context.Context, shard Shard, emit func(int, []byte)) error {
	return f.count(ctx, shard, nil, emit)
}

// count counts a shard. If inputs is not nil, it determines how the shard is read.
func (f *countFn) count(ctx context.Context, shard Shard, inputs *gaussian.Inputs, emit func(int, []byte)) error {
	body, err := shard.count(ctx, f.Open, func(spec string, open dataset.OpenOptions) ([]byte, error) {
		if f.Kind == ofOutlines {
			return outlineOf(ctx, spec, open)
		}
		s, err := dataset.Statistics(ctx, spec, dataset.StatisticsOptions{Open: open.WithInputs(inputs),
			HashKey: f.Hashes.Key, NoHashes: f.Hashes.None, Moments: f.Moments, MinCount: f.MinCount})
		if err != nil {
			return nil, err
		}
		return packStatistics(s)
	})
	if err != nil {
		return err
	}
	emit(shard.Index/statsarrays.MergeWidth, part{[]int{shard.Index}, body}.encode())
	return nil
}

// count computes the body of the part for a shard. The body is nil if no row is selected.
func (s *Shard) count(ctx context.Context, open choices,
	body func(spec string, open dataset.OpenOptions) ([]byte, error)) ([]byte,
	error) {
	spec, done, err := s.local(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	opt := open.options()
	opt.Span = s.Span
	b, err := body(spec, opt)
	if errors.Is(err, dataset.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("shard %d: %w", s.Index, err)
	}
	return b, nil
}

// all copies the encoded parts of one group into a list.
func all(parts func(*[]byte) bool) [][]byte {
	var list [][]byte
	var b []byte
	for parts(&b) {
		list = append(list, append([]byte(nil), b...))
	}
	return list
}

// mergeFn merges a group and emits the result with the number of its group on the next level.
type mergeFn struct{ Kind string }

// ProcessElement implements the DoFn.
func (f *mergeFn) ProcessElement(group int, parts func(*[]byte) bool, emit func(int, []byte)) error {
	p, err := mergeParts(f.Kind, all(parts))
	if err != nil {
		return err
	}
	p.shards = []int{group}
	emit(group/statsarrays.MergeWidth, p.encode())
	return nil
}

// writeFn merges the last group and writes the file.
type writeFn struct {
	Kind string
	Most int // sub-classes per class
	Out  string

	Single bool // also writes classes with one row
}

// ProcessElement implements the DoFn.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, parts func(*[]byte) bool) error {
	if f.Kind == ofSubclasses {
		s, err := mergeSubclasses(f.Most, all(parts))
		if err != nil {
			return err
		}
		return write(ctx, f.Out, s)
	}
	p, err := mergeParts(f.Kind, all(parts))
	if err != nil {
		return err
	}
	return writeStatistics(ctx, f.Out, p, f.Single)
}

// writeStatistics writes a part that contains all shards.
func writeStatistics(ctx context.Context, out string, p part, single bool) error {
	if len(p.body) == 0 {
		return errNoRows
	}
	s, err := unpackStatistics(p.body)
	if err != nil {
		return err
	}
	if s.NumClasses() == 0 {
		return errors.New("every class has fewer rows in each shard than the minimum count; lower the minimum")
	}
	if err := provenance.CheckSingles(s.Classes, s.Counts); err != nil && !single {
		return rao.Optionf("min-count", "%w; leave small classes out with {min-count}, or confirm with "+
			"{allow-single}", err)
	}
	return write(ctx, out, s)
}

// write writes statistics to a path in any file system.
func write(ctx context.Context, path string, s interface{ WriteFile(path string) error }) error {
	if !remote(path) {
		return s.WriteFile(path)
	}
	b, err := viaFile("rao-out-*.npz", s.WriteFile)
	if err != nil {
		return err
	}
	return store(ctx, path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// writeOneFn writes statistics that were merged into a single part.
type writeOneFn struct {
	Out    string
	Single bool
}

// ProcessElement implements the DoFn.
func (f *writeOneFn) ProcessElement(ctx context.Context, b []byte) error {
	p, err := decodePart(b)
	if err != nil {
		return err
	}
	return writeStatistics(ctx, f.Out, p, f.Single)
}

func withoutKey(_ int, part []byte) []byte { return part }

// freely is a CombineFn that merges parts in the order in which Beam delivers them.
type freely struct{}

// CreateAccumulator implements the CombineFn.
func (*freely) CreateAccumulator() []byte { return part{}.encode() }

// AddInput implements the CombineFn.
func (*freely) AddInput(sum, part []byte) ([]byte, error) { return join(sum, part) }

// MergeAccumulators implements the CombineFn.
func (*freely) MergeAccumulators(a, b []byte) ([]byte, error) { return join(a, b) }

// join decodes two parts, merges their statistics and their lists of shards, and encodes the result.
func join(a, b []byte) ([]byte, error) {
	var two [2]part
	for i, encoded := range [][]byte{a, b} {
		var err error
		if two[i], err = decodePart(encoded); err != nil {
			return nil, err
		}
	}
	shards, err := shardsOfAll(two[:])
	if err != nil {
		return nil, err
	}
	sum, err := mergeParts(ofStatistics, [][]byte{a, b})
	sum.shards = shards
	return sum.encode(), err
}
