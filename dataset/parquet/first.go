package parquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// listWidth returns the length of the first list that is not missing, or 1 if there is none.
func (f *file) listWidth(l *leaf) (int, error) {
	first := list{l: l}
	for i := 0; i < len(f.meta.RowGroups) && !first.ended; i++ {
		p, err := f.pages(i, l, &scratch{}, nil)
		if err == nil {
			err = p.find(&first)
		}
		if err != nil {
			return 0, err
		}
	}
	if first.width > largestWidth {
		return 0, fmt.Errorf("its lists have more than %d values", largestWidth)
	}
	return max(first.width, 1), nil
}

// list is the state of measuring the first list of a column.
type list struct {
	l           *leaf
	width       int
	open, ended bool
}

// add processes the next levels. If defs is nil, no value is missing.
func (s *list) add(reps, defs []byte) {
	for i, r := range reps {
		if r == 0 && s.open || s.width > largestWidth {
			s.ended = true
			return
		}
		if defs == nil || defs[i] >= s.l.element {
			s.open = true
			s.width++
		}
	}
}

// find finds the end of the list in the levels of the pages. A page may be as long as its column, so it is read only
// as far as its levels, and these are expanded only as far as necessary.
func (p *pages) find(s *list) error {
	for p.rows > 0 {
		h, err := p.header()
		if err != nil {
			return err
		}
		in := &io.LimitedReader{R: p.in, N: int64(h.CompressedPageSize)}
		g, err := p.levelsOf(h, in)
		if err != nil {
			return p.damaged(err)
		}
		for _, n := range []int{min(g.n, 1<<12), g.n} {
			all := *s
			if err := p.expand(g, n); err != nil {
				return p.damaged(err)
			}
			if g.defs.none() {
				all.add(p.reps, nil)
			} else {
				all.add(p.reps, p.defs)
			}
			if all.ended || n == g.n {
				*s = all
				break
			}
		}
		if s.ended {
			return nil
		}
		p.rows -= int64(g.n)
		if _, err := io.Copy(io.Discard, in); err != nil {
			return p.damaged(err)
		}
	}
	return nil
}

// expand writes the first n levels of a page to the memory of pages.
func (p *pages) expand(g *page, n int) (err error) {
	reps, defs := g.reps, g.defs
	reps.n, defs.n = n, n
	if p.reps, err = reps.expand(p.reps); err == nil && !defs.none() {
		p.defs, err = defs.expand(p.defs)
	}
	return err
}

// levelsOf reads the levels at the start of a page.
func (p *pages) levelsOf(h *format.PageHeader, in io.Reader) (*page, error) {
	switch h.Type {
	case format.DataPage:
		d := h.DataPageHeader.V
		g := &page{n: int(d.NumValues)}
		plain, err := plainReader(p.codec, in, int(h.UncompressedPageSize))
		if err == nil {
			g.reps, err = g.readLevel(plain, d.RepetitionLevelEncoding, p.l.maxRep())
		}
		if err == nil && p.l.maxDef > 0 {
			g.defs, err = g.readLevel(plain, d.DefinitionLevelEncoding, p.l.maxDef)
		}
		return g, err
	case format.DataPageV2:
		d := &h.DataPageHeaderV2.V
		size := int64(d.RepetitionLevelsByteLength) + int64(d.DefinitionLevelsByteLength)
		src, err := io.ReadAll(io.LimitReader(in, max(0, size)))
		if err != nil {
			return nil, err
		}
		return p.secondLevels(d, src)
	}
	return &page{}, nil
}

// readLevel is like level, for a page that is read from a stream.
func (g *page) readLevel(r io.Reader, e format.Encoding, most byte) (levels, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return levels{}, err
	}
	src, err := io.ReadAll(io.LimitReader(r, int64(binary.LittleEndian.Uint32(head[:]))))
	if err != nil {
		return levels{}, err
	}
	g.data = append(head[:], src...)
	return g.level(e, most)
}

// binarySize returns the number of bytes of the first value of a binary column that is not missing, or 0.
func (f *file) binarySize(l *leaf) (int, error) {
	for i := range f.meta.RowGroups {
		c, err := f.cursor(i, l, &scratch{}, nil)
		if err != nil {
			return 0, err
		}
		c.text = true
		for {
			g, err := c.page()
			if err == io.EOF {
				break
			}
			if err == nil {
				err = c.decode(g)
			}
			for _, at := range c.places {
				if size := len(c.table.texts[at]); size > 0 {
					return size, err
				}
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}
