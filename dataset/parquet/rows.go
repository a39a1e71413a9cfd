package parquet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"rao"
	"rao/dataset"
	"rao/internal/linalg/vec"
)

// Read implements dataset.Columns.
func (f *file) Read(ctx context.Context, numbers, texts []int, single bool) (
	next func(n int) (*dataset.ColumnRows, error), stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &reader{f: f, ctx: ctx, cancel: cancel, numbers: numbers, texts: texts, single: single}
	for _, i := range numbers {
		r.cols += f.leaves[i].width
	}
	r.next = f.from
	r.plan()
	r.used = make(chan block, r.ahead*(r.queue+1))
	for range r.ahead {
		r.start()
	}
	return r.read, r.close, nil
}

// reader decodes row groups in parallel and returns their rows in order.
type reader struct {
	f              *file
	ctx            context.Context
	cancel         func()
	numbers, texts []int
	single         bool
	cols           int // values per row

	rows   int // rows per block
	queue  int // number of blocks of a group that may wait
	ahead  int // number of groups that are decoded in parallel
	next   int // next group to start
	groups []chan block
	jobs   sync.WaitGroup

	memory sync.Pool  // *memory of finished groups
	used   chan block // blocks with memory that can be reused
	now    *block     // the block that is being returned
	at     int        // number of its rows that were returned
}

// block contains some rows of a group, or the error that ended the group.
type block struct {
	n     int
	x32   []float32
	x64   []float64
	texts []dataset.Texts
	err   error
}

// waiting is the memory that waiting blocks may use, in bytes, and mostRows is the largest number of rows of a block.
const (
	waiting   = 8 << 20
	mostRows  = 8192
	blockSize = 1 << 19 // fits in a core's cache while columns are interleaved
)

// plan determines the sizes of blocks and the number of groups in parallel.
func (r *reader) plan() {
	bytes := 8*r.cols + 4*len(r.texts) + 1
	r.rows = max(1, min(mostRows, blockSize/bytes))
	r.ahead = max(1, min(rao.Parallelism(), r.f.to-r.f.from))
	r.queue = max(1, min(256, waiting/r.ahead/(bytes*r.rows)))
}

// start queues the next row group for decoding, if there is one.
func (r *reader) start() {
	g := r.next
	if g >= r.f.to {
		return
	}
	r.next++
	out := make(chan block, r.queue)
	r.groups = append(r.groups, out)
	r.jobs.Add(1)
	go func() {
		defer r.jobs.Done()
		defer close(out)
		if err := r.decode(g, out); err != nil {
			select {
			case out <- block{err: fmt.Errorf("%s: %w", r.f.path, err)}:
			case <-r.ctx.Done():
			}
		}
	}()
}

// memory is the memory of a group, which the next group reuses.
type memory struct {
	cursors []*cursor
	page    scratch
}

// memories stores the memory of closed readers, which the next pass over a file reuses.
var memories sync.Pool

// reusedMemory returns memory for some columns, from a closed reader if possible.
func reusedMemory(columns int) *memory {
	m, _ := memories.Get().(*memory)
	if m == nil {
		m = &memory{}
	}
	for _, c := range m.cursors[:cap(m.cursors)] {
		if c != nil {
			c.table = table{} // its texts are from other columns
		}
	}
	m.cursors = slices.Grow(m.cursors, max(0, columns-len(m.cursors)))[:columns]
	return m
}

// decode sends the rows of a group to out.
func (r *reader) decode(g int, out chan<- block) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken(p)
		}
	}()
	group := r.f.meta.RowGroups[g]
	m, _ := r.memory.Get().(*memory)
	if m == nil {
		m = reusedMemory(len(r.numbers) + len(r.texts))
	}
	cursors := m.cursors
	for k, i := range slices.Concat(r.numbers, r.texts) {
		if cursors[k], err = r.f.cursor(g, r.f.leaves[i], &m.page, cursors[k]); err != nil {
			return err
		}
		cursors[k].text, cursors[k].single = k >= len(r.numbers), r.single
	}
	defer r.memory.Put(m)
	left := int(group.NumRows)
	for left > 0 {
		b := block{n: min(left, r.rows)}
		if err := r.fill(&b, cursors); err != nil {
			return err
		}
		left -= b.n
		select {
		case out <- b:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
	return nil
}

// cursor starts reading a column of a group, in the memory of old, which may be nil.
func (f *file) cursor(g int, l *leaf, s *scratch, old *cursor) (*cursor, error) {
	c := &cursor{l: l}
	var in *bufio.Reader
	if old != nil {
		c.table, in = old.table, old.pages.in
		c.room32, c.room64, c.stored, c.places, c.index = old.room32, old.room64, old.stored, old.places[:0], old.index
		c.dict32, c.dict64, c.dictPlaces = old.dict32, old.dict64, old.dictPlaces
	}
	if c.table.base = 0; c.table.texts == nil {
		c.table.reset()
	}
	var err error
	c.pages, err = f.pages(g, l, s, in)
	return c, err
}

// fill reads the next rows of a row group from the cursors into b.
func (r *reader) fill(b *block, cursors []*cursor) error {
	select {
	case old := <-r.used:
		b.x32, b.x64, b.texts = old.x32, old.x64, old.texts
	default:
	}
	if b.texts == nil {
		b.texts = make([]dataset.Texts, len(r.texts))
	}
	if n := b.n * r.cols; r.single {
		vec.Room(&b.x32, n)
	} else {
		vec.Room(&b.x64, n)
	}
	numbers := cursors[:len(r.numbers)]
	for off := 0; len(numbers) > 0; {
		next := together(numbers)
		if err := next.numbers(b.n, b.x32, b.x64, r.cols, off); err != nil {
			return err
		}
		for _, c := range next {
			off += c.l.width
		}
		numbers = numbers[len(next):]
	}
	for k, c := range cursors[len(r.numbers):] {
		t := &b.texts[k]
		vec.Room(&t.Index, b.n)
		var err error
		if t.Values, err = c.texts(b.n, t.Index); err != nil {
			return err
		}
	}
	return nil
}

// read returns the next rows.
func (r *reader) read(n int) (*dataset.ColumnRows, error) {
	for r.now == nil || r.at == r.now.n {
		if err := r.advance(); err != nil {
			return nil, err
		}
	}
	b := r.now
	lo := r.at
	hi := min(lo+n, b.n)
	r.at = hi
	out := &dataset.ColumnRows{Rows: hi - lo}
	if r.cols > 0 && r.single {
		out.Numbers = dataset.NewTable(hi-lo, r.cols, b.x32[lo*r.cols:hi*r.cols])
	} else if r.cols > 0 {
		out.Numbers = dataset.NewTable(hi-lo, r.cols, b.x64[lo*r.cols:hi*r.cols])
	}
	for _, t := range b.texts {
		out.Texts = append(out.Texts, dataset.Texts{Values: t.Values, Index: t.Index[lo:hi]})
	}
	return out, nil
}

func (r *reader) advance() error {
	for len(r.groups) > 0 {
		select {
		case b, ok := <-r.groups[0]:
			if !ok {
				r.groups = r.groups[1:]
				r.start()
				continue
			}
			if b.err != nil {
				return b.err
			}
			if r.now != nil {
				select {
				case r.used <- *r.now:
				default:
				}
			}
			r.now, r.at = &b, 0
			return nil
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
	return io.EOF
}

// close stops the goroutines and keeps their memory for the next reader.
func (r *reader) close() {
	r.cancel()
	r.jobs.Wait()
	for m := r.memory.Get(); m != nil; m = r.memory.Get() {
		memories.Put(m)
	}
}
