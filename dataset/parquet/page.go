package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page that exceeds these limits is considered damaged. Memory is never allocated because of a header alone.
const (
	largestPage   = 1 << 30 // bytes
	freePage      = 1 << 26 // bytes that any page may have, however small it is when compressed
	largestRatio  = 1024    // largest ratio of a longer page to its compressed size
	largestValues = 1 << 24
)

// page is a page of values, as stored.
type page struct {
	n          int // number of values, including missing ones
	reps, defs levels
	encoding   format.Encoding
	data       []byte  // the encoded values; data, reps and defs are overwritten by the next page
	memory     *[]byte // the memory that contains data
	dictionary bool    // the values are a dictionary
}

// scratch is memory for one page at a time, shared by the columns of a row group.
type scratch struct{ stored, plain, reps, defs []byte }

// pages reads the pages of a column of a row group. parquet-go could read them too, but it trusts the size in a page's
// header.
type pages struct {
	*scratch
	l     *leaf
	codec format.CompressionCodec
	in    *bufio.Reader
	left  int64 // bytes of the column not yet read
	rows  int64 // values of the column not yet read
	proto thrift.CompactProtocol
}

// pages starts reading a column of a row group. in is a reader to reuse, or nil.
func (f *file) pages(group int, l *leaf, s *scratch, in *bufio.Reader) (*pages, error) {
	meta := &f.meta.RowGroups[group].Columns[l.index].MetaData
	start, size := meta.DataPageOffset, meta.TotalCompressedSize
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	if start < 0 || size < 0 || start+size < start || start+size > f.size {
		return nil, damaged(fmt.Errorf("column %s is outside the file", l.name))
	}
	part := io.NewSectionReader(f.source, start, size)
	if in == nil {
		in = bufio.NewReaderSize(part, 1<<14)
	} else {
		in.Reset(part)
	}
	return &pages{scratch: s, l: l, codec: meta.Codec, in: in, left: size, rows: meta.NumValues}, nil
}

// next reads the next page of values or dictionary, or returns io.EOF.
func (p *pages) next() (*page, error) {
	for p.rows > 0 {
		h, err := p.header()
		if err != nil {
			return nil, err
		}
		g, err := p.read(h)
		if err != nil {
			return nil, p.damaged(err)
		}
		if g == nil { // an index page
			continue
		}
		if !g.dictionary {
			p.rows -= int64(g.n)
		}
		return g, nil
	}
	return nil, io.EOF
}

func (p *pages) damaged(err error) error { return damaged(fmt.Errorf("column %s: %w", p.l.name, err)) }

func (p *pages) header() (*format.PageHeader, error) {
	h := &format.PageHeader{}
	if err := thrift.NewDecoder(p.proto.NewReader(p.in)).Decode(h); err != nil {
		return nil, p.damaged(err)
	}
	stored, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	switch {
	case stored < 0 || stored > p.left:
		return nil, p.damaged(fmt.Errorf("a page declares %d bytes, but only %d bytes of its column are left",
			stored, p.left))
	case size < 0:
		return nil, p.damaged(fmt.Errorf("a page declares %d decompressed bytes", size))
	case size > largestPage || size > freePage && size > largestRatio*stored:
		return nil, p.damaged(fmt.Errorf("a page of %d bytes declares %d decompressed bytes, but pages are limited to "+
			"%d MiB, or %d times their compressed size if they have more than %d MiB; write the file with smaller "+
			"pages", stored, size, largestPage>>20, largestRatio, freePage>>20))
	}
	p.left -= stored
	return h, nil
}

func (p *pages) read(h *format.PageHeader) (*page, error) {
	stored, size := h.CompressedPageSize, h.UncompressedPageSize
	p.stored = resize(p.stored, int(stored))
	if _, err := io.ReadFull(p.in, p.stored); err != nil {
		return nil, err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(p.stored) {
		return nil, errors.New("a page does not match its checksum")
	}
	switch h.Type {
	case format.DataPage:
		d := h.DataPageHeader.V
		g := &page{n: int(d.NumValues), encoding: d.Encoding}
		var err error
		g.data, g.memory, err = p.plainOf(p.stored, int(size), true)
		if err == nil && p.l.maxRep() > 0 {
			g.reps, err = g.level(d.RepetitionLevelEncoding, p.l.maxRep())
		}
		if err == nil && p.l.maxDef > 0 {
			g.defs, err = g.level(d.DefinitionLevelEncoding, p.l.maxDef)
		}
		return g, err
	case format.DataPageV2:
		return p.second(&h.DataPageHeaderV2.V, int(size))
	case format.DictionaryPage:
		plain, _, err := p.plainOf(p.stored, int(size), true)
		return &page{n: int(h.DictionaryPageHeader.V.NumValues), data: plain, dictionary: true}, err
	}
	return nil, nil
}

// second reads a page of version 2, in which the levels are not compressed.
func (p *pages) second(d *format.DataPageHeaderV2, size int) (*page, error) {
	g, err := p.secondLevels(d, p.stored)
	if err != nil {
		return nil, err
	}
	levels := int(d.RepetitionLevelsByteLength + d.DefinitionLevelsByteLength)
	if levels > size {
		return nil, errLevels
	}
	g.data, g.memory, err = p.plainOf(p.stored[levels:], size-levels, !d.IsCompressed.Valid || d.IsCompressed.V)
	return g, err
}

var errLevels = errors.New("the levels of a page end outside it")

// secondLevels reads the levels at the start of stored, for a page of version 2.
func (p *pages) secondLevels(d *format.DataPageHeaderV2, stored []byte) (*page, error) {
	reps, defs := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength)
	if reps < 0 || defs < 0 || reps > len(stored) || defs > len(stored)-reps {
		return nil, errLevels
	}
	g := &page{n: int(d.NumValues), encoding: d.Encoding}
	if g.n < 0 || g.n > largestValues {
		return nil, fmt.Errorf("a page declares %d values, but pages are limited to %d; write the file with smaller "+
			"pages", g.n, largestValues)
	}
	if p.l.maxRep() > 0 {
		g.reps = levels{stored[:reps], bits.Len8(p.l.maxRep()), g.n}
	}
	if p.l.maxDef > 0 && defs > 0 {
		g.defs = levels{stored[reps : reps+defs], bits.Len8(p.l.maxDef), g.n}
	}
	return g, nil
}

// plainOf decompresses stored, the bytes of a page, to size bytes. It returns stored itself if the page is not
// compressed.
func (p *pages) plainOf(stored []byte, size int, compressed bool) (plain []byte, memory *[]byte, err error) {
	if !compressed || p.codec == format.Uncompressed {
		return stored, &p.stored, nil
	}
	plain, err = decompress(p.codec, p.plain[:0], stored, size)
	if err == nil {
		p.plain = plain
	}
	return plain, &p.plain, err
}

// level reads the levels at the start of a page of version 1.
func (g *page) level(e format.Encoding, most byte) (levels, error) {
	if g.n < 0 || g.n > largestValues {
		return levels{}, fmt.Errorf("a page declares %d values, but pages are limited to %d; write the file with "+
			"smaller pages", g.n, largestValues)
	}
	if e != format.RLE {
		return levels{}, fmt.Errorf("its levels use the encoding %s, which is not supported; write the file again "+
			"with a current library", e)
	}
	if len(g.data) < 4 {
		return levels{}, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(g.data)
	if int64(n) > int64(len(g.data)-4) {
		return levels{}, io.ErrUnexpectedEOF
	}
	src := g.data[4 : 4+n]
	g.data = g.data[4+n:]
	return levels{src, bits.Len8(most), g.n}, nil
}

func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// otherEncoding decodes values in an encoding other than plain or dictionary.
func otherEncoding(e format.Encoding, kind format.Type, size, n int, data []byte) (values, error) {
	var enc encoding.Encoding
	switch e {
	case format.DeltaBinaryPacked:
		enc = &delta.BinaryPackedEncoding{}
	case format.DeltaLengthByteArray:
		enc = &delta.LengthByteArrayEncoding{}
	case format.DeltaByteArray:
		enc = &delta.ByteArrayEncoding{}
	case format.ByteStreamSplit:
		enc = &bytestreamsplit.Encoding{}
	case format.RLE:
		if kind != format.Boolean {
			return values{}, fmt.Errorf("values of type %s in the encoding %s are not supported; write the file with "+
				"another encoding", kind, e)
		}
		if len(data) < 4 {
			return values{}, errors.New("a page of booleans ends within its length")
		}
		flags, err := hybrid([]byte(nil), data[4:], 1, n)
		return values{flags: flags}, err
	default:
		return values{}, fmt.Errorf("the encoding %s is not supported; write the file with another encoding", e)
	}
	if e != format.ByteStreamSplit {
		if err := checkDelta(data, n); err != nil {
			return values{}, err
		}
	}
	var v values
	var err error
	switch kind {
	case format.Int32:
		v.i32, err = enc.DecodeInt32(nil, data)
	case format.Int64:
		v.i64, err = enc.DecodeInt64(nil, data)
	case format.Float:
		v.f32, err = enc.DecodeFloat(nil, data)
	case format.Double:
		v.f64, err = enc.DecodeDouble(nil, data)
	case format.FixedLenByteArray:
		v.bytes, err = enc.DecodeFixedLenByteArray(nil, data, size)
	case format.ByteArray:
		v.bytes, v.offsets, err = enc.DecodeByteArray(nil, data, nil)
	default:
		err = fmt.Errorf("values of type %s in the encoding %s are not supported; write the file with another "+
			"encoding", kind, e)
	}
	return v, err
}

// checkDelta returns an error if the header of a delta encoding announces more than n values, or larger blocks than any
// writer uses.
func checkDelta(data []byte, n int) error {
	var head [3]uint64 // values per block, parts per block, number of values
	for i := range head {
		v, k := binary.Uvarint(data)
		if k <= 0 {
			return io.ErrUnexpectedEOF
		}
		head[i], data = v, data[k:]
	}
	if head[0] > 1<<16 || head[1] > 1<<10 || head[2] > uint64(n) {
		return fmt.Errorf("a page has %d deltas in blocks of %d for %d values", head[2], head[0], n)
	}
	return nil
}
