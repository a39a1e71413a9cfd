package serve

import (
	"net/http"
	"time"

	"rao/model"
	"rao/report"
)

// card is what a server says of a model; its JSON names do not change.
type card struct {
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Versions []string  `json:"versions"`
	Date     time.Time `json:"date"` // of the file
	model.Description
	Outputs  []string  `json:"outputs"`
	Updates  bool      `json:"updates"` // the server lets it learn
	Pictures []picture `json:"pictures,omitempty"`
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
	c := &card{Name: e.name, Version: e.version, Versions: e.versions(), Date: e.stat.ModTime(),
		Description: model.Describe(e.model)}
	for _, o := range e.outputs {
		c.Outputs = append(c.Outputs, o.name)
	}
	c.draw(e.model)
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
