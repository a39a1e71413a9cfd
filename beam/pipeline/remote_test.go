package pipeline

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"rao/dataset"
)

// bucket answers like a cloud storage with one bucket named data.
type bucket struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (b *bucket) names(prefix string) []string {
	var names []string
	for name := range b.files {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// send answers with a file.
func (b *bucket) send(w http.ResponseWriter, name string) {
	data, ok := b.files[name]
	if !ok {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	_, _ = w.Write(data)
}

// s3 implements the parts of S3 that Beam uses: list, read and write.
func (b *bucket) s3(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/data"), "/")
	switch {
	case r.Method == http.MethodPut:
		b.files[name], _ = io.ReadAll(r.Body)
	case name != "":
		b.send(w, name)
	default:
		type content struct {
			Key  string
			Size int
		}
		var list struct {
			XMLName  xml.Name `xml:"ListBucketResult"`
			Contents []content
		}
		for _, n := range b.names(r.URL.Query().Get("prefix")) {
			list.Contents = append(list.Contents, content{n, len(b.files[n])})
		}
		_ = xml.NewEncoder(w).Encode(list)
	}
}

// gcs implements the parts of Google Cloud Storage that Beam uses.
func (b *bucket) gcs(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	describe := func(n string) map[string]any {
		return map[string]any{"name": n, "bucket": "data", "size": fmt.Sprint(len(b.files[n])), "generation": "1"}
	}
	w.Header().Set("Content-Type", "application/json")
	name, ofFile := strings.CutPrefix(r.URL.Path, "/storage/v1/b/data/o/")
	switch {
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		parts := multipart.NewReader(r.Body, params["boundary"])
		head, err := parts.NextPart()
		var meta struct{ Name string }
		if err == nil {
			err = json.NewDecoder(head).Decode(&meta)
		}
		body, err2 := parts.NextPart()
		if err != nil || err2 != nil {
			http.Error(w, fmt.Sprint(err, err2), http.StatusBadRequest)
			return
		}
		b.files[meta.Name], _ = io.ReadAll(body)
		_ = json.NewEncoder(w).Encode(describe(meta.Name))
	case r.URL.Path == "/storage/v1/b/data/o":
		items := []map[string]any{}
		for _, n := range b.names(r.URL.Query().Get("prefix")) {
			items = append(items, describe(n))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"items": items})
	case ofFile:
		_ = json.NewEncoder(w).Encode(describe(name))
	default: // the file itself
		b.send(w, strings.TrimPrefix(r.URL.Path, "/data/"))
	}
}

// Files in cloud storage give the same bytes as local files, and the result is written to the cloud.
func TestStatisticsInAStorage(t *testing.T) {
	dir := written(t, 3, 40)
	local := filepath.Join(t.TempDir(), "local.npz")
	stats := func(shards []Shard, out string) error {
		open, err := ResolveOptions(t.Context(), shards, dataset.OpenOptions{}, true)
		if err != nil {
			return err
		}
		return run(t, func(s beam.Scope) error { return Stats(s, shards, StatsOptions{Open: open, Out: out}) })
	}
	shards := shardsOf(t, dir, 2)
	if err := stats(shards, local); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(filepath.Join(dir, "part-00.npz"))
	if err != nil {
		t.Fatal(err)
	}
	b := &bucket{files: map[string][]byte{"other/x.npz": []byte("is not asked for")}}
	for _, f := range shards {
		for _, name := range f.Files {
			if b.files["in/"+filepath.Base(name)], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	s3 := httptest.NewServer(http.HandlerFunc(b.s3))
	defer s3.Close()
	gcs := httptest.NewServer(http.HandlerFunc(b.gcs))
	defer gcs.Close()
	t.Setenv("AWS_ENDPOINT_URL", s3.URL)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(gcs.URL, "http://"))
	for _, scheme := range []string{"s3", "gs"} {
		shards, err := Shards(t.Context(), scheme+"://data/in/part-*.npz", 2*st.Size())
		if err != nil {
			t.Fatal(scheme, err)
		}
		if len(shards) != 2 {
			t.Fatalf("%s: %d shards", scheme, len(shards))
		}
		if err := stats(shards, scheme+"://data/out/"+scheme+".npz"); err != nil {
			t.Fatal(scheme, err)
		}
		if got := b.files["out/"+scheme+".npz"]; string(got) != string(want) {
			t.Errorf("%s: %d bytes that are not the %d of local files", scheme, len(got), len(want))
		}
		if _, err := Shards(t.Context(), scheme+"://data/none-*.npz", 1); err == nil ||
			!strings.Contains(err.Error(), "no such file") {
			t.Errorf("%s: no files: %v", scheme, err)
		}
	}
}
