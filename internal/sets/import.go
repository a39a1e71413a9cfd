package sets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/format/regular"
)

// importRecordings copies the selected recordings from the folder opt.From and its subfolders to dir. The folder may
// have the layout of a download or of MNE and MOABB. If no subjects are selected, it copies all recordings it finds.
func (s *knownSet) importRecordings(ctx context.Context, opt GetOptions, dir string, files []*remoteFile) error {
	there, err := filesBelow(ctx, opt.From)
	if err != nil {
		return err
	}
	trusted, err := readSums(dir)
	if err != nil {
		return err
	}
	copied := 0
	for i, f := range files {
		from, err := singlePath(there[filepath.Base(f.name)], f.name)
		if err != nil {
			return err
		}
		switch {
		case from == "" && opt.Subjects == nil:
			continue
		case from == "":
			return fmt.Errorf("%s does not contain %s; obtain it from %s", opt.From, filepath.Base(f.name),
				s.info.Obtain)
		}
		if err := s.importRecording(ctx, f, from, dir, trusted); err != nil {
			return err
		}
		copied++
		opt.Progress.Send(rao.Event{Stage: f.name, Done: i + 1, Total: len(files)})
	}
	if copied == 0 {
		return fmt.Errorf("%s contains no recordings of %s, such as %s", opt.From, s.info.Name,
			filepath.Base(files[0].name))
	}
	return nil
}

// importRecording copies one recording. The digest must match the published one. If none is published, the file must
// have the right format and the same digest as the first copy.
func (s *knownSet) importRecording(ctx context.Context, f *remoteFile, from, dir string, trusted sums) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	to := filepath.Join(dir, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return &diskError{err}
	}
	if f.sha256 == "" {
		if err := s.subjects.check(from, f); err != nil {
			return err
		}
	}
	h := sha256.New()
	return archive.WriteFile(to, func(w io.Writer) error {
		if _, err := io.Copy(io.MultiWriter(w, h), &canceled{ctx, in}); err != nil {
			return err
		}
		got := hex.EncodeToString(h.Sum(nil))
		switch f.sha256 {
		case "":
			return trusted.add(dir, f.name, got)
		case got:
			return nil
		}
		return fmt.Errorf("%s: %w; import the published file", from, &digestError{got, f.sha256})
	})
}

// maxFiles limits the number of files in a folder that are examined.
const maxFiles = 1 << 20

// filesBelow lists the files in a folder and its subfolders by name.
func filesBelow(ctx context.Context, dir string) (map[string][]string, error) {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, rao.Optionf("from", "%s: no such folder; {from} needs the folder that contains the recordings", dir)
	}
	out, n := map[string][]string{}, 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n++; n > maxFiles {
			return fmt.Errorf("%s contains more than %d files; name the folder of the set itself", dir, maxFiles)
		}
		if regular.Is(path, e) {
			out[e.Name()] = append(out[e.Name()], path)
		}
		return nil
	})
	return out, err
}

// singlePath returns the only path with the name, or "" if there is none. If there are several, the error names two of
// them.
func singlePath(paths []string, name string) (string, error) {
	var matches []string // paths that end with the complete name, which may contain folders
	for _, p := range paths {
		if strings.HasSuffix(filepath.ToSlash(p), "/"+name) {
			matches = append(matches, p)
		}
	}
	if len(matches) > 0 && strings.Contains(name, "/") {
		paths = matches
	}
	switch len(paths) {
	case 0:
		return "", nil
	case 1:
		return paths[0], nil
	}
	return "", fmt.Errorf("%s and %s have the same name; name a folder that contains only one of them", paths[0],
		paths[1])
}
