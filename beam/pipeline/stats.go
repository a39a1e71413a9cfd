package pipeline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rao/dataset"
	"rao/gaussian"
)

func init() {
	register.DoFn3x1[context.Context, Shard, func(int, []byte), error](&countFn{})
	register.DoFn3x1[int, func(*[]byte) bool, func(int, []byte), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeFn{})
	register.DoFn3x1[context.Context, int, []byte, error](&writeOneFn{})
	register.Combiner1[[]byte](&freely{})
	register.Function2x1(withoutKey)
	register.Function1x2(withKey)
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	beam.RegisterType(reflect.TypeFor[Shard]())
}

// StatsOptions say how class statistics are computed and where they go.
type StatsOptions struct {
	Open     dataset.OpenOptions // of the data; functions in it are not heeded
	Moments  bool
	MinCount int    // classes of a shard with fewer rows are left out
	Free     bool   // merge in the order in which the runner comes to it: other bits, and faster
	Out      string // statistics file
}

// Stats adds the pipeline of class statistics to the scope. In the order of the shards it
// writes what rao stats of each shard and rao stats merge of them all write, bit for bit.
func Stats(s beam.Scope, shards []Shard, opt StatsOptions) error {
	if len(shards) == 0 {
		return errors.New("no shards")
	}
	s = s.Scope("Stats")
	parts := beam.ParDo(s, &countFn{choicesOf(opt.Open), opt.Moments, opt.MinCount}, spread(s, shards))
	if opt.Free {
		all := beam.Combine(s, &freely{}, beam.ParDo(s, withoutKey, parts))
		beam.ParDo0(s, &writeOneFn{opt.Out}, beam.ParDo(s, withKey, all))
		return nil
	}
	for n := len(shards); n > gaussian.MergeWidth; n = (n + gaussian.MergeWidth - 1) / gaussian.MergeWidth {
		parts = beam.ParDo(s, &mergeFn{}, beam.GroupByKey(s, parts))
	}
	beam.ParDo0(s, &writeFn{opt.Out}, beam.GroupByKey(s, parts))
	return nil
}

// spread makes a collection of the shards that workers take from.
func spread(s beam.Scope, shards []Shard) beam.PCollection {
	return beam.Reshuffle(s, beam.CreateList(s, shards))
}

// A part is statistics with their number: eight bytes, and then the file that rao stats
// writes. Parts are bytes and not structures, which Beam would encode field by field.

func packed(number int, s *gaussian.Statistics) ([]byte, error) {
	b, err := viaFile("rao-part-*.npz", s.WriteFile)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(number)), b...), err
}

func numberOf(part []byte) int { return int(binary.LittleEndian.Uint64(part)) }

func unpacked(part []byte) (*gaussian.Statistics, error) {
	return asFile("rao-part-*.npz", part[8:], gaussian.ReadFile)
}

// countFn counts a shard and emits its statistics under the group that merges them.
type countFn struct {
	Open     choices
	Moments  bool
	MinCount int
}

// ProcessElement implements the DoFn.
func (f *countFn) ProcessElement(ctx context.Context, shard Shard, emit func(int, []byte)) error {
	spec, done, err := shard.local(ctx)
	if err != nil {
		return err
	}
	defer done()
	s, err := dataset.Statistics(ctx, spec, dataset.StatisticsOptions{Open: f.Open.options(), Moments: f.Moments})
	if err != nil {
		return fmt.Errorf("shard %d: %w", shard.Index, err)
	}
	if f.MinCount > 0 {
		s, _ = s.WithoutSmall(f.MinCount)
	}
	b, err := packed(shard.Index, s)
	if err != nil {
		return err
	}
	emit(shard.Index/gaussian.MergeWidth, b)
	return nil
}

// merged merges the parts of a group in their order.
func merged(parts func(*[]byte) bool) (*gaussian.Statistics, error) {
	var all [][]byte
	var b []byte
	for parts(&b) {
		all = append(all, slices.Clone(b))
	}
	slices.SortFunc(all, func(a, b []byte) int { return numberOf(a) - numberOf(b) })
	for i := 1; i < len(all); i++ {
		if numberOf(all[i]) == numberOf(all[i-1]) {
			return nil, fmt.Errorf("part %d came twice; the runner does not count its work once", numberOf(all[i]))
		}
	}
	return gaussian.MergeInOrder(len(all), func(i int) (*gaussian.Statistics, error) { return unpacked(all[i]) })
}

// mergeFn merges a group and emits the result under the group of the next level.
type mergeFn struct{}

// ProcessElement implements the DoFn.
func (*mergeFn) ProcessElement(group int, parts func(*[]byte) bool, emit func(int, []byte)) error {
	s, err := merged(parts)
	if err != nil {
		return err
	}
	b, err := packed(group, s)
	if err != nil {
		return err
	}
	emit(group/gaussian.MergeWidth, b)
	return nil
}

// writeFn merges the last group and writes the file.
type writeFn struct{ Out string }

// ProcessElement implements the DoFn.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, parts func(*[]byte) bool) error {
	s, err := merged(parts)
	if err != nil {
		return err
	}
	return f.write(ctx, s)
}

func (f *writeFn) write(ctx context.Context, s *gaussian.Statistics) error {
	if !remote(f.Out) {
		return s.WriteFile(f.Out)
	}
	b, err := viaFile("rao-out-*.npz", s.WriteFile)
	if err != nil {
		return err
	}
	return store(ctx, f.Out, b)
}

// writeOneFn writes statistics that are merged already.
type writeOneFn struct{ Out string }

// ProcessElement implements the DoFn.
func (f *writeOneFn) ProcessElement(ctx context.Context, _ int, part []byte) error {
	s, err := unpacked(part)
	if err != nil {
		return err
	}
	return (&writeFn{f.Out}).write(ctx, s)
}

func withoutKey(_ int, part []byte) []byte { return part }

func withKey(part []byte) (int, []byte) { return 0, part }

// freely merges parts in any order.
type freely struct{}

// CreateAccumulator implements the CombineFn.
func (*freely) CreateAccumulator() []byte { return []byte{} }

// AddInput implements the CombineFn.
func (*freely) AddInput(sum, part []byte) ([]byte, error) { return join(sum, part) }

// MergeAccumulators implements the CombineFn.
func (*freely) MergeAccumulators(a, b []byte) ([]byte, error) { return join(a, b) }

// join merges two parts, of which each may be none.
func join(a, b []byte) ([]byte, error) {
	if len(a) == 0 {
		return slices.Clone(b), nil
	}
	if len(b) == 0 {
		return slices.Clone(a), nil
	}
	var two [2]*gaussian.Statistics
	for i, part := range [][]byte{a, b} {
		var err error
		if two[i], err = unpacked(part); err != nil {
			return nil, err
		}
	}
	s, err := gaussian.Merge(two[:]...)
	if err != nil {
		return nil, err
	}
	return packed(0, s)
}
