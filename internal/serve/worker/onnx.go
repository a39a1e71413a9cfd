package worker

import (
	"bytes"
	"context"

	"rao"
	"rao/serve/onnx"
)

// onnxRequest contains the options of a graph.
type onnxRequest struct {
	Outputs   []string `json:"outputs"`       // nil means the default
	Precision string   `json:"precision"`     // double or single
	Condition float64  `json:"max_condition"` // 0 means the default
}

// exportONNX returns the ONNX file of a model as the array "file".
func exportONNX(ctx context.Context, s *server, q *Request) (*Reply, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, err
	}
	if p := q.ONNX.Precision; p != "double" && p != "single" {
		return nil, &rao.UnknownError{Kind: "precision", Name: p, Known: []string{"double", "single"}}
	}
	var file bytes.Buffer
	err = onnx.Export(ctx, &file, m, onnx.ExportOptions{Outputs: q.ONNX.Outputs,
		Float32: q.ONNX.Precision == "single", Condition: q.ONNX.Condition})
	if err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{{"file", "|u1", []int{file.Len()}, file.Bytes()}}}, nil
}
