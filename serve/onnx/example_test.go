package onnx_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/model"
	"rao/serve/onnx"
)

// This example exports a model as a graph that any ONNX runtime can run.
func ExampleExport() {
	x := mat.NewDense(6, 2, []float64{0, 1, 1, 0, 1, 2, 6, 5, 7, 6, 5, 7})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"small", "large"})
	if err != nil {
		log.Fatal(err)
	}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.New(model.Schema{Kind: model.KindVectors, Dim: 2}, stats.Classes, lda)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := onnx.Export(context.Background(), &file, m, onnx.ExportOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the file is small:", file.Len() < 4096)
	// Output: the file is small: true
}
