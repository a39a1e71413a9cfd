package serve

import (
	"net/http"
	"strings"

	"rao/internal/text"
)

// listModels answers with the names of the models. The list includes their versions, except under /v1/.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) error {
	names := s.models.names()
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

// instances answers POST /v1/models/NAME:predict of version 1 of KServe's protocol. The body is {"instances": [[...],
// ...]} or {"instances": [{"column": value, ...}, ...]}. The answer is {"predictions": [...]} with one label or
// regression value per instance.
func (s *Server) instances(w http.ResponseWriter, r *http.Request) error {
	name, verb, _ := strings.Cut(r.PathValue("model"), ":")
	if verb != "predict" {
		return &httpError{http.StatusNotFound, "the only supported action is POST /v1/models/NAME:predict with " +
			"{\"instances\": [...]}"}
	}
	e, err := s.models.find(name, "")
	if err != nil {
		return err
	}
	b, err := s.readObservations(w, e, r, nil)
	if err != nil {
		return err
	}
	if e.model.Target() != "" {
		out, err := s.compute(r.Context(), w, e, b, []string{"value"})
		if err != nil {
			return err
		}
		return writePredictions(w, out["value"].Data, text.AppendNumber)
	}
	p, err := s.turn(w, r, e, b)
	if err != nil {
		return err
	}
	return writePredictions(w, p.Label, func(dst []byte, k int) []byte {
		return text.AppendString(dst, e.model.Classes[k])
	})
}

// writePredictions writes {"predictions": [...]} with one value for each element of the list.
func writePredictions[T any](w http.ResponseWriter, list []T, add func([]byte, T) []byte) error {
	w.Header().Set("Content-Type", "application/json")
	to := &sink{w: w, b: []byte(`{"predictions":`)}
	to.list(len(list), func(dst []byte, i int) []byte { return add(dst, list[i]) })
	to.b = append(to.b, "}\n"...)
	return to.flush()
}
