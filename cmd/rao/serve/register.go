// Package serve contains the commands rao serve, rao export, rao worker and rao demo --serve.
package serve

import (
	"path/filepath"
	"strings"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/filecheck"
	"rao/internal/serve/onnxfile"
)

func init() {
	app.Register(app.GroupDecide, 5, serveCommand)
	app.Register(app.GroupDecide, 6, exportCommand)
	app.Register(app.GroupProgram, 4, workerCommand)
	app.AfterDemo(serveDemo)
	filecheck.Register(filecheck.Reader{Kind: "ONNX graph", Claims: isGraph, Read: func(path string) (string, error) {
		if !isGraph(path) {
			return "", dataset.ErrUnknownFormat
		}
		return onnxfile.Describe(path)
	}})
}

func isGraph(path string) bool { return strings.EqualFold(filepath.Ext(path), ".onnx") }
