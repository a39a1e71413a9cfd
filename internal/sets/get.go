package sets

import (
	"archive/tar"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/format/archive"
)

// GetOptions are the options of [Get]. The zero value is a good default.
type GetOptions struct {
	From     string        // folder to import from; empty: download
	Subjects []int         // subjects of a set of recordings, from 1; nil: all
	Runs     []int         // runs, if they are separate files, from 1; nil: the usual ones
	Mirror   string        // URL of a folder with the set's files; empty: the official one
	Cache    string        // cache folder; empty: CacheDir
	Client   *http.Client  // nil: a client that waits at most a minute for the start of a response
	Progress rao.Progress  // stage is the file, Done and Total count bytes
	Retries  int           // retries per URL; 0: 3, negative: none
	Wait     time.Duration // delay before the first retry, doubled each time; 0: one second
}

// Get stores the files of a known set in the cache folder, where [dataset.Open] finds the set by name. It does not
// download existing files again, and resumes interrupted downloads. A file is renamed to its final name only if its
// SHA-256 matches the published one. It returns the folder of the set.
//
// With opt.From, the files are copied from a folder instead. Get verifies the digests or, if they are unknown, the
// format. Some sets cannot be downloaded by a program and must be imported with opt.From. The error for these sets
// explains where to obtain the files.
func Get(ctx context.Context, name string, opt GetOptions) (dir string, err error) {
	if name == "digits" {
		return "", fmt.Errorf("%s is part of the program and needs no download; open it by its name", name)
	}
	s := findSet(name)
	if s == nil {
		var names []string
		for _, k := range knownSets() {
			names = append(names, k.info.Name)
		}
		return "", &rao.UnknownError{Kind: "data set", Name: name, Known: names}
	}
	return s.get(ctx, opt)
}

func (s *knownSet) get(ctx context.Context, opt GetOptions) (string, error) {
	dir, err := s.dir(opt.Cache)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", &diskError{err}
	}
	files, err := s.chosen(opt.Subjects, opt.Runs)
	if err != nil {
		return "", err
	}
	switch {
	case opt.From != "" && opt.Mirror != "":
		return "", rao.Optionf("mirror", "{from} and {mirror} both name a source of the files; give only one")
	case opt.From != "" && s.subjects != nil:
		return dir, s.importRecordings(ctx, opt, dir, files)
	case opt.From != "":
		return dir, s.importFrom(ctx, opt, dir)
	}
	if s.info.Kind == "import" {
		return "", s.absent(s.files[0].name)
	}
	return dir, s.download(ctx, opt, dir, files)
}

// download downloads the missing files to dir and checks them.
func (s *knownSet) download(ctx context.Context, opt GetOptions, dir string, files []*remoteFile) error {
	d := &fetcher{client: opt.Client, retries: opt.Retries, wait: opt.Wait}
	if d.client == nil {
		d.client = newClient()
	}
	d.client = guarded(d.client)
	trusted, err := readSums(dir)
	if err != nil {
		return err
	}
	switch {
	case d.retries == 0:
		d.retries = 3
	case d.retries < 0:
		d.retries = 0
	}
	d.wait = cmp.Or(d.wait, time.Second)
	var unpacked []string // archives that were downloaded and unpacked
	for _, f := range files {
		if f.completePath(dir) != "" || f.archive != "" && slices.Contains(unpacked, f.url[0]) {
			continue
		}
		target := *f
		if f.archive != "" {
			target.name = filepath.Base(f.url[0])
		}
		d.report = func(done, total int64) {
			opt.Progress.Send(rao.Event{Stage: target.name, Done: int(min(done, 1<<31-1)),
				Total: int(min(total, 1<<31-1))})
		}
		if err := target.mirrored(opt.Mirror); err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(target.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return &diskError{err}
		}
		d.accept = s.acceptance(f, dir, trusted)
		if err := d.fetch(ctx, &target, path); err != nil {
			return err
		}
		if f.archive != "" {
			if err := s.unpack(ctx, path, dir); err != nil {
				return err
			}
			os.Remove(path)
			unpacked = append(unpacked, f.url[0])
		}
	}
	return nil
}

// mirrored replaces the URLs of the file by a URL at the mirror, unless mirror is empty.
func (f *remoteFile) mirrored(mirror string) error {
	if mirror == "" {
		return nil
	}
	u, err := url.Parse(mirror)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("mirror %q is not the address of a folder, such as https://mirror.example.org/eegbci", mirror)
	}
	if f.unknown() && unsecured(u.Scheme, u.Hostname()) {
		return fmt.Errorf("mirror %q: no digest of %s is published, so it must be downloaded by https; use an https "+
			"mirror", mirror, f.name)
	}
	f.url = []string{u.JoinPath(f.name).String()}
	return nil
}

// acceptance returns a function that checks a downloaded file of recordings. It returns nil if the digest is
// sufficient.
func (s *knownSet) acceptance(f *remoteFile, dir string, trusted sums) func(part, digest string) error {
	if s.subjects == nil || f.sha256 != "" {
		return nil
	}
	return func(part, digest string) error {
		if err := s.subjects.check(part, f); err != nil {
			return err
		}
		return trusted.add(dir, f.name, digest)
	}
}

// unpack extracts the set's files from a verified tar.gz.
func (s *knownSet) unpack(ctx context.Context, path, dir string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(bufio.NewReaderSize(in, 1<<16))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t := tar.NewReader(z)
	for {
		head, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for i := range s.files {
			// Only files in the list of the set are written.
			if f := &s.files[i]; f.archive == strings.TrimPrefix(head.Name, "./") && head.Typeflag == tar.TypeReg {
				if err := writeCopy(ctx, filepath.Join(dir, f.name), t); err != nil {
					return err
				}
			}
		}
	}
	for i := range s.files {
		if f := &s.files[i]; f.archive != "" && f.completePath(dir) == "" {
			return fmt.Errorf("%s does not contain %s; import another file", path, f.archive)
		}
	}
	return nil
}

// writeCopy writes r to path atomically.
func writeCopy(ctx context.Context, path string, r io.Reader) error {
	return archive.WriteFile(path, func(w io.Writer) error {
		_, err := io.Copy(w, &canceled{ctx, r})
		return err
	})
}

// canceled is a reader that stops when a context ends.
type canceled struct {
	ctx context.Context
	r   io.Reader
}

func (c *canceled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// importFrom copies the files of a set from a folder.
func (s *knownSet) importFrom(ctx context.Context, opt GetOptions, dir string) error {
	if st, err := os.Stat(opt.From); err != nil || !st.IsDir() {
		return rao.Optionf("from", "%s: no such folder; {from} needs the folder that contains the files of %s",
			opt.From, s.info.Name)
	}
	copied := 0
	for i := range s.files {
		f := &s.files[i]
		from := f.find(opt.From)
		switch {
		case from == "" && f.optional:
			continue
		case from == "":
			return fmt.Errorf("%s does not contain %s; obtain it from %s", opt.From, f.name, s.info.Obtain)
		}
		to := filepath.Join(dir, filepath.Base(from))
		if err := importFile(ctx, f, from, to); err != nil {
			return err
		}
		copied++
		opt.Progress.Send(rao.Event{Stage: f.name, Done: i + 1, Total: len(s.files)})
	}
	if copied == 0 {
		return fmt.Errorf("%s contains no files of %s; it needs %s", opt.From, s.info.Name, s.wanted())
	}
	return nil
}

// wanted lists the names of a set's files.
func (s *knownSet) wanted() string {
	var names []string
	for _, f := range s.files {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// importFile copies one file and verifies it while copying.
func importFile(ctx context.Context, f *remoteFile, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := dataset.FormatOf(from); err != nil {
		return err
	}
	h := sha256.New()
	return archive.WriteFile(to, func(w io.Writer) error {
		if _, err := io.Copy(io.MultiWriter(w, h), &canceled{ctx, in}); err != nil {
			return err
		}
		// The digest is only valid for the file under its own name, not for a batch extracted from an archive, for a
		// part, or for another compression.
		if f.sha256 == "" || f.archive != "" || filepath.Base(from) != f.name {
			return nil
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != f.sha256 {
			return fmt.Errorf("%s: %w; import the published file", from, &digestError{got, f.sha256})
		}
		return nil
	})
}
