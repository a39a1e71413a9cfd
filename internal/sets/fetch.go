package sets

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"rao"
)

// fetcher downloads a file to disk, resumes interrupted downloads and verifies the file.
type fetcher struct {
	client  *http.Client
	retries int           // additional attempts per URL
	wait    time.Duration // before the first additional attempt; doubled each time
	report  func(done, total int64)
	// accept checks the complete file and its digest before the file is renamed to its final name. nil accepts any file
	// with the right digest.
	accept func(part, digest string) error
}

// maxUnknown limits the size of a file if its size is not known in advance.
const maxUnknown = 1 << 30

// statusError is an HTTP response with an unexpected status.
type statusError struct {
	code   int
	status string
	again  bool // another request, from the start, may help
}

func (e *statusError) Error() string { return "the server replied " + e.status }

// lasting reports whether further requests would fail as well.
func (e *statusError) lasting() bool {
	return !e.again && e.code < 500 && e.code != http.StatusTooManyRequests
}

// refusedError is an error that further requests cannot resolve.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

// digestError means that a file differs from the published one.
type digestError struct{ got, want string }

func (e *digestError) Error() string {
	return fmt.Sprintf("it is not the published file and was not stored (SHA-256 %s, not %s)", e.got, e.want)
}

// fetch downloads f to path, trying its URLs in order. It continues a partial download in path.part.
func (d *fetcher) fetch(ctx context.Context, f *remoteFile, path string) error {
	var failures []string
	offline, certificate, temporary := true, false, false
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
		var refused *refusedError
		if errors.As(err, &answered) || errors.As(err, &digest) || errors.As(err, &refused) {
			offline = false
		}
		if digest == nil && refused == nil && !(answered != nil && answered.lasting()) {
			temporary = true
		}
		certificate = certificate || certificateFault(err)
		failures = append(failures, fmt.Sprintf("%s: %v", url, err))
	}
	remedy := "try again later; a later attempt continues where this one stopped"
	switch {
	case certificate:
		remedy = "the server, or a proxy in between, has no valid certificate; fetch the files elsewhere and import " +
			"them with {from=FOLDER}"
	case offline:
		remedy = "check the network, or fetch the files elsewhere and import them with {from=FOLDER}"
	case !temporary:
		remedy = "obtain the published files elsewhere and import them with {from=FOLDER}"
	}
	return rao.Optionf("from", "cannot get %s: %s; "+remedy, f.name, strings.Join(failures, "; "))
}

// fetchFrom downloads f from one URL. It makes several attempts.
func (d *fetcher) fetchFrom(ctx context.Context, url string, f *remoteFile, path string) error {
	wait := d.wait
	for attempt := 0; ; attempt++ {
		err := d.attempt(ctx, url, f, path+".part")
		if err == nil {
			os.Remove(path + ".part" + versionSuffix)
			return os.Rename(path+".part", path)
		}
		var answered *statusError
		var digest *digestError
		var refused *refusedError
		var disk *diskError
		switch {
		case errors.As(err, &digest), errors.As(err, &refused), errors.As(err, &disk):
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

// diskError is an error of the local disk. Another server cannot help.
type diskError struct{ err error }

func (e *diskError) Error() string {
	return fmt.Sprintf("cannot write to the cache folder: %v; free some space or set RAO_CACHE to another folder",
		e.err)
}
func (e *diskError) Unwrap() error { return e.err }

// attempt continues the download in the file part and verifies the complete file.
func (d *fetcher) attempt(ctx context.Context, url string, f *remoteFile, part string) error {
	out, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return &diskError{err}
	}
	defer out.Close()
	t := &transfer{fetcher: d, url: url, file: f, out: out, hash: sha256.New(), want: f.size}
	if t.have, err = io.Copy(t.hash, out); err != nil {
		return &diskError{err}
	}
	if f.size > 0 && t.have > f.size || f.unknown() && t.version() == "" {
		if err = t.restart(); err != nil {
			return err
		}
	}
	if whole := t.have > 0 && (t.have == f.size || t.digest() == f.sha256); !whole {
		if err = t.receive(ctx); err != nil {
			return err
		}
	}
	if t.have != t.want && t.want > 0 {
		return fmt.Errorf("only %d of %d bytes arrived: %w", t.have, t.want, io.ErrUnexpectedEOF)
	}
	if got := t.digest(); f.sha256 != "" && got != f.sha256 {
		out.Close()
		os.Remove(part)
		return &digestError{got, f.sha256}
	}
	if err := out.Sync(); err != nil {
		return &diskError{err}
	}
	if d.accept == nil {
		return nil
	}
	err = d.accept(part, t.digest())
	if err != nil {
		out.Close()
		os.Remove(part)
		os.Remove(part + versionSuffix)
		return &refusedError{fmt.Sprintf("the download is not the expected file and was not stored: %v", err)}
	}
	return nil
}
