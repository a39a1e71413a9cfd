package serve

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"

	"rao/model"
)

// predictValues answers with the numbers that a regression predicts, as JSON or, by the header
// Accept, as CSV.
func (s *Server) predictValues(w http.ResponseWriter, r *http.Request, e *entry, b model.Batch) error {
	out, err := s.compute(r.Context(), w, e, b, []string{"value"})
	if err != nil {
		return err
	}
	values, target := out["value"].Data, e.model.Target()
	if strings.Contains(r.Header.Get("Accept"), "text/csv") {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		c := csv.NewWriter(w)
		lines := [][]string{{target}}
		for _, v := range values {
			lines = append(lines, []string{strconv.FormatFloat(v, 'g', -1, 64)})
		}
		return c.WriteAll(lines)
	}
	dst := append(appendText([]byte(`{"model":`), e.name), `,"version":`...)
	dst = append(appendText(dst, e.version), `,"target":`...)
	dst = append(appendText(dst, target), `,"predictions":[`...)
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendNumber(append(dst, `{"value":`...), v), '}')
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(dst, "]}\n"...))
	return err
}
