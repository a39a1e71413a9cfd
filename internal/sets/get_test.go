package sets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// testSet returns a set of one file of 200 000 bytes that handler serves.
func testSet(t *testing.T, handler http.HandlerFunc) (s *knownSet, data []byte, opt GetOptions) {
	t.Helper()
	data = make([]byte, 200000)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s = &knownSet{info: dataset.Set{Name: "testset", Kind: "download"},
		files: []remoteFile{{name: "f.bin", url: []string{server.URL + "/f.bin"}, sha256: digestOf(data),
			size: int64(len(data))}}}
	return s, data, GetOptions{Cache: t.TempDir(), Wait: time.Millisecond, Client: server.Client()}
}

// serve sends data from the requested start, at most limit bytes before it cuts the connection; limit 0 sends all.
func serve(w http.ResponseWriter, r *http.Request, data []byte, limit int) {
	start := 0
	if spec, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		start, _ = strconv.Atoi(strings.TrimSuffix(spec, "-"))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(data)-1, len(data)))
		w.Header().Set("Content-Length", strconv.Itoa(len(data)-start))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	body := data[start:]
	if limit == 0 || limit >= len(body) {
		_, _ = w.Write(body)
		return
	}
	_, _ = w.Write(body[:limit])
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	panic(http.ErrAbortHandler)
}

// kept returns the names of the files in the set's folder.
func kept(t *testing.T, opt GetOptions) string {
	t.Helper()
	list := testkit.Must(os.ReadDir(filepath.Join(opt.Cache, "testset")))(t)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func checkGot(t *testing.T, s *knownSet, opt GetOptions, data []byte) {
	t.Helper()
	dir := testkit.Must(s.get(context.Background(), opt))(t)
	got := testkit.Must(os.ReadFile(filepath.Join(dir, "f.bin")))(t)
	testkit.EqualSlices(t, got, data, "file of", len(got), "bytes")
	testkit.Equal(t, kept(t, opt), "f.bin", "folder holds")
}

func TestGetDownloadsOnce(t *testing.T) {
	var data []byte
	calls := 0
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		serve(w, r, data, 0)
	})
	last := rao.Event{}
	opt.Progress = func(e rao.Event) { last = e }
	checkGot(t, s, opt, data)
	if last.Stage != "f.bin" || last.Done != len(data) || last.Total != len(data) {
		t.Errorf("last progress %+v", last)
	}
	checkGot(t, s, opt, data)
	testkit.Equal(t, calls, 1, "requests, want")
}

func TestGetFollowsRedirects(t *testing.T) {
	var data []byte
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/f.bin" {
			http.Redirect(w, r, "/moved/f.bin", http.StatusMovedPermanently)
			return
		}
		serve(w, r, data, 0)
	})
	checkGot(t, s, opt, data)
}

func TestGetContinuesCutConnections(t *testing.T) {
	var data []byte
	var ranges []string
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		serve(w, r, data, 70000)
	})
	checkGot(t, s, opt, data)
	if len(ranges) != 3 || ranges[0] != "" || ranges[1] != "bytes=70000-" || ranges[2] != "bytes=140000-" {
		t.Errorf("ranges asked for: %q", ranges)
	}
}

func TestGetContinuesAnEarlierRun(t *testing.T) {
	var data []byte
	limit := 70000
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) { serve(w, r, data, limit) })
	opt.Retries = -1
	_, err := s.get(context.Background(), opt)
	if err == nil || !strings.Contains(err.Error(), "the connection was cut after 70000 of 200000 bytes") ||
		!strings.Contains(err.Error(), "from=FOLDER") {
		t.Errorf("cut connection: %v", err)
	}
	testkit.Equal(t, kept(t, opt), "f.bin.part", "folder holds")
	limit = 0
	checkGot(t, s, opt, data)
}

func TestGetWithServerThatKnowsNoRanges(t *testing.T) {
	var data []byte
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		serve(w, r, data, 0)
	})
	testkit.WriteFile(t, filepath.Join(opt.Cache, "testset", "f.bin.part"), []byte("other bytes"))
	checkGot(t, s, opt, data)
}

func TestGetRefusesWrongDigest(t *testing.T) {
	for what, change := range map[string]func([]byte) []byte{
		"changed": func(b []byte) []byte { b[5] ^= 1; return b },
		"longer":  func(b []byte) []byte { return append(b, 1, 2, 3) },
	} {
		var data []byte
		s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
			serve(w, r, change(bytes.Clone(data)), 0)
		})
		_, err := s.get(context.Background(), opt)
		if err == nil || !strings.Contains(err.Error(), "not "+digestOf(data)) ||
			!strings.Contains(err.Error(), "import them with from=FOLDER") {
			t.Errorf("%s: %v", what, err)
		}
		testkit.Fails(t, testkit.ErrorOf(os.Stat(filepath.Join(opt.Cache, "testset", "f.bin"))), what,
			"a wrong file was kept")
	}
}

func TestGetShortFileIsNotKept(t *testing.T) {
	var data []byte
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		_, _ = w.Write(data[:1000])
	})
	opt.Retries = -1
	_, err := s.get(context.Background(), opt)
	testkit.ErrorContains(t, err, "1000 of 200000 bytes arrived", "short file")
	_, err = s.get(context.Background(), opt)
	if err == nil || !strings.Contains(err.Error(), "the server replied 416") ||
		strings.Contains(err.Error(), "check the network") {
		t.Errorf("file shorter than what came before: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(os.Stat(filepath.Join(opt.Cache, "testset", "f.bin"))), "a short file was kept")
}

func TestGetServerErrors(t *testing.T) {
	var calls atomic.Int32
	var data []byte
	status := http.StatusServiceUnavailable
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) <= 2 {
			w.WriteHeader(status)
			return
		}
		serve(w, r, data, 0)
	})
	checkGot(t, s, opt, data) // a passing error is tried again
	os.RemoveAll(opt.Cache)
	calls.Store(0)
	status = http.StatusNotFound // a lasting one is not
	_, err := s.get(context.Background(), opt)
	if err == nil || !strings.Contains(err.Error(), "the server replied 404 Not Found") || calls.Load() != 1 {
		t.Errorf("404: %v after %d requests", err, calls.Load())
	}
	if err != nil && !strings.Contains(err.Error(), "cannot get f.bin: http") {
		t.Errorf("the error does not name file and address: %v", err)
	}
}

func TestGetUsesTheSecondAddress(t *testing.T) {
	var data []byte
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) { serve(w, r, data, 0) })
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	s.files[0].url = []string{gone.URL, s.files[0].url[0]}
	checkGot(t, s, opt, data)
}

func TestGetWithoutNetwork(t *testing.T) {
	s, _, opt := testSet(t, http.NotFound)
	down := httptest.NewServer(http.NotFoundHandler())
	s.files[0].url = []string{down.URL}
	down.Close()
	_, err := s.get(context.Background(), opt)
	testkit.ErrorContains(t, err, "check the network, or fetch the files elsewhere and import "+"them with from=FOLDER",
		"no network")
}

func TestGetCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var data []byte
	s, data, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		serve(w, r, data, 1000)
	})
	testkit.ErrorIs(t, testkit.ErrorOf(s.get(ctx, opt)), context.Canceled, "canceled")
}

func TestGetUnpacksArchives(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, name := range []string{"../../evil", "dir/one.bin", "dir/readme", "dir/two.bin"} {
		_ = w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(name))})
		_, _ = w.Write([]byte(name))
	}
	_ = w.Close()
	_ = z.Close()
	calls := 0
	s, _, opt := testSet(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		serve(w, r, packed.Bytes(), 0)
	})
	url := []string{strings.Replace(s.files[0].url[0], "f.bin", "all.tar.gz", 1)}
	s.files = nil
	for _, name := range []string{"one.bin", "two.bin"} {
		s.files = append(s.files,
			remoteFile{name: name, archive: "dir/" + name, url: url, sha256: digestOf(packed.Bytes()),
				size: int64(packed.Len())})
	}
	dir := testkit.Must(s.get(context.Background(), opt))(t)
	if names := kept(t, opt); names != "one.bin two.bin" || calls != 1 {
		t.Errorf("folder holds %q after %d requests", names, calls)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "two.bin")); string(got) != "dir/two.bin" {
		t.Errorf("two.bin holds %q", got)
	}
	s.files[1].archive = "dir/absent.bin"
	os.RemoveAll(opt.Cache)
	testkit.ErrorContains(t, testkit.ErrorOf(s.get(context.Background(), opt)), "does not contain dir/absent.bin",
		"archive without a file")
}

func TestGetNames(t *testing.T) {
	for name, want := range map[string]string{
		"mnits":  "did you mean mnist",
		"digits": "is part of the program",
		"eth80":  "cannot be downloaded automatically",
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Get(context.Background(), name, GetOptions{Cache: t.TempDir()})),
			want, name)
	}
}

func TestImportAndOpenByName(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	for _, c := range []struct {
		name, folder, part string
		n, dim, classes    int
	}{
		{"mnist", "mnist", "mnist:test", 10000, 784, 10},
		{"optdigits", "optdigits", "optdigits:train", 3823, 64, 10},
		{"cifar10", "cifar10", "cifar10:test", 1017, 3072, 10},
		{"eth80", "eth80", "eth80", 3280, 16384, 8},
		{"bci-iv-2a", "bci-iv-2a", "bci-iv-2a:A01T", 288, 22, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := testkit.External(t, "data", c.folder)
			var absent *dataset.AbsentError
			_, err := dataset.Open(context.Background(), c.part, dataset.OpenOptions{})
			if !errors.As(err, &absent) || absent.Set.Name != c.name {
				t.Errorf("before the import: %v", err)
			}
			testkit.Must(Get(context.Background(), c.name, GetOptions{From: from}))(t)
			d := open(t, c.part, dataset.OpenOptions{RequireLabels: true})
			dim := 0
			if d.Stack != nil {
				dim = d.Stack.Dim
			} else {
				_, dim = d.X.Dims()
			}
			if d.N() != c.n || dim != c.dim || len(d.Classes) != c.classes || d.Source != c.part {
				t.Errorf("%s: %d observations of %d, %d classes", d.Source, d.N(), dim, len(d.Classes))
			}
			for _, info := range dataset.Sets() {
				if info.Name == c.name && !info.Here() {
					t.Error("the list does not say that it is here")
				}
			}
		})
	}
}

// The pinned digests match the published files, which some machines have.
func TestPinsAreThoseOfTheFiles(t *testing.T) {
	for set, files := range map[string][]remoteFile{"mnist": mnistFiles, "optdigits": optdigitsFiles} {
		for _, f := range files {
			b := testkit.Must(os.ReadFile(testkit.External(t, "data", set, f.name)))(t)
			if digestOf(b) != f.sha256 || int64(len(b)) != f.size {
				t.Errorf("%s: SHA-256 %s and %d bytes, pinned %s and %d", f.name, digestOf(b), len(b), f.sha256, f.size)
			}
		}
	}
}

func TestImportRefuses(t *testing.T) {
	from := t.TempDir()
	opt := GetOptions{From: from, Cache: t.TempDir()}
	for _, f := range mnistFiles {
		testkit.WriteFile(t, filepath.Join(from, f.name), append([]byte{0, 0, 8, 1, 0, 0, 0, 1}, 7))
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Get(context.Background(), "mnist", opt)), "not 440fcabf", "wrong files")
	testkit.ErrorContains(t, testkit.ErrorOf(Get(context.Background(), "usps", opt)), "does not contain zip.train.gz",
		"missing files")
	testkit.ErrorContains(t, testkit.ErrorOf(Get(context.Background(), "bci-iv-2a", opt)),
		"contains no files of bci-iv-2a; it needs A01.mat", "no files")
	opt.From = filepath.Join(from, "absent")
	testkit.ErrorContains(t, testkit.ErrorOf(Get(context.Background(), "mnist", opt)), "no such folder", "no folder")
	list, _ := filepath.Glob(filepath.Join(opt.Cache, "*", "*"))
	if len(list) > 0 {
		t.Errorf("files were kept: %v", list)
	}
}

func open(t *testing.T, spec string, opt dataset.OpenOptions) *dataset.Data {
	t.Helper()
	return testkit.Must(dataset.Open(context.Background(), spec, opt))(t)
}
