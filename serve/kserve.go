package serve

import (
	"net/http"
	"strings"

	"rao/internal/text"
)

// listModels lists the names of the models.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) error {
	names := s.models.Names()
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		return writeJSON(w, http.StatusOK, map[string][]string{"models": append([]string{}, names...)})
	}
	type listed struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
	}
	list := []listed{}
	for _, e := range s.newest() {
		list = append(list, listed{e.name, e.versions()})
	}
	return writeJSON(w, http.StatusOK, map[string]any{"models": list})
}

// instances answers POST /v1/models/NAME:predict of version 1 of KServe's protocol:
// {"instances": [[...], ...]} or {"instances": [{"column": value, ...}, ...]} gives {"predictions": [...]}, the
// label of each, or the value of a regression.
func (s *Server) instances(w http.ResponseWriter, r *http.Request) error {
	name, verb, _ := strings.Cut(r.PathValue("model"), ":")
	if verb != "predict" {
		return &httpError{http.StatusNotFound, "POST /v1/models/NAME:predict, with {\"instances\": [...]}, gives " +
			"predictions; there is no other verb"}
	}
	e, err := s.models.find(name, "")
	if err != nil {
		return err
	}
	b, err := s.readObservations(w, e, r, nil)
	if err != nil {
		return err
	}
	to := &sink{w: w, b: []byte(`{"predictions":[`)}
	if e.model.Target() != "" {
		out, err := s.compute(r.Context(), w, e, b, []string{"value"})
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		for i, v := range out["value"].Data {
			if i > 0 {
				to.b = append(to.b, ',')
			}
			if to.b = text.AppendNumber(to.b, v); !to.spill() {
				break
			}
		}
	} else {
		p, err := s.turn(w, r, e, b)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		for i, k := range p.Label {
			if i > 0 {
				to.b = append(to.b, ',')
			}
			if to.b = text.AppendString(to.b, e.model.Classes[k]); !to.spill() {
				break
			}
		}
	}
	to.b = append(to.b, "]}\n"...)
	return to.flush()
}
