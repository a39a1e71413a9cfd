package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rao/internal/format/regular"
	"rao/internal/text"
)

const (
	largestResult = 4 << 20 // limit for the size of a results file, in bytes
	mostResults   = 100     // limit for the number of files shown, newest first
)

// comparison contains the fields of a file from rao compare --json that the page shows. The names in the JSON are
// stable.
type comparison struct {
	Name   string     `json:"name"` // name of the file without .json
	Date   time.Time  `json:"date"`
	Train  string     `json:"train"`
	Test   string     `json:"test,omitempty"`
	Groups string     `json:"groups,omitempty"` // variable with one value per group, if groups were left out
	Rows   []compared `json:"rows"`
}

// compared contains the results of one method in a comparison.
type compared struct {
	Method     string   `json:"method"`
	Align      string   `json:"align,omitempty"`
	Accuracy   *float64 `json:"accuracy"` // nil if the method failed
	AccuracySD *float64 `json:"accuracy_sd,omitempty"`
	Kappa      *float64 `json:"kappa"`
	KNN        *float64 `json:"knn_accuracy,omitempty"`
	FitSeconds float64  `json:"fit_seconds,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	PeakBytes  uint64   `json:"peak_bytes,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// readComparison reads a JSON file that rao compare wrote.
func readComparison(path string) (*comparison, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, unplaced(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largestResult+1))
	if err != nil {
		return nil, unplaced(err)
	}
	if len(b) > largestResult {
		return nil, fmt.Errorf("%s is larger than the limit of %d bytes; compare fewer methods", filepath.Base(path),
			largestResult)
	}
	c := &comparison{}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("%s is not a comparison (%w); rao compare --json writes one", filepath.Base(path),
			text.JSONError(err))
	}
	nameless := func(r compared) bool { return r.Method == "" }
	if c.Train == "" || len(c.Rows) == 0 || slices.ContainsFunc(c.Rows, nameless) {
		return nil, fmt.Errorf("%s is not a comparison; rao compare --json writes one", filepath.Base(path))
	}
	st, err := f.Stat()
	if err != nil {
		return nil, unplaced(err)
	}
	c.Name, c.Date = strings.TrimSuffix(filepath.Base(path), ".json"), st.ModTime()
	return c, nil
}

// unplaced removes the folder from the path in an error, because clients must not see it.
func unplaced(err error) error {
	if at := new(fs.PathError); errors.As(err, &at) {
		return fmt.Errorf("%s: %w", filepath.Base(at.Path), at.Err)
	}
	return err
}

// results answers with the comparisons in the files and folders of Options.Results, newest first. A file that is not a
// comparison is listed with the reason.
func (s *Server) results(w http.ResponseWriter, _ *http.Request) error {
	var files []string
	var errs []error
	for _, p := range s.opt.Results {
		st, err := os.Stat(p)
		switch {
		case err != nil:
			errs = append(errs, unplaced(err))
		case st.IsDir():
			inside, err := filepath.Glob(filepath.Join(regular.EscapeGlob(p), "*.json"))
			files, errs = append(files, inside...), append(errs, err)
		default:
			files = append(files, p)
		}
	}
	list := []*comparison{}
	for _, f := range files {
		c, err := readComparison(f)
		if err == nil {
			list = append(list, c)
		}
		errs = append(errs, err)
	}
	slices.SortStableFunc(list, func(a, b *comparison) int { return b.Date.Compare(a.Date) })
	problems := []string{}
	for _, err := range errs {
		if err != nil {
			problems = append(problems, err.Error())
		}
	}
	return writeJSON(w, 200, map[string]any{"results": list[:min(len(list), mostResults)], "problems": problems})
}

// replays lists the recordings that the page offers for replay.
func (s *Server) replays(w http.ResponseWriter, _ *http.Request) error {
	names := []string{}
	for _, p := range s.opt.Replays {
		names = append(names, filepath.Base(p))
	}
	return writeJSON(w, 200, names)
}

// replay sends a recording. The client selects it by its index in the list, so the server never opens a path from a
// client.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) error {
	k, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || k < 0 || k >= len(s.opt.Replays) {
		return &httpError{http.StatusNotFound, fmt.Sprintf("there is no recording %q; GET /v1/replays lists them",
			r.PathValue("number"))}
	}
	f, err := os.Open(s.opt.Replays[k])
	if err != nil {
		return &httpError{http.StatusNotFound, fmt.Sprintf("the recording %s cannot be read",
			filepath.Base(s.opt.Replays[k]))}
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return errors.Join(err, &httpError{http.StatusNotFound, "the recording is not a file"})
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	http.ServeContent(w, r, "", st.ModTime(), f)
	return nil
}
