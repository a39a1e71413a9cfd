package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// decompress returns the size bytes that stored decompresses to, in the memory of dst if it is large enough. No codec
// can write more than size bytes.
func decompress(codec format.CompressionCodec, dst, stored []byte, size int) ([]byte, error) {
	dst = resize(dst, size)
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(stored); err != nil || n != size {
			return nil, fmt.Errorf("a page should have %d bytes, but decompression gives %d", size, n)
		}
		return snappy.Decode(dst, stored)
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(stored))
		if err != nil {
			return nil, err
		}
		return exactly(dst, r)
	case format.Zstd:
		r, _ := zstdReaders.Get().(*zstd.Decoder)
		if r == nil {
			var err error
			if r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxWindow(1<<27)); err != nil {
				return nil, err
			}
		}
		defer zstdReaders.Put(r)
		if err := r.Reset(bytes.NewReader(stored)); err != nil {
			return nil, err
		}
		return exactly(dst, r)
	case format.Brotli:
		return exactly(dst, brotli.NewReader(bytes.NewReader(stored)))
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(stored, dst)
		if err == nil && n != size {
			err = fmt.Errorf("a page should have %d bytes, but decompression gives %d", size, n)
		}
		return dst, err
	}
	return nil, fmt.Errorf("its compression %s is not supported; write the file again with zstd, snappy or gzip", codec)
}

var zstdReaders sync.Pool

// exactly fills dst from r, and returns an error unless r ends there.
func exactly(dst []byte, r io.Reader) ([]byte, error) {
	if _, err := io.ReadFull(r, dst); err != nil {
		return nil, err
	}
	var one [1]byte
	if n, err := io.ReadFull(r, one[:]); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("a page should have %d bytes, but decompression gives more", len(dst))
	}
	return dst, nil
}

// plainReader returns a reader of a decompressed page of size bytes. It decompresses as it reads if the codec allows.
func plainReader(codec format.CompressionCodec, in io.Reader, size int) (io.Reader, error) {
	switch codec {
	case format.Uncompressed:
		return in, nil
	case format.Snappy:
		s := &snappyReader{in: bufio.NewReader(in)}
		if n, err := binary.ReadUvarint(s.in); err != nil || n != uint64(size) {
			return nil, fmt.Errorf("a page should have %d bytes, but decompression gives %d", size, n)
		}
		return s, nil
	}
	stored, err := io.ReadAll(in)
	if err == nil {
		stored, err = decompress(codec, nil, stored, size)
	}
	return bytes.NewReader(stored), err
}

// snappyReader decompresses the start of a block as it is read; the library only decompresses entire blocks.
type snappyReader struct {
	in  *bufio.Reader
	out []byte
	at  int // number of bytes of out that were read
}

// Read implements io.Reader.
func (s *snappyReader) Read(p []byte) (int, error) {
	for s.at == len(s.out) {
		if err := s.element(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.out[s.at:])
	s.at += n
	return n, nil
}

// element decompresses one element: literal bytes or a copy of earlier ones.
func (s *snappyReader) element() error {
	tag, err := s.in.ReadByte()
	if err != nil {
		return err
	}
	kind, n := tag&3, int(tag>>2)+1
	if kind == 0 {
		if extra := n - 60; extra > 0 {
			if n, err = s.number(extra); err != nil {
				return err
			}
			n++
		}
		for n > 0 && err == nil {
			m := min(n, s.in.Size())
			from := len(s.out)
			s.out = slices.Grow(s.out, m)[:from+m]
			_, err = io.ReadFull(s.in, s.out[from:])
			n -= m
		}
		return err
	}
	offset, err := s.number([]int{0, 1, 2, 4}[kind])
	if kind == 1 {
		n = 4 + int(tag>>2&7)
		offset |= int(tag>>5) << 8
	}
	if err == nil && (offset <= 0 || offset > len(s.out)) {
		err = errors.New("a compressed page refers to bytes before it")
	}
	for ; err == nil && n > 0; n-- {
		s.out = append(s.out, s.out[len(s.out)-offset])
	}
	return err
}

// number reads an integer of the given number of bytes.
func (s *snappyReader) number(size int) (int, error) {
	v := 0
	for k := range size {
		b, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		v |= int(b) << (8 * k)
	}
	return v, nil
}
