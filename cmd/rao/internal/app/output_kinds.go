package app

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/format/parquetwriter"
	"rao/internal/predictions"
)

// OutputKind is a kind of output. Its text is used in messages.
type OutputKind string

const (
	ModelOutput      OutputKind = "a rao model"
	StatisticsOutput OutputKind = "a statistics file of rao"
	BasisOutput      OutputKind = "a basis file of rao"
	DataOutput       OutputKind = "an npz file of rao"
	ArrayOutput      OutputKind = "an npy array of numbers of eight bytes"
	TableOutput      OutputKind = "a table of rao predict"
	PredictionOutput OutputKind = "predictions of rao predict"
	ClustersOutput   OutputKind = "a table of rao spd cluster"
	ScoresOutput     OutputKind = "a table of rao spd artifacts"
	FigureOutput     OutputKind = "a figure of rao"
	PageOutput       OutputKind = "a page of rao"
	DocumentOutput   OutputKind = "a document of rao"
	GraphOutput      OutputKind = "an ONNX graph of rao"
	SessionOutput    OutputKind = "a session that rao logged"
	LogOutput        OutputKind = "empty" // an existing log is never replaced
	RuleOutput       OutputKind = "a stopping rule of rao"
	StudyOutput      OutputKind = "a folder that is empty, or a study that rao simulated"
	FolderOutput     OutputKind = "a folder that is empty or was made by rao"
	RecordsOutput    OutputKind = "a folder with only recorded results"
	ModelsOutput     OutputKind = "a folder with only models"
)

// Formats lists the format and the extensions of each kind of output. The usual extension is first.
var Formats = map[OutputKind]struct {
	written    string
	Extensions []string
}{
	ModelOutput:      {"models are written in rao's own format", []string{".rao", ".npz", ".zip"}},
	StatisticsOutput: {"statistics are written as npz", []string{".npz", ".rao", ".zip"}},
	BasisOutput:      {"a basis is written as npz", []string{".npz", ".rao", ".zip"}},
	DataOutput:       {"data are written as npz", []string{".npz", ".zip"}},
	ArrayOutput:      {"arrays are written as npy", []string{".npy"}},
	TableOutput:      {"tables are written as csv", []string{".csv", ".txt"}},
	PredictionOutput: {"predictions are written as csv, JSON or Parquet",
		[]string{".csv", ".txt", ".json", ".jsonl", ".parquet"}},
	ClustersOutput: {"tables are written as csv", []string{".csv", ".txt"}},
	ScoresOutput:   {"tables are written as csv", []string{".csv", ".txt"}},
	FigureOutput:   {"figures are written as SVG, PNG or PDF", []string{".svg", ".png", ".pdf"}},
	PageOutput:     {"pages are written as HTML", []string{".html", ".htm", ".xhtml"}},
	DocumentOutput: {"documents are written as Markdown", []string{".md", ".markdown", ".txt"}},
	GraphOutput:    {"graphs are written as ONNX", []string{".onnx"}},
	RuleOutput:     {"rules are written as JSON", []string{".json"}},
	SessionOutput:  {"recordings are written as XDF or BrainVision", []string{".xdf", ".vhdr"}},
	LogOutput:      {"recordings are written as XDF", []string{".xdf"}},
}

// Folder reports whether the output is a folder.
func (k OutputKind) Folder() bool {
	return k == StudyOutput || k == FolderOutput || k == RecordsOutput || k == ModelsOutput
}

// ours reports whether the file or folder at path is of kind k and can be replaced without --force. An empty file can
// always be replaced.
func (k OutputKind) ours(path string, info os.FileInfo) bool {
	if !k.Folder() && info.Size() == 0 {
		return true
	}
	switch k {
	case ModelOutput:
		kind, err := archive.Kind(path)
		return err == nil && kind == "model"
	case StatisticsOutput:
		kind, err := archive.Kind(path)
		return err == nil && (kind == "statistics" || kind == "subclasses" || kind == "private")
	case BasisOutput:
		kind, err := archive.Kind(path)
		return err == nil && kind == "basis"
	case DataOutput:
		z, err := zip.OpenReader(path)
		if err != nil {
			return false
		}
		defer z.Close()
		return z.Comment == npy.FileComment
	case ArrayOutput: // npy files do not name the program that wrote them; check the form that rao writes
		return begins(path, "\x93NUMPY") && bytes.Contains(head(path), []byte("'descr': '<f8', 'fortran_order': False"))
	case TableOutput:
		return ourTable(head(path))
	case PredictionOutput:
		b := head(path)
		return ourTable(b) || ourRecord(b) || parquetwriter.Ours(path)
	case ClustersOutput:
		return ourClusters(path)
	case ScoresOutput:
		return begins(path, "matrix,z_0,")
	case FigureOutput:
		b := head(path)
		return bytes.HasPrefix(b, []byte("<svg xmlns=")) && bytes.Contains(b, []byte(`aria-labelledby="f`)) ||
			bytes.HasPrefix(b, []byte("\x89PNG")) && bytes.Contains(b, []byte("tEXtSoftware\x00rao")) ||
			bytes.HasPrefix(b, []byte("%PDF")) && bytes.Contains(b, []byte("/Producer (rao)"))
	case PageOutput:
		return begins(path, "<!doctype html>") && bytes.Contains(head(path),
			[]byte(`<meta name="generator" content="rao">`))
	case SessionOutput:
		return begins(path, "XDF:") && bytes.Contains(head(path), []byte("<origin>rao</origin>")) ||
			begins(path, "Brain Vision Data Exchange") && bytes.Contains(head(path), []byte("; written by rao"))
	case RuleOutput:
		return begins(path, `{"kind":"stopping rule"`)
	case GraphOutput:
		return begins(path, "\x08\x08\x12\x03rao")
	case DocumentOutput:
		return bytes.Contains(head(path), []byte(DocumentMark))
	case StudyOutput:
		list, err := os.ReadDir(path)
		return err == nil && len(list) == 0 ||
			bytes.Contains(head(filepath.Join(path, "dataset_description.json")), []byte(StudyMark))
	case FolderOutput:
		return ourFolder(path)
	case RecordsOutput:
		return allOurs(path, func(file string) bool {
			return filepath.Ext(file) == ".json" && begins(file, "{\n \"id\": \"")
		})
	case ModelsOutput:
		return allOurs(path, func(file string) bool { return filepath.Ext(file) == ".rao" })
	}
	return false
}

// StudyMark is a part of the description in a folder that rao data recording --bids wrote.
const StudyMark = `"Name": "simulated by rao"`

// DocumentMark is a line in a document that --markdown wrote. Browsers do not show it.
const DocumentMark = "<!-- written by rao -->\n"

// ourFolder reports whether a folder is empty, or contains a page of rao at the top or in a subfolder.
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
			PageOutput.ours(page, st) {
			return true
		}
	}
	return len(list) == 0
}

func allOurs(folder string, ours func(file string) bool) bool {
	list, err := os.ReadDir(folder)
	return err == nil && !slices.ContainsFunc(list, func(e os.DirEntry) bool {
		return !ours(filepath.Join(folder, e.Name()))
	})
}

// ourTable reports whether a csv file starts with the header of decisions, of predicted numbers, or of the predictions
// of compare --groups.
func ourTable(b []byte) bool {
	names, err := csv.NewReader(bytes.NewReader(b)).Read()
	if err != nil {
		return false
	}
	begin := func(at int, want ...string) bool {
		return len(names) >= at+len(want) && slices.Equal(names[at:at+len(want)], want)
	}
	return begin(0, "label", "rejected", "outlier") || begin(1, "label", "rejected", "outlier") ||
		begin(0, "method", "align", "repeat") ||
		len(names) <= 2 && strings.HasPrefix(names[len(names)-1], predictions.ValuePrefix)
}

// ourRecord reports whether a file starts with an object of predictions.
func ourRecord(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(b, []byte("[")), []byte("{")) &&
		bytes.Contains(b, []byte(`"rejected":`)) && bytes.Contains(b, []byte(`"outlier":`))
}

// ourClusters reports whether a csv file consists of one column "cluster" with integers from 0 to the number of rows
// minus 1.
func ourClusters(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if !lines.Scan() || lines.Text() != "cluster" {
		return false
	}
	rows, largest := 0, uint64(0)
	for ; lines.Scan(); rows++ {
		cluster, err := strconv.ParseUint(lines.Text(), 10, 31)
		if err != nil {
			return false
		}
		largest = max(largest, cluster)
	}
	return lines.Err() == nil && largest < uint64(rows)
}

func begins(path, text string) bool { return bytes.HasPrefix(head(path), []byte(text)) }

// head returns the first bytes of a file, or nil if the file cannot be read.
func head(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1024))
	return b
}
