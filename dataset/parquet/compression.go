package parquet

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// decompress returns the size bytes that stored holds, in the memory of dst if it
// suffices. No codec is let write more than that.
func decompress(codec format.CompressionCodec, dst, stored []byte, size int) ([]byte, error) {
	dst = resize(dst, size)
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(stored); err != nil || n != size {
			return nil, fmt.Errorf("a page of %d bytes whose compressed form holds %d", size, n)
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
	case format.Brotli, format.Lz4Raw:
		out, err := parquet.LookupCompressionCodec(codec).Decode(dst, stored)
		if err == nil && len(out) != size {
			err = fmt.Errorf("a page of %d bytes whose compressed form holds %d", size, len(out))
		}
		return out, err
	}
	return nil, fmt.Errorf("compressed by %s; write the file again with zstd, snappy or gzip", codec)
}

var zstdReaders sync.Pool

// exactly fills dst from r, which must then end.
func exactly(dst []byte, r io.Reader) ([]byte, error) {
	if _, err := io.ReadFull(r, dst); err != nil {
		return nil, err
	}
	var one [1]byte
	if n, err := io.ReadFull(r, one[:]); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("a page of %d bytes whose compressed form holds more", len(dst))
	}
	return dst, nil
}
