package dataset

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"

	"rao/internal/par"
)

// Rows of files are shuffled in two steps. The files are split into blocks of blockBytes, which are read in a random
// order. Their rows pass through a buffer of bufferBytes: each new row replaces a random row, and the replaced row goes
// to the batch.
const (
	blockBytes  = 1 << 20
	bufferBytes = 128 << 20
)

// fileBlock is a file or a part of it that is read separately.
type fileBlock struct {
	file string
	span [2]int64
}

// cut splits the files into blocks. A file that can only be read from its start is one block, and so is a named set.
func (d *OnDisk) cut(ctx context.Context, known *named) error {
	if known != nil {
		d.blocks = []fileBlock{{}}
		return nil
	}
	files, err := filesOf(d.Data.Source)
	if err != nil {
		return err
	}
	for _, file := range files {
		spans := [][2]int64{{}}
		if d.apart(file) {
			if spans, err = Spans(file, blockBytes); err != nil {
				return err
			}
		}
		for _, s := range spans {
			d.blocks = append(d.blocks, fileBlock{file, s})
		}
	}
	return ctx.Err()
}

// apart reports whether parts of a file can be read separately with these options.
func (d *OnDisk) apart(file string) bool {
	f, err := formatOf(file)
	opt := d.opt
	opt.Span = [2]int64{0, 1}
	return err == nil && f.checkSpan(file, &opt) == nil
}

func (d *OnDisk) rowsOf(ctx context.Context, b fileBlock) (source, error) {
	if b.file == "" {
		known, err := lookup(d.Data.Source)
		if err != nil {
			return nil, err
		}
		return known.rows(ctx, d.Data.Source, d.Open)
	}
	opt := d.opt
	opt.Span = b.span
	return openRows(ctx, b.file, &opt)
}

// shuffle calls fn for each batch of an epoch. The next batch is collected while fn runs.
func (d *OnDisk) shuffle(ctx context.Context, seed uint64, epoch, size int, fn func(b *rowBlock) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rng := rand.New(rand.NewPCG(seed, 0x5b0ff1e+uint64(epoch)))
	m := &mixer{rng: rng, buffer: newRowBlock(d.table(d.room(size)))}
	var failed error
	next, stop := iter.Pull(func(full func(struct{}) bool) {
		m.full = func() bool { return full(struct{}{}) }
		failed = d.mix(ctx, m, rng.Perm(len(d.blocks)))
	})
	defer stop()
	fresh := func() *rowBlock { return newRowBlock(d.table(size)) }
	return par.Ahead([2]*rowBlock{fresh(), fresh()}, func(b *rowBlock) error {
		m.out, b.filled = b, 0
		if _, ok := next(); ok {
			return nil
		}
		if failed != nil {
			return failed
		}
		return io.EOF
	}, func(b *rowBlock) error {
		if b.filled < size {
			return nil
		}
		return fn(b)
	})
}

// table returns an empty table with the element type of the rows.
func (d *OnDisk) table(rows int) *Table {
	return newTable(d.Data.X.kind, rows, d.Data.X.cols)
}

// errEnough ends the reading of an epoch.
var errEnough = errors.New("no more rows are wanted")

// room returns the number of rows in the buffer for batches of the given size.
func (d *OnDisk) room(size int) int {
	x := d.Data.X
	return min(max(bufferBytes/(x.kind.size()*x.cols), 2*size), max(x.rows, 1))
}

// mix reads all blocks in the given order and passes their rows through the mixer.
func (d *OnDisk) mix(ctx context.Context, m *mixer, order []int) error {
	rows := d.reader
	if rows == 0 {
		rows = max(64, min(defaultBlock, blockBytes/4/d.Data.X.cols))
	}
	for _, i := range order {
		if err := d.mixBlock(ctx, d.blocks[i], rows, m); err == errEnough {
			return nil
		} else if err != nil {
			return err
		}
	}
	m.rest()
	return nil
}

// mixBlock passes the rows of one block to m.
func (d *OnDisk) mixBlock(ctx context.Context, b fileBlock, rows int, m *mixer) error {
	src, err := d.rowsOf(ctx, b)
	if err != nil {
		return err
	}
	defer src.close()
	if b.file == "" { // a set: nothing is known about it yet
		if _, err := src.survey(ctx); err != nil {
			return err
		}
	}
	order, err := orderFor(d.opt.Columns, src.known())
	if err != nil {
		return err
	}
	err = handOut(ctx, src, d.Data.Classes, rows, func(b *rowBlock) error {
		x, labels := b.rows()
		if x = x.inOrder(order); d.Open.fill != nil {
			x = x.Filled(d.Open.fill, true)
		}
		for i, l := range labels {
			if !m.put(x, i, l) {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errNothing) || errors.Is(err, ErrNoRows) { // no row of this part is selected
		return nil
	}
	return err
}

// mixer is the buffer that shuffles rows.
type mixer struct {
	rng    *rand.Rand
	buffer *rowBlock
	out    *rowBlock   // the batch to which rows are added
	full   func() bool // called for a full batch; false ends the epoch
}

// newRowBlock returns an empty block that uses the memory of x.
func newRowBlock(x *Table) *rowBlock {
	return &rowBlock{x: x, labels: make([]int, x.rows), size: x.rows}
}

// put adds row i of x and, if the buffer is full, removes another one. It reports whether more rows are needed.
func (m *mixer) put(x *Table, i, label int) bool {
	h := m.buffer
	if h.filled < h.size {
		h.set(h.filled, x, i, label)
		h.filled++
		return true
	}
	j := m.rng.IntN(h.size)
	if !m.emit(j) {
		return false
	}
	h.set(j, x, i, label)
	return true
}

// emit moves row j of the buffer to the batch.
func (m *mixer) emit(j int) bool {
	b := m.out
	b.set(b.filled, m.buffer.x, j, m.buffer.labels[j])
	b.filled++
	return b.filled < b.size || m.full()
}

// rest emits the rows left in the buffer, in random order.
func (m *mixer) rest() {
	h := m.buffer
	for h.filled > 0 {
		j := m.rng.IntN(h.filled)
		if !m.emit(j) {
			return
		}
		h.filled--
		h.set(j, h.x, h.filled, h.labels[h.filled])
	}
}

func (b *rowBlock) set(j int, x *Table, i, label int) {
	b.labels[j] = label
	b.x.setRow(j, x, i, 1)
}
