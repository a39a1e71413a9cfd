package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rao/dataset"
	"rao/internal/format/archive"
)

// outputKind is what a verb writes, as a message names it.
type outputKind string

const (
	modelOutput      outputKind = "a rao model"
	statisticsOutput outputKind = "a statistics file of rao"
	basisOutput      outputKind = "a basis file of rao"
	dataOutput       outputKind = "an npz file of rao"
	arrayOutput      outputKind = "known to be rao's: an npy file bears no mark"
	tableOutput      outputKind = "a table of rao predict"
	groupsOutput     outputKind = "a table of rao cluster"
	scoresOutput     outputKind = "a table of rao check"
	figureOutput     outputKind = "a figure of rao in SVG"
	valuesOutput     outputKind = "a table of rao regress"
	pageOutput       outputKind = "a page of rao"
	documentOutput   outputKind = "a document of rao"
	graphOutput      outputKind = "an ONNX graph of rao"
	sessionOutput    outputKind = "a session that rao logged"
	logOutput        outputKind = "empty" // a log is never replaced by another
	folderOutput     outputKind = "empty or made by rao"
	recordsOutput    outputKind = "empty or of recorded results alone"
)

// formats are those that files of a kind are written in, with their extensions, the usual one first.
// The format of figures follows the extension: see package report.
var formats = map[outputKind]struct {
	written    string
	extensions []string
}{
	modelOutput:      {"models are written in rao's own format", []string{".rao", ".npz", ".zip"}},
	statisticsOutput: {"statistics are written as npz", []string{".npz", ".rao", ".zip"}},
	basisOutput:      {"a basis is written as npz", []string{".npz", ".rao", ".zip"}},
	dataOutput:       {"data are written as npz", []string{".npz", ".zip"}},
	arrayOutput:      {"arrays are written as npy", []string{".npy"}},
	tableOutput:      {"tables are written as csv", []string{".csv", ".txt"}},
	groupsOutput:     {"tables are written as csv", []string{".csv", ".txt"}},
	scoresOutput:     {"tables are written as csv", []string{".csv", ".txt"}},
	valuesOutput:     {"tables are written as csv", []string{".csv", ".txt"}},
	pageOutput:       {"pages are written as HTML", []string{".html", ".htm", ".xhtml"}},
	documentOutput:   {"documents are written as Markdown", []string{".md", ".markdown", ".txt"}},
	graphOutput:      {"graphs are written as ONNX", []string{".onnx"}},
	sessionOutput:    {"recordings are written as XDF", []string{".xdf"}},
	logOutput:        {"recordings are written as XDF", []string{".xdf"}},
}

// foreignExtensions name formats: a file of another format must not bear one.
var foreignExtensions = []string{".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".xml",
	".parquet", ".arrow", ".feather", ".orc", ".avro", ".xlsx", ".xls", ".ods", ".dta", ".sav", ".rds", ".arff",
	".libsvm",
	".npz", ".npy", ".mat", ".h5", ".hdf5", ".nc", ".pkl", ".pickle", ".joblib", ".pt", ".safetensors", ".rao", ".onnx",
	".db", ".sqlite", ".gz", ".zst", ".bz2", ".xz", ".zip", ".tar", ".svg", ".png", ".pdf", ".jpg", ".jpeg", ".gif",
	".tif", ".tiff", ".html", ".htm", ".md", ".edf", ".bdf", ".gdf", ".fif", ".set",
	".fdt", ".vhdr", ".vmrk", ".eeg", ".cnt", ".xdf"}

func (k outputKind) folder() bool { return k == folderOutput || k == recordsOutput }

// ours reports whether what lies at path is of the kind that k writes, so that it is
// replaced without a question. An empty file is anybody's.
func (k outputKind) ours(path string, info os.FileInfo) bool {
	if !k.folder() && info.Size() == 0 {
		return true
	}
	switch k {
	case modelOutput:
		kind, err := archive.Kind(path)
		return err == nil && kind == "model"
	case statisticsOutput:
		kind, err := archive.Kind(path)
		return err == nil && (kind == "statistics" || kind == "subclasses")
	case basisOutput:
		kind, err := archive.Kind(path)
		return err == nil && kind == "basis"
	case dataOutput:
		z, err := zip.OpenReader(path)
		if err != nil {
			return false
		}
		defer z.Close()
		return z.Comment == dataset.FileComment
	case tableOutput:
		names, _, _ := bytes.Cut(head(path), []byte("\n"))
		return bytes.HasPrefix(names, []byte("method,align,repeat,")) || bytes.Contains(names,
			[]byte("label,rejected,outlier,"))
	case groupsOutput:
		return begins(path, "group\n")
	case scoresOutput:
		return begins(path, "matrix,z_0,")
	case figureOutput:
		return begins(path, "<svg xmlns=") && bytes.Contains(head(path), []byte(`aria-labelledby="f`))
	case valuesOutput:
		return begins(path, "value\n")
	case pageOutput:
		return begins(path, "<!doctype html>") && bytes.Contains(head(path),
			[]byte(`<meta name="generator" content="rao">`))
	case sessionOutput:
		return begins(path, "XDF:") && bytes.Contains(head(path), []byte("<origin>rao</origin>"))
	case graphOutput:
		return begins(path, "\x08\x08\x12\x03rao")
	case documentOutput:
		return bytes.Contains(head(path), []byte(documentMark))
	case folderOutput:
		return ourFolder(path)
	case recordsOutput:
		list, err := os.ReadDir(path)
		return err == nil && !slices.ContainsFunc(list,
			func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != ".json" })
	}
	return false
}

// documentMark is a line of the documents that --markdown writes, which a reader of
// the page does not see.
const documentMark = "<!-- written by rao -->\n"

// ourFolder reports whether a folder is empty or holds, or has below it, a page of rao.
func ourFolder(path string) bool {
	list, err := os.ReadDir(path)
	if err != nil {
		return false
	}
	for _, e := range list {
		page := e.Name()
		if e.IsDir() {
			page = filepath.Join(e.Name(), "index.html")
		}
		page = filepath.Join(path, page)
		if st, err := os.Stat(page); filepath.Base(page) == "index.html" && err == nil && st.Size() > 0 &&
			pageOutput.ours(page, st) {
			return true
		}
	}
	return len(list) == 0
}

func begins(path, text string) bool { return bytes.HasPrefix(head(path), []byte(text)) }

// head returns the first bytes of a file.
func head(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1024))
	return b
}
