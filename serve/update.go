package serve

import (
	"net/http"
	"slices"
	"strings"

	"rao/internal/text"
	"rao/model"
)

// update updates the model with labeled observations: {"X": ..., "y": ["left", ...]}. It replaces the model in memory
// but not in its file.
func (s *Server) update(w http.ResponseWriter, r *http.Request) error {
	if !s.opt.Update {
		return &httpError{http.StatusForbidden,
			"this server does not update models; start it with the option allow-update"}
	}
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	var given []string
	b, err := s.readObservations(w, e, r, func(sc *scanner, name string) (bool, error) {
		if name != "y" {
			return false, nil
		}
		return true, sc.decode(&given)
	})
	if err != nil {
		return err
	}
	if len(given) != b.Len() {
		return badRequest("y has %s, but there are %d observations; send one label per observation",
			text.Plural(len(given), "label", "labels"), b.Len())
	}
	labels := make([]int, len(given))
	for i, l := range given {
		if labels[i] = slices.Index(e.model.Classes, l); labels[i] < 0 {
			return badRequest("label %d is %q, which is not one of the classes %s; send only labels of these classes",
				i, l, strings.Join(e.model.Classes, ", "))
		}
	}
	if err := shareOf(w).reserveEach(b.Len(), 16*e.numbers()); err != nil { // a model may keep a copy
		return err
	}
	leave, err := s.gate.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	next, err := s.models.learn(e, func(m *model.Model) (*model.Model, error) {
		return m.Update(r.Context(), b, labels)
	})
	if err != nil {
		return err
	}
	return writeJSON(w, 200, map[string]any{"model": next.name, "version": next.version, "learned": len(labels)})
}
