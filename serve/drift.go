package serve

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"rao/internal/examine"
	"rao/model"
)

// driftMemory is the number of newer observations after which the weight of an observation is 1/e.
const driftMemory = 1000

// driftEnough is the number of observations that must arrive before drift is reported.
const driftEnough = 95

// driftSeries limits the number of columns or channels that have a series of their own in /metrics.
const driftSeries = 256

// labelValue escapes a label value for Prometheus.
var labelValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// newest returns the newest version of each model, sorted by name.
func (s *Server) newest() []*entry {
	var all []*entry
	for _, name := range s.models.names() {
		if e, err := s.models.find(name, ""); err == nil { // the model may have been removed in the meantime
			all = append(all, e)
		}
	}
	return all
}

// writeDrift appends the metrics that compare recent observations with the training data.
func (s *Server) writeDrift(b *bytes.Buffer) {
	var labels, largest, shifts, missing, unseen bytes.Buffer
	head(&labels, "rao_drift", "gauge",
		"total variation between the label proportions and those of the training data, 0 to 1")
	head(&largest, "rao_shift_largest", "gauge", "largest of the shifts of all columns or channels, without its sign")
	head(&shifts, "rao_shift", "gauge", "shift of the mean of a column, or of the logarithm of a channel's power, in "+
		"standard deviations of the training data")
	head(&missing, "rao_missing_excess", "gauge",
		"share of rows without a value in a column, minus the share in the training data")
	head(&unseen, "rao_unseen", "gauge", "share of rows with a text in a column that is not in the training data")
	for _, e := range s.newest() {
		d := e.drift.Drift()
		if d.N < driftEnough {
			continue
		}
		if slices.ContainsFunc(e.model.Training.Counts, func(n int) bool { return n > 0 }) { // the shares are known
			fmt.Fprintf(&labels, "rao_drift{model=%q} %g\n", e.name, d.Balance)
		}
		for _, c := range d.Columns[:min(len(d.Columns), driftSeries)] {
			name := labelValue.Replace(c.Name)
			fmt.Fprintf(&missing, "rao_missing_excess{model=%q,name=\"%s\"} %g\n", e.name, name, examine.Excess(&c))
			fmt.Fprintf(&unseen, "rao_unseen{model=%q,name=\"%s\"} %g\n", e.name, name, c.Unseen)
		}
		if len(d.Values) == 0 {
			continue
		}
		most := 0.0
		for _, c := range d.Values {
			most = max(most, math.Abs(c.Shift))
			if len(d.Values) <= driftSeries {
				fmt.Fprintf(&shifts, "rao_shift{model=%q,name=\"%s\"} %g\n", e.name, labelValue.Replace(c.Name),
					c.Shift)
			}
		}
		fmt.Fprintf(&largest, "rao_shift_largest{model=%q} %g\n", e.name, most)
	}
	for _, part := range []*bytes.Buffer{&labels, &largest, &shifts, &missing, &unseen} {
		b.Write(part.Bytes())
	}
}

// driftView is the answer of GET /v1/models/{model}/drift. The names in the JSON are stable.
type driftView struct {
	Model string `json:"model"`
	*model.Drift
	Outliers *float64 `json:"outliers"` // null before the first observation
	Balance  *float64 `json:"balance"`
}

// showDrift answers with the comparison of recent observations with the training data. Columns with the largest shifts
// come first.
func (s *Server) showDrift(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	v := driftView{Model: e.name, Drift: e.drift.Drift()}
	examine.SortByShift(v.Drift)
	if v.Drift.N > 0 {
		v.Outliers, v.Balance = &v.Drift.Outliers, &v.Drift.Balance
	}
	return writeJSON(w, http.StatusOK, v)
}
