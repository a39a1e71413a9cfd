package serve

import (
	"errors"
	"fmt"
	"net/http"

	"rao/internal/serve/explain"
	"rao/report"
)

// explainedMemory is the number of bytes reserved for the pictures of an explanation.
const explainedMemory = 256 << 10

// explainedRows is the largest number of observations that one request can explain.
const explainedRows = 256

func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	e, b, err := s.given(w, r)
	if err != nil {
		return err
	}
	if b.Len() > explainedRows {
		return badRequest("%d observations are more than the limit of %d for explanations; send several "+
			"requests", b.Len(), explainedRows)
	}
	if err := shareOf(w).reserveEach(b.Len(), explainedMemory+64*e.model.Input.Dim*len(e.model.Classes)); err != nil {
		return err
	}
	p, err := s.turn(w, r, e, b)
	if err != nil {
		return err
	}
	items, err := explain.All(r.Context(), e.model, b, p)
	if err != nil {
		status := http.StatusInternalServerError
		if errors.As(err, new(*explain.UnsupportedError)) {
			status = http.StatusNotImplemented
		}
		return &httpError{status, err.Error()}
	}
	drawn := make([]explained, len(items))
	for i := range items {
		drawn[i].Explanation = &items[i]
		drawn[i].draw()
	}
	answer := map[string]any{"model": e.name, "version": e.version, "items": drawn}
	if columns := e.model.Input.Columns; columns != nil {
		answer["columns"] = columns // names of the input values
	}
	return writeJSON(w, 200, answer)
}

// explained is an explanation with scalp maps, if the channels are electrodes.
type explained struct {
	*explain.Explanation
	Pictures []picture `json:"pictures,omitempty"`
}

// mostSources is the largest number of sources that are drawn.
const mostSources = 6

func (x *explained) draw() {
	for _, p := range x.Prototypes {
		var names []string
		for j := range p.Patterns {
			names = append(names, fmt.Sprintf("%s %+.2g", p.Class, p.LogRatios[j]))
		}
		x.scalp("How the matrix differs from the prototype of "+p.Class, p.Channels, p.Patterns, names)
	}
	if len(x.Sources) == 0 {
		return
	}
	var maps [][]float64
	var names []string
	for _, t := range x.Sources[:min(len(x.Sources), mostSources)] {
		maps, names = append(maps, t.Pattern), append(names, fmt.Sprintf("%s: %+.2g", t.Class, t.LogOdds))
	}
	x.scalp("The most informative sources, and the log-odds that each adds", x.Sources[0].Channels, maps, names)
}

// scalp adds scalp maps if the channels are electrodes.
func (x *explained) scalp(title string, channels []string, maps [][]float64, names []string) {
	if channels == nil || len(maps) == 0 {
		return
	}
	f, err := report.ScalpMap(title, channels, maps, names, report.ScalpOptions{Separate: true})
	if err != nil {
		return // the channels are not electrodes
	}
	x.Pictures = append(x.Pictures, picture{title, f.Alt, string(f.SVG())})
}
