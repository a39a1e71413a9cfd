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

// A service of one's own: the handler is one among others of a program.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
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

	models, err := serve.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", serve.New(models, serve.Options{}))
	server := httptest.NewServer(mux) // http.ListenAndServe in a program
	defer server.Close()

	resp, err := http.Post(server.URL+"/v1/models/where/predict", "application/json",
		strings.NewReader(`{"X": [[5, 5], [1, 1]]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}
