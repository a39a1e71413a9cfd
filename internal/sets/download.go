package sets

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// versionSuffix is the suffix of the file that records the version of a partial download, as named by the server.
const versionSuffix = ".version"

// transfer is one attempt to download a file.
type transfer struct {
	*fetcher
	url  string
	file *remoteFile
	out  *os.File
	hash hash.Hash
	have int64 // bytes in out
	want int64 // bytes of the complete file; 0 if unknown
}

func (t *transfer) digest() string { return hex.EncodeToString(t.hash.Sum(nil)) }

// version returns the server's version of the file that was partially downloaded, or "" if unknown.
func (t *transfer) version() string {
	b, err := os.ReadFile(t.out.Name() + versionSuffix)
	if err != nil || len(b) > 1000 {
		return ""
	}
	return string(b)
}

// keepVersion records the version of the file if its digest is unknown.
func (t *transfer) keepVersion(h http.Header) error {
	if !t.file.unknown() {
		return nil
	}
	version := h.Get("ETag")
	if version == "" || strings.HasPrefix(version, "W/") {
		version = h.Get("Last-Modified")
	}
	if err := os.WriteFile(t.out.Name()+versionSuffix, []byte(version), 0o666); err != nil {
		return &diskError{err}
	}
	return nil
}

// restart discards the partial download.
func (t *transfer) restart() error {
	t.hash.Reset()
	t.have = 0
	if _, err := t.out.Seek(0, io.SeekStart); err != nil {
		return &diskError{err}
	}
	if err := t.out.Truncate(0); err != nil {
		return &diskError{err}
	}
	return nil
}

// receive requests the missing bytes and appends them.
func (t *transfer) receive(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // no compression
	if t.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", t.have))
		if t.file.unknown() {
			req.Header.Set("If-Range", t.version())
		}
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK: // the server sends the file from the start, even if a range was requested
		if t.have > 0 {
			if err := t.restart(); err != nil {
				return err
			}
		}
		if err := t.keepVersion(resp.Header); err != nil {
			return err
		}
	case http.StatusPartialContent:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", t.have)) {
			return fmt.Errorf("the server replied with the wrong part of the file, %q; try again later",
				resp.Header.Get("Content-Range"))
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if err := t.restart(); err != nil {
			return err
		}
		return &statusError{resp.StatusCode, resp.Status, true} // the file is shorter than the partial download
	default:
		return &statusError{resp.StatusCode, resp.Status, false}
	}
	if err := t.expect(resp); err != nil {
		return err
	}
	return t.read(resp.Body)
}

// expect sets the length of the file from the response if the length is not known in advance.
func (t *transfer) expect(resp *http.Response) error {
	if t.file.size > 0 {
		return nil
	}
	t.want = t.have + resp.ContentLength
	if _, all, ok := strings.Cut(resp.Header.Get("Content-Range"), "/"); ok && resp.StatusCode != http.StatusOK {
		if n, err := strconv.ParseInt(all, 10, 64); err == nil {
			t.want = n
		}
	}
	switch {
	case resp.ContentLength < 0 && t.file.unknown():
		return &refusedError{"the server does not send the length of the file, so a truncated file could not be " +
			"detected"}
	case resp.ContentLength < 0:
		t.want = 0
	case t.want > maxUnknown:
		return &refusedError{fmt.Sprintf("the server declares %d bytes, more than any file of the set has",
			t.want)}
	}
	return nil
}

// read appends the response to the file.
func (t *transfer) read(from io.Reader) error {
	limit := cmp.Or(t.want, maxUnknown)
	// Reading one byte more than the length detects a wrong file without storing it.
	body := io.LimitReader(from, limit-t.have+1)
	buf := make([]byte, 1<<16)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if t.have == 0 && strings.HasPrefix(http.DetectContentType(buf[:n]), "text/html") {
				return &refusedError{"the server sent an HTML page instead of the file"}
			}
			if _, werr := t.out.Write(buf[:n]); werr != nil {
				return &diskError{werr}
			}
			t.hash.Write(buf[:n])
			t.have += int64(n)
			if t.report != nil {
				t.report(t.have, limit)
			}
		}
		if t.have > limit {
			if err := t.restart(); err != nil {
				return err
			}
			return &digestError{"of a longer file", t.file.sha256}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the connection was cut after %d of %d bytes: %w", t.have, limit, err)
		}
	}
}

// newClient returns a client that waits at most a minute for the start of a response.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: t}
}

// guarded returns the client with restrictions on redirects.
func guarded(c *http.Client) *http.Client {
	g := *c
	if g.CheckRedirect == nil {
		g.CheckRedirect = checkRedirect
	}
	return &g
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return &refusedError{"the server redirected ten times"}
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return &refusedError{"the server redirected from an encrypted to an unencrypted connection " +
			"(" + req.URL.Redacted() + ")"}
	}
	return nil
}

// unsecured reports whether content from an address with this scheme and host could be changed in transit.
func unsecured(scheme, host string) bool {
	if scheme == "https" {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// certificateFault reports whether an error was caused by a server's certificate.
func certificateFault(err error) bool {
	var e *tls.CertificateVerificationError
	return errors.As(err, &e)
}
