package sets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// fetcher downloads one file to disk, resumes what was cut off and verifies it.
type fetcher struct {
	client  *http.Client
	retries int           // further attempts a URL after the first
	wait    time.Duration // before the first further attempt; doubled each time
	report  func(done, total int64)
}

// statusError is an answer other than the file.
type statusError struct {
	code   int
	status string
	again  bool // asking once more, from the start, may help
}

func (e *statusError) Error() string { return "the server answered " + e.status }

// lasting reports that asking again will not help.
func (e *statusError) lasting() bool {
	return !e.again && e.code < 500 && e.code != http.StatusTooManyRequests
}

// digestError says that a file is not the one that was published.
type digestError struct{ got, want string }

func (e *digestError) Error() string {
	return fmt.Sprintf("SHA-256 %s, expected %s: the file was changed or damaged; nothing of it was kept",
		e.got, e.want)
}

// fetch downloads f to path, trying its URLs in order. What has come of an earlier
// attempt is in path.part and is continued.
func (d *fetcher) fetch(ctx context.Context, f *remoteFile, path string) error {
	var failures []string
	offline := true
	for _, url := range f.url {
		err := d.fetchFrom(ctx, url, f, path)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var disk *diskError
		if errors.As(err, &disk) {
			return err
		}
		var answered *statusError
		var digest *digestError
		if errors.As(err, &answered) || errors.As(err, &digest) {
			offline = false
		}
		failures = append(failures, fmt.Sprintf("%s: %v", url, err))
	}
	remedy := "try again later; a later attempt continues where this one stopped"
	if offline {
		remedy = "check the network, or fetch the files elsewhere and use --from DIR"
	}
	return fmt.Errorf("cannot get %s: %s; %s", f.name, strings.Join(failures, "; "), remedy)
}

// fetchFrom downloads f from one URL with further attempts.
func (d *fetcher) fetchFrom(ctx context.Context, url string, f *remoteFile, path string) error {
	wait := d.wait
	for attempt := 0; ; attempt++ {
		err := d.attempt(ctx, url, f, path+".part")
		if err == nil {
			return os.Rename(path+".part", path)
		}
		var answered *statusError
		var digest *digestError
		var disk *diskError
		switch {
		case errors.As(err, &digest), errors.As(err, &disk):
			return err
		case errors.As(err, &answered) && answered.lasting(), attempt == d.retries:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// diskError is an error of the local disk, which no other server mends.
type diskError struct{ err error }

func (e *diskError) Error() string {
	return fmt.Sprintf("cannot write to the cache folder: %v; free some space or set RAO_CACHE to another folder",
		e.err)
}
func (e *diskError) Unwrap() error { return e.err }

// attempt continues the download to part and verifies the whole.
func (d *fetcher) attempt(ctx context.Context, url string, f *remoteFile, part string) error {
	out, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return &diskError{err}
	}
	defer out.Close()
	h := sha256.New()
	have, err := io.Copy(h, out)
	if err != nil {
		return &diskError{err}
	}
	if have > f.size {
		if have, err = restart(out, h); err != nil {
			return err
		}
	}
	if have < f.size {
		if have, err = d.receive(ctx, url, f, out, h, have); err != nil {
			return err
		}
	}
	if have != f.size {
		return fmt.Errorf("%d of %d bytes came: %w", have, f.size, io.ErrUnexpectedEOF)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.sha256 {
		out.Close()
		os.Remove(part)
		return &digestError{got, f.sha256}
	}
	if err := out.Sync(); err != nil {
		return &diskError{err}
	}
	return nil
}

// restart empties a partial file.
func restart(out *os.File, h hash.Hash) (int64, error) {
	h.Reset()
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return 0, &diskError{err}
	}
	if err := out.Truncate(0); err != nil {
		return 0, &diskError{err}
	}
	return 0, nil
}

// receive asks for the bytes from have on, appends them to out and h and returns
// how many there are then.
func (d *fetcher) receive(ctx context.Context, url string, f *remoteFile, out *os.File, h hash.Hash,
	have int64) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return have, err
	}
	req.Header.Set("Accept-Encoding", "identity") // the bytes as they are
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return have, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK: // from the start, whatever was asked
		if have > 0 {
			if have, err = restart(out, h); err != nil {
				return have, err
			}
		}
	case http.StatusPartialContent:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return have, fmt.Errorf("the server sent another part than asked for (%q)",
				resp.Header.Get("Content-Range"))
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if _, err := restart(out, h); err != nil {
			return 0, err
		}
		return 0, &statusError{resp.StatusCode, resp.Status, true} // fewer bytes than came before
	default:
		return have, &statusError{resp.StatusCode, resp.Status, false}
	}
	// One byte more than the file has shows a wrong file without storing it.
	body := io.LimitReader(resp.Body, f.size-have+1)
	buf := make([]byte, 1<<16)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, werr := out.Write(buf[:n]); werr != nil {
				return have, &diskError{werr}
			}
			h.Write(buf[:n])
			have += int64(n)
			if d.report != nil {
				d.report(have, f.size)
			}
		}
		if have > f.size {
			if _, err := restart(out, h); err != nil {
				return 0, err
			}
			return 0, &digestError{"of a longer file", f.sha256}
		}
		if err == io.EOF {
			return have, nil
		}
		if err != nil {
			return have, fmt.Errorf("the connection was cut after %d of %d bytes: %w", have, f.size, err)
		}
	}
}
