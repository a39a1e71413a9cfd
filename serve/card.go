package serve

import (
	"net/http"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/internal/modelinfo"
	"rao/internal/serve/forms"
	"rao/model"
	"rao/report"
)

// card describes a model to clients. The names in the JSON are stable.
type card struct {
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Versions []string  `json:"versions"`
	Date     time.Time `json:"date"` // modification time of the file
	modelinfo.Description
	Outputs  []string  `json:"outputs"`
	Updates  bool      `json:"updates"` // whether the server can update the model
	Pictures []picture `json:"pictures,omitempty"`
	Ellipses []ellipse `json:"ellipses,omitempty"` // Gaussians of the classes in the feature space
}

// picture is a figure with its title and description.
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
	c, err := cardOf(e)
	if err != nil {
		return err
	}
	c.Updates = s.opt.Update
	return writeJSON(w, 200, c)
}

func cardOf(e *entry) (*card, error) {
	c := &card{Name: e.name, Version: e.version, Versions: e.versions(), Date: e.stat.ModTime(),
		Description: modelinfo.Describe(e.model)}
	for _, o := range e.outputs {
		c.Outputs = append(c.Outputs, o.name)
	}
	return c, c.draw(e.model)
}

// draw adds the figures, and the Gaussians of the classes in the feature space.
func (c *card) draw(m *model.Model) error {
	figures, err := report.Learned(m, c.Name)
	if err != nil {
		return err
	}
	for _, f := range figures {
		c.Pictures = append(c.Pictures, picture{f.Title, f.Alt, string(f.SVG())})
	}
	if classes, ok := forms.GaussiansOf(m.Classifier); ok && classes.Single() {
		c.Ellipses = make([]ellipse, len(m.Classes))
		for i := range c.Ellipses {
			c.Ellipses[i] = ellipseOf(classes.Means.RawRowView(i), classes.Covariances.Sym(i))
		}
	}
	return nil
}

// drawnFeatures is how many of the first features a page can plot.
const drawnFeatures = 16

// ellipse is the Gaussian of a class in the space of the first features.
type ellipse struct {
	Mean       []float64   `json:"mean"`
	Covariance [][]float64 `json:"covariance"`
}

func ellipseOf(mean []float64, cov mat.Symmetric) ellipse {
	n := min(len(mean), drawnFeatures)
	e := ellipse{Mean: mean[:n], Covariance: make([][]float64, n)}
	for i := range n {
		for j := range n {
			e.Covariance[i] = append(e.Covariance[i], cov.At(i, j))
		}
	}
	return e
}
