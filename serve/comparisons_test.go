package serve

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Results and recordings come from the configured folders, the newest first, and no path in a request reaches other
// files.
func TestOffers(t *testing.T) {
	newServer(t, Options{}) // the models
	dir := testkit.Must(models())(t)
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.json": `{"train":"x","test":"y","rows":[{"method":"sqfa","accuracy":0.5,"kappa":null},
			{"method":"lda","error":"no"}]}`,
		"b.json":   `{"train":"x","rows":[]}`,
		"c.json":   `{`,
		"text.csv": "1,2\n3,4\n",
	} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	s := New(repo, Options{Results: []string{folder, filepath.Join(folder, "gone.json")},
		Replays: []string{filepath.Join(folder, "text.csv"), folder}})
	server := httptest.NewServer(s)
	defer server.Close()
	status, b, _ := call(t, "GET", server.URL+"/v1/results", nil)
	var got struct {
		Results  []comparison
		Problems []string
	}
	if err := json.Unmarshal(b, &got); err != nil || status != 200 || len(got.Results) != 1 || len(got.Problems) != 3 ||
		got.Results[0].Name != "a" || *got.Results[0].Rows[0].Accuracy != 0.5 ||
		got.Results[0].Rows[1].Accuracy != nil {
		t.Errorf("status %d, %v: %s", status, err, b)
	}
	if strings.Contains(string(b), folder) || !strings.Contains(string(b), "gone.json") {
		t.Errorf("a path is told: %s", b)
	}
	if _, b, _ := call(t, "GET", server.URL+"/v1/replays/0", nil); string(b) != "1,2\n3,4\n" {
		t.Errorf("%s", b)
	}
	for _, path := range []string{"1", "2", "-1", "x", "..%2f..%2fa.json", "0%2fx"} {
		answers(t, 404, "GET", server.URL+"/v1/replays/"+path, nil)
	}
}
