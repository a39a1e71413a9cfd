package serve

import (
	"net/http"
	"strings"

	"rao/internal/predictions"
	"rao/internal/text"
	"rao/model"
)

// predictValues answers with the numbers that a regression model predicts as JSON, or as CSV if the Accept header asks
// for it.
func (s *Server) predictValues(w http.ResponseWriter, r *http.Request, e *entry, b model.Batch) error {
	out, err := s.compute(r.Context(), w, e, b, []string{"value"})
	if err != nil {
		return err
	}
	values := out["value"].Data
	if strings.Contains(r.Header.Get("Accept"), "text/csv") {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		c := predictions.NewValuesCSV(w, e.model)
		if err := c.Add(values, nil); err != nil {
			return err
		}
		return c.Close()
	}
	to := e.answer(w)
	to.b = append(text.AppendString(append(to.b, `,"target":`...), e.model.Target()), `,"predictions":`...)
	to.list(len(values), func(dst []byte, i int) []byte {
		return append(text.AppendNumber(append(dst, `{"value":`...), values[i]), '}')
	})
	to.b = append(to.b, "}\n"...)
	return to.flush()
}
