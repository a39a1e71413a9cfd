package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/serve/testsignal"
	"rao/internal/testkit"
	"rao/serve"
)

// The requests of the guide to serving work unchanged, sent as curl sends them, with a row of numbers in place of the
// dots.
func TestGuideOfServing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, d := range []struct{ name, text string }{
		{"flowers.csv", "petal,sepal,kind\n1.4,5.1,a\n1.3,4.9,a\n1.5,5.3,a\n4.5,6.1,b\n4.7,6.5,b\n4.4,6.0,b\n"},
		{"rows.csv", strings.Repeat("1,", 63) + "1\n"},
	} {
		testkit.NoError(t, os.WriteFile(d.name, []byte(d.text), 0o644))
	}
	fit(t, "pca", "digits:train", "digits.rao")
	fit(t, "pca", "digits:train", "model.rao")
	fit(t, "lda-raw", "flowers.csv", "flowers.rao")
	eeg, err := testsignal.Model(t.Context())
	if err == nil {
		err = eeg.Save("eeg.rao")
	}
	testkit.NoError(t, err)
	models := testkit.Must(serve.Open([]string{dir}, serve.OpenOptions{}))(t)
	handler := serve.New(models, serve.Options{})
	server := httptest.NewServer(handler)
	t.Cleanup(func() { handler.Close(); server.Close() })
	id, asked := "", 0
	for _, line := range shownIn(t, "../../../docs/guide-serve.md") {
		_, request, ok := strings.Cut(line, "curl ")
		if !ok {
			continue
		}
		asked++
		request = strings.NewReplacer("127.0.0.1:8080", server.URL, "/ID/", "/"+id+"/",
			"0, 3, 12, ...", strings.Repeat("1, ", 63)+"1").Replace(request)
		status, answer := curl(t, testkit.ShellWords(request))
		testkit.Equal(t, status/100, 2, line, "status", status, answer)
		var opened struct{ ID string }
		if json.Unmarshal(answer, &opened) == nil && opened.ID != "" {
			id = opened.ID
		}
	}
	if asked < 7 || id == "" {
		t.Errorf("%d requests, stream %q", asked, id)
	}
}

// shownIn is ShownLines for a page next to this package, whatever folder the test is in.
func shownIn(t *testing.T, page string) []string {
	return testkit.ShownLines(t, filepath.Join(sources, page))
}

// sources is the folder of this package.
var sources = func() string { dir, _ := os.Getwd(); return dir }()

// curl sends a request like the program of this name with these arguments. Standard input is a signal. If the answer
// has no end, curl returns its beginning.
func curl(t *testing.T, args []string) (status int, answer []byte) {
	t.Helper()
	method, url := http.MethodGet, ""
	header := http.Header{}
	var body io.Reader
	send := func(b io.Reader) {
		method, body = http.MethodPost, b
		if header.Get("Content-Type") == "" {
			header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	for i := 0; i < len(args); i++ {
		next := func() string { i++; return args[i] }
		switch args[i] {
		case "-s", "-sN":
		case "-X":
			method = next()
		case "-H":
			name, value, _ := strings.Cut(next(), ": ")
			header.Set(name, value)
		case "-d":
			send(strings.NewReader(next()))
		case "--data-binary":
			b := testkit.Must(os.ReadFile(strings.TrimPrefix(next(), "@")))(t)
			send(bytes.NewReader(b))
		case "-T":
			next()
			var b bytes.Buffer
			for _, v := range testsignal.Samples(
				rand.New(rand.NewPCG(1, 1)), (testsignal.Window+1)*testsignal.Rate, 0) {
				binary.Write(&b, binary.LittleEndian, float32(v))
			}
			body = &b
		default:
			url = args[i]
		}
	}
	req := testkit.Must(http.NewRequestWithContext(t.Context(), method, url, body))(t)
	req.Header = header
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp.StatusCode, nil
	}
	answer = testkit.Must(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, answer
}
