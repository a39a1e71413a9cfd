package sets

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rao/internal/sets"
	"rao/internal/testkit"
)

// leftBehind returns the files in the folder of a set and its subfolders.
func leftBehind(t *testing.T, opt sets.GetOptions) []string {
	t.Helper()
	var names []string
	testkit.NoError(t, filepath.WalkDir(opt.Cache, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, e.Name())
		}
		return err
	}))
	return names
}

// page is the answer of a server that requires a login.
const page = "<!DOCTYPE html>\n<html><body>Please log in</body></html>"

func TestHostileAnswersForRecordings(t *testing.T) {
	whole := bnciFile(t)
	for what, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(page))
		}, "an HTML page"},
		"a page called a file": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Length", strconv.Itoa(len(page)))
			_, _ = w.Write([]byte(page))
		}, "an HTML page"},
		"redirects in a circle": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "redirected ten times"},
		"no length": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(whole[:1000])
			w.(http.Flusher).Flush()
			_, _ = w.Write(whole[1000:])
		}, "does not send the length"},
		"more than the set has": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000000000")
			_, _ = w.Write(whole)
		}, "declares 5000000000 bytes"},
		"cut short, and said to be whole": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)/2))
			_, _ = w.Write(whole[:len(whole)/2])
		}, "the download is not the expected file"},
		"another kind of file": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(edfRun(2, 1)[:2048])
		}, "the download is not the expected file"},
		"a server error": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
		}, "502"},
		"the connection is cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
			_, _ = w.Write(whole[:5000])
			panic(http.ErrAbortHandler)
		}, "the connection was cut after"},
	} {
		s, opt := localSet(t, "bnci2014-001", bnciTwo(t), c.handler)
		opt.Subjects = []int{3}
		_, err := sets.Get(context.Background(), s.Info.Name, opt)
		testkit.ErrorContains(t, err, c.says, what)
		for _, name := range leftBehind(t, opt) {
			testkit.Contains(t, name, ".part", what, "was kept")
		}
		if found, err := s.Here(opt.Cache, nil, nil); err == nil {
			t.Errorf("%s: the set is said to be here: %v", what, found)
		}
	}
}

func TestRecordingsOfWrongDigestAreRefused(t *testing.T) {
	files := filesOfEEGBCI(1)
	other := bytes.Clone(files["S001/S001R04.edf"])
	other[len(other)/2] ^= 1
	s, opt := localSet(t, "eegbci", files, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(other) })
	opt.Subjects, opt.Runs = []int{1}, []int{4}
	_, err := sets.Get(context.Background(), s.Info.Name, opt)
	testkit.ErrorContains(t, err, ", not "+digestOf(files["S001/S001R04.edf"]), "another file")
	if left := leftBehind(t, opt); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSecuredConnectionsStaySecured(t *testing.T) {
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bnciFile(t))
	}))
	defer open.Close()
	secured := httptest.NewTLSServer(http.RedirectHandler(open.URL, http.StatusFound))
	defer secured.Close()
	s, opt := localSet(t, "bnci2014-001", nil, http.NotFound)
	opt.Subjects, opt.Mirror = []int{3}, secured.URL+"/x"
	opt.Client = secured.Client()
	testkit.ErrorContains(t, testkit.ErrorOf(sets.Get(context.Background(), s.Info.Name, opt)),
		"to an unencrypted connection", "sent on to an open connection")
	opt.Client = &http.Client{} // knows nothing of the server's certificate
	testkit.ErrorContains(t, testkit.ErrorOf(sets.Get(context.Background(), s.Info.Name, opt)), "certificate",
		"unknown certificate")
	opt.Mirror = "http://mirror.example.org/bnci"
	testkit.ErrorContains(t, testkit.ErrorOf(sets.Get(context.Background(), s.Info.Name, opt)),
		"must be downloaded by https", "open mirror of files without digest")
	for _, mirror := range []string{"ftp://a/b", "downloads", "http://"} {
		opt.Mirror = mirror
		testkit.ErrorContains(t, testkit.ErrorOf(sets.Get(context.Background(), s.Info.Name, opt)),
			"is not the address", "mirror", mirror)
	}
}

func TestMirrorOfRecordings(t *testing.T) {
	var asked []string
	files := filesOfEEGBCI(2)
	s, opt := localSet(t, "eegbci", files, http.NotFound)
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = w.Write(files[strings.TrimPrefix(r.URL.Path, "/pub/eegbci/")])
	}))
	defer mirror.Close()
	opt.Subjects, opt.Runs, opt.Mirror = []int{2}, []int{4, 6}, mirror.URL+"/pub/eegbci/"
	testkit.Must(sets.Get(context.Background(), s.Info.Name, opt))(t)
	testkit.Equal(t, strings.Join(asked, " "), "/pub/eegbci/S002/S002R04.edf /pub/eegbci/S002/S002R06.edf", "asked for",
		asked)
}

func TestFirstFileIsTrusted(t *testing.T) {
	first := bnciFile(t)
	second := bytes.Clone(first)
	copy(second[:20], "MATLAB 5.0 MAT-file!") // another file that reads alike
	data := first
	s, opt := localSet(t, "bnci2014-001", nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	})
	opt.Subjects = []int{3}
	get := func() error {
		dir, err := sets.Get(context.Background(), s.Info.Name, opt)
		if err == nil {
			os.Remove(filepath.Join(dir, "A03T.mat"))
			os.Remove(filepath.Join(dir, "A03E.mat"))
		}
		return err
	}
	testkit.NoError(t, get())
	testkit.NoError(t, get(), "the same again")
	data = second
	if err := get(); err == nil || !strings.Contains(err.Error(), "differs from the first download") ||
		!strings.Contains(err.Error(), "SHA256SUMS.txt") {
		t.Errorf("another file: %v", err)
	}
	testkit.NoError(t, os.Remove(filepath.Join(opt.Cache, "bnci2014-001", "SHA256SUMS.txt")))
	testkit.NoError(t, get(), "trusted anew")
}

func TestCutRecordingsGoOnOnlyAsTheSameVersion(t *testing.T) {
	data, tag, limit := bnciFile(t), `"one"`, 6000
	var ranges []string
	s, opt := localSet(t, "bnci2014-001", nil, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range")+r.Header.Get("If-Range"))
		w.Header().Set("ETag", tag)
		if limit == 0 {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data[:limit])
		panic(http.ErrAbortHandler)
	})
	opt.Subjects = []int{3}
	a03t := s.Files()[4:5]
	s.Files = func() []sets.File { return a03t }
	if _, err := sets.Get(context.Background(), s.Info.Name, opt); err == nil ||
		!strings.Contains(err.Error(), "was cut") {
		t.Fatalf("cut: %v", err)
	}
	part, err := os.Stat(filepath.Join(opt.Cache, "bnci2014-001", "A03T.mat.part"))
	if err != nil || part.Size() == 0 {
		t.Fatalf("part: %v", err)
	}
	if limit = 0; part.Size() > 0 {
		tag = `"two"` // another version: ServeContent then sends all of it
	}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, opt))(t)
	testkit.Equal(t, ranges[1], "bytes="+strconv.FormatInt(part.Size(), 10)+`-"one"`, "asked for")
	if left := leftBehind(t, opt); len(left) != 2 {
		t.Errorf("left %v, want the file and its digest", left)
	}
}

func TestImportOfRecordings(t *testing.T) {
	ctx := context.Background()
	cache := t.TempDir()
	home := t.TempDir() // as MOABB keeps files
	testkit.WriteFile(t, filepath.Join(home, "MNE-bnci-data/~bci/database/001-2014/A03T.mat"), bnciFile(t))
	testkit.WriteFile(t, filepath.Join(home, "MNE-eegbci-data/files/eegmmidb/1.0.0/S001/S001R04.edf"), edfRun(3, 1))
	testkit.NoError(t, testkit.ErrorOf(sets.Get(ctx, "bnci2014-001", sets.GetOptions{Cache: cache, From: home})))
	testkit.EqualSlices(t, testkit.Must(os.ReadFile(filepath.Join(cache, "bnci2014-001", "A03T.mat")))(t), bnciFile(t),
		"imported")
	_, err := sets.Get(ctx, "bnci2014-001", sets.GetOptions{Cache: cache, From: home, Subjects: []int{3}})
	testkit.ErrorContains(t, err, "does not contain A03E.mat", "asked for a subject that is there in part")
	_, err = sets.Get(ctx, "eegbci", sets.GetOptions{Cache: cache, From: home})
	testkit.ErrorContains(t, err, "not the published file", "a file that is not the published one")
	_, err = sets.Get(ctx, "bnci2014-004", sets.GetOptions{Cache: cache, From: home})
	testkit.ErrorContains(t, err, "no recordings of bnci2014-004", "nothing there")
	testkit.WriteFile(t, filepath.Join(home, "copy", "A03T.mat"), bnciFile(t))
	_, err = sets.Get(ctx, "bnci2014-001", sets.GetOptions{Cache: cache, From: home})
	testkit.ErrorContains(t, err, "name a folder that contains only one of them", "two files of a name")
	testkit.WriteFile(t, filepath.Join(cache, "bnci2014-001", "SHA256SUMS.txt"), []byte("no digest here\n"))
	_, err = sets.Get(ctx, "bnci2014-001", sets.GetOptions{Cache: cache, From: filepath.Join(home, "copy")})
	testkit.ErrorContains(t, err, "line 1", "broken digests")
}
