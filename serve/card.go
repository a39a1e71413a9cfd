package serve

import (
	"net/http"
	"time"

	"rao"
	"rao/model"
	"rao/recipe"
	"rao/report"
)

// card is what a model says of itself; its JSON names do not change.
type card struct {
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Versions []string          `json:"versions"`
	Date     time.Time         `json:"date"` // of the file
	Method   string            `json:"method"`
	Options  map[string]string `json:"options"`
	Classes  []string          `json:"classes"`
	Counts   []int             `json:"counts,omitempty"` // of the training
	Kind     model.Kind        `json:"kind"`
	Dim      int               `json:"dim"`
	Image    []int             `json:"image,omitempty"`
	Columns  []string          `json:"columns,omitempty"`
	Channels []string          `json:"channels,omitempty"`
	Recipe   *recipe.Recipe    `json:"recipe,omitempty"`
	Stages   []model.Part      `json:"stages"`
	Decides  *model.Part       `json:"classifier,omitempty"`
	Outputs  []string          `json:"outputs"`
	Digest   string            `json:"training_digest,omitempty"`
	Reject   float64           `json:"reject_below,omitempty"`
	Report   rao.Report        `json:"report"`
	Notes    []string          `json:"notes,omitempty"`
	Updates  bool              `json:"updates"` // the server lets it learn
	Pictures []picture         `json:"pictures,omitempty"`
}

// picture is a figure of what the model learned.
type picture struct {
	Title string `json:"title"`
	Alt   string `json:"alt"`
	SVG   string `json:"svg"`
}

func (s *Server) card(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	c := cardOf(e)
	c.Updates = s.opt.Update
	return writeJSON(w, 200, c)
}

func cardOf(e *entry) *card {
	m := e.model
	c := &card{Name: e.name, Version: e.version, Versions: e.versions(), Date: e.stat.ModTime(), Method: m.Method,
		Options: map[string]string{},
		Classes: m.Classes, Counts: m.Training.Counts, Kind: m.Input.Kind, Dim: m.Input.Dim, Columns: m.Input.Columns,
		Channels: m.Input.Channels,
		Recipe:   m.Input.Recipe, Digest: m.Training.Digest, Reject: m.RejectBelow, Report: m.Report, Notes: m.Notes}
	if m.Input.Image[0] > 0 {
		c.Image = m.Input.Image[:]
	}
	for _, o := range m.Options {
		c.Options[o.Name] = o.Value
	}
	c.Stages, c.Decides = m.Parts()
	for _, o := range e.outputs {
		c.Outputs = append(c.Outputs, o.name)
	}
	c.draw(m)
	return c
}

// draw adds the figures.
func (c *card) draw(m *model.Model) {
	f := m.Filters()
	if f == nil {
		return
	}
	shape := m.Input.Image
	if n, _ := f.Dims(); shape[0]*shape[1]*max(1, shape[2]) != n {
		return
	}
	figure := report.FilterImages("Filters", f, shape)
	c.Pictures = append(c.Pictures, picture{"Filters", figure.Alt, string(figure.SVG())})
}
