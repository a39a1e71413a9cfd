package serve

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"

	"github.com/klauspost/compress/zstd"
)

// encodingMemory is the largest number of bytes that the decoder of each content encoding uses.
var encodingMemory = map[string]int64{"gzip": 64 << 10, "zstd": 9 << 20}

// zstdWindow is the largest accepted window of a zstd body. Browsers and RFC 9659 use the same limit.
const zstdWindow = 8 << 20

// plainBody returns the decompressed body of a request, the length of the body (negative if unknown), and a function
// that ends the decoder. The size limit applies to the compressed and to the decompressed body.
func (s *Server) plainBody(w http.ResponseWriter, r *http.Request) (io.Reader, int, func(), error) {
	name := r.Header.Get("Content-Encoding")
	if name == "" || name == "identity" {
		return r.Body, int(r.ContentLength), func() {}, nil
	}
	need, known := encodingMemory[name]
	if !known {
		return nil, 0, nil, &httpError{http.StatusUnsupportedMediaType,
			fmt.Sprintf("Content-Encoding %q is not supported; send gzip, zstd, or an uncompressed body", name)}
	}
	own := shareOf(w)
	if err := own.reserve(need); err != nil {
		return nil, 0, nil, err
	}
	var plain io.Reader
	end := func() { own.give(need) }
	var err error
	if name == "gzip" {
		plain, err = gzip.NewReader(r.Body)
	} else {
		var d *zstd.Decoder
		d, err = zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow))
		if err == nil {
			plain, end = d, func() { d.Close(); own.give(need) }
		}
	}
	if err != nil {
		end()
		return nil, 0, nil, encodingError(name, err)
	}
	return http.MaxBytesReader(nil, io.NopCloser(decodedReader{plain, name}), s.opt.MaxBody), -1, end, nil
}

func encodingError(name string, err error) error {
	if statusOf(err) != http.StatusBadRequest {
		return err // an error of the connection or the length limit
	}
	return badRequest("the body is not valid %s: %v", name, err)
}

// decodedReader reads from the decoder of a content encoding.
type decodedReader struct {
	io.Reader
	encoding string
}

func (d decodedReader) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = encodingError(d.encoding, err)
	}
	return n, err
}
