// Package decisionrecord formats decisions for output by the tool and the server.
package decisionrecord

import (
	"strconv"
	"time"

	"rao/internal/text"
	"rao/model"
)

// Record is a decision in the format that other programs read. The tool prints it, and the server sends it to
// listeners. The JSON names must not change.
type Record struct {
	At          int64     `json:"at"` // number of the observation, or number of samples up to the end of the window
	Label       string    `json:"label"`
	Probability float64   `json:"probability"`
	Rejected    bool      `json:"rejected"`
	Outlier     bool      `json:"outlier"`
	LatencyMs   float64   `json:"latency_ms"`
	Posterior   []float64 `json:"posterior,omitempty"` // in the order of the classes
	Artifact    bool      `json:"artifact,omitempty"`  // the decision was rejected because of an artifact in its signal
}

// Of returns the record of a decision that took the given time. classes are the names of the classes.
func Of(d *model.Decision, classes []string, took time.Duration) Record {
	return Record{At: d.At, Label: classes[d.Label], Probability: d.Probability, Rejected: d.Rejected,
		Outlier: d.Outlier, LatencyMs: float64(took) / float64(time.Millisecond)}
}

// State returns how the decision ended: decided, rejected, outlier or artifact.
func (r *Record) State() string {
	switch {
	case r.Artifact:
		return "artifact"
	case r.Outlier:
		return "outlier"
	case r.Rejected:
		return "rejected"
	}
	return decided
}

const decided = "decided"

// AppendFields appends the fields of the JSON object without its braces. It allocates only if dst
// has to grow.
func (r *Record) AppendFields(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `"at":`...), r.At, 10)
	dst = text.AppendString(append(dst, `,"label":`...), r.Label)
	dst = text.AppendNumber(append(dst, `,"probability":`...), r.Probability)
	dst = strconv.AppendBool(append(dst, `,"rejected":`...), r.Rejected)
	dst = strconv.AppendBool(append(dst, `,"outlier":`...), r.Outlier)
	dst = text.AppendNumber(append(dst, `,"latency_ms":`...), r.LatencyMs)
	if r.Posterior != nil {
		dst = append(dst, `,"posterior":[`...)
		for i, v := range r.Posterior {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = text.AppendNumber(dst, v)
		}
		dst = append(dst, ']')
	}
	if r.Artifact {
		dst = append(dst, `,"artifact":true`...)
	}
	return dst
}

// AppendText appends the decision as a line of text without a line end. It allocates only if dst
// has to grow.
func (r *Record) AppendText(dst []byte) []byte {
	dst = append(strconv.AppendInt(dst, r.At, 10), '\t')
	dst = append(append(dst, r.Label...), '\t')
	dst = append(strconv.AppendFloat(dst, r.Probability, 'f', 4, 64), '\t')
	dst = append(strconv.AppendFloat(dst, r.LatencyMs, 'f', 3, 64), " ms"...)
	if state := r.State(); state != decided {
		dst = append(append(dst, '\t'), state...)
	}
	return dst
}
