package serve_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/model"
	"rao/serve"
)

// This example adds the handler to a program that also answers other requests.
func ExampleNew() {
	folder, done := folderOfModels() // rao fit ... --out models/where.rao
	defer done()
	models, err := serve.Open([]string{folder}, serve.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	decisions := serve.New(models, serve.Options{MaxBody: 1 << 20, Tokens: map[string]string{"secret": ""}})
	defer decisions.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "my service") })
	mux.Handle("/v1/", decisions)
	mux.Handle("/v2/", decisions)
	server := httptest.NewServer(mux) // in a program: http.Server{Addr: "127.0.0.1:8080", Handler: mux}
	defer server.Close()

	req, err := http.NewRequest("POST", server.URL+"/v1/models/where/predict", strings.NewReader(`{"X": [[5, 5]]}`))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// folderOfModels creates a folder that contains a model of two columns.
func folderOfModels() (dir string, done func()) {
	dir, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 0.5, 0.2, 5, 6, 6, 5, 5.5, 5.1})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"near", "far"})
	if err != nil {
		log.Fatal(err)
	}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{})
	if err != nil {
		log.Fatal(err)
	}
	m := &model.Model{Method: "lda-raw", Classes: lda.Classes, Input: model.Schema{Kind: model.KindVectors, Dim: 2},
		Classifier: lda}
	if err := m.Save(filepath.Join(dir, "where.rao")); err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}
