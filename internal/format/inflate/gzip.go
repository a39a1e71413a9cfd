package inflate

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// ErrChecksum says that the data do not match the checksum or the length that stand
// behind them.
var ErrChecksum = errors.New("inflate: checksum differs")

// ErrHeader says that a gzip header is not one.
var ErrHeader = errors.New("inflate: not a gzip header")

// Gzip reads a gzip file of one member or several. It implements io.Reader.
type Gzip struct {
	z    *Reader
	sum  uint32
	size uint32
	err  error
}

// NewGzip reads the first header from src.
func NewGzip(src io.Reader) (*Gzip, error) {
	g := &Gzip{z: NewReader(src)}
	if err := g.header(); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return g, nil
}

// Read implements io.Reader.
func (g *Gzip) Read(p []byte) (int, error) {
	for g.err == nil {
		n, err := g.z.Read(p)
		g.sum = crc32.Update(g.sum, crc32.IEEETable, p[:n])
		g.size += uint32(n)
		if err == io.EOF {
			if err = g.trailer(); err == nil {
				err = g.header() // of another member, or io.EOF
			}
		}
		g.err = err
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// trailer checks what stands behind a member's data.
func (g *Gzip) trailer() error {
	g.z.align()
	var b [8]byte
	if err := g.z.bytes(b[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b[:]) != g.sum || binary.LittleEndian.Uint32(b[4:]) != g.size {
		return ErrChecksum
	}
	return nil
}

// header reads a member's header; io.EOF if there is none.
func (g *Gzip) header() error {
	g.z.restart()
	g.sum, g.size = 0, 0
	var b [10]byte
	if err := g.z.bytes(b[:1]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		return err
	}
	if err := g.z.bytes(b[1:]); err != nil {
		return err
	}
	flags := b[3]
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 || flags&0xe0 != 0 {
		return ErrHeader
	}
	sum := crc32.ChecksumIEEE(b[:])
	if flags&4 != 0 { // extra field
		if err := g.z.bytes(b[:2]); err != nil {
			return err
		}
		sum = crc32.Update(sum, crc32.IEEETable, b[:2])
		extra := make([]byte, binary.LittleEndian.Uint16(b[:2]))
		if err := g.z.bytes(extra); err != nil {
			return err
		}
		sum = crc32.Update(sum, crc32.IEEETable, extra)
	}
	for _, text := range []byte{8, 16} { // name and comment, ended by a zero
		for flags&text != 0 {
			if err := g.z.bytes(b[:1]); err != nil {
				return err
			}
			sum = crc32.Update(sum, crc32.IEEETable, b[:1])
			if b[0] == 0 {
				break
			}
		}
	}
	if flags&2 != 0 { // checksum of the header
		if err := g.z.bytes(b[:2]); err != nil {
			return err
		}
		if binary.LittleEndian.Uint16(b[:]) != uint16(sum) {
			return ErrHeader
		}
	}
	return nil
}
