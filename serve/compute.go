package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/naming"
	"rao/model"
	"rao/spd"
)

// output describes an output tensor of a model, without the axis of observations.
type output struct {
	name, datatype string
	shape          []int
}

// distances is a classifier of matrices that returns distances to its means.
type distances interface {
	Distances(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

func outputsOf(m *model.Model) ([]output, error) {
	if m.Target() != "" {
		return []output{{"value", "FP64", nil}}, nil
	}
	if m.Classifier == nil {
		return nil, errors.New("the model has no classifier; fit it with one")
	}
	out := []output{{"label", "BYTES", nil}, {"posterior", "FP64", []int{len(m.Classes)}}, {"rejected", "BOOL", nil},
		{"outlier", "BOOL", nil}}
	if m.Features() > 0 {
		z, err := m.Output()
		if err != nil {
			return nil, err
		}
		shape := []int{z.Dim}
		if z.Kind == model.KindMatrices {
			shape = []int{z.Dim, z.Dim}
		}
		out = append(out, output{"features", "FP64", shape})
	}
	if _, ok := m.Classifier.(distances); ok {
		out = append(out, output{"distance", "FP64", []int{-1}})
	}
	return out, nil
}

// batchOf converts inputs to observations. The inputs are either the tensor X or one tensor for each column of the
// model.
func (e *entry) batchOf(inputs []tensor, own *share) (model.Batch, error) {
	m := e.model
	if f := e.form(); f != nil && (len(inputs) > 1 || len(inputs) == 1 && inputs[0].Name != inputName) {
		return e.tensorsByForm(inputs, f, own)
	}
	for _, t := range inputs {
		if t.Text != nil {
			return model.Batch{}, badRequest("input %q contains text, but the model needs numbers", t.Name)
		}
	}
	if len(inputs) == 1 && (inputs[0].Name == inputName || len(inputs[0].Shape) > 1) {
		t := inputs[0]
		if t.Name != inputName {
			return model.Batch{}, badRequest("the model has no input %q; its input is %q", t.Name, inputName)
		}
		return e.observations(t.Shape, t.Data, nil)
	}
	if len(inputs) == 0 {
		return model.Batch{}, badRequest("there is no input; the model needs %q of shape [N, "+
			"%d]", inputName, m.Input.Dim)
	}
	if m.Input.Kind == model.KindMatrices {
		return model.Batch{}, badRequest("there are %d inputs; the model needs all matrices in one input, %q of "+
			"shape [N, %d, %d]",
			len(inputs), inputName, m.Input.Dim, m.Input.Dim)
	}
	n := len(inputs[0].Data)
	names := make([]string, len(inputs))
	if err := own.reserveEach(max(n, 1), 8*len(inputs)); err != nil {
		return model.Batch{}, err
	}
	x := mat.NewDense(max(n, 1), len(inputs), nil)
	for j, t := range inputs {
		if len(t.Data) != n {
			return model.Batch{}, badRequest("input %q has %d values, but input %q has %d; send the same number of "+
				"values for each column",
				t.Name, len(t.Data), inputs[0].Name, n)
		}
		names[j] = t.Name
		for i, v := range t.Data {
			x.Set(i, j, v)
		}
	}
	return e.observations([]int{n, len(inputs)}, x.RawMatrix().Data, names)
}

// observations converts numbers to N vectors, N images or N matrices, as the model expects. For a single observation
// the first axis may be missing.
func (e *entry) observations(shape []int, data []float64, columns []string) (model.Batch, error) {
	in := e.model.Input
	want := []int{in.Dim}
	if in.Kind == model.KindMatrices {
		want = []int{in.Dim, in.Dim}
	}
	switch {
	case len(shape) == len(want): // the first axis is missing
		shape = append([]int{1}, shape...)
	case in.Kind == model.KindVectors && in.Image[0] > 0 && len(shape) >= 3: // the observations are images
		rest := shape[1:]
		if image := in.Image[:]; slices.Equal(rest, image) || image[2] == 1 && slices.Equal(rest, image[:2]) {
			shape = []int{shape[0], in.Dim}
		}
	}
	if in.Columns == nil && len(columns) > 1 {
		return model.Batch{}, badRequest("the columns %s cannot be matched by name, because the model was fitted "+
			"to columns without names; send the values without names, in the order of the training "+
			"data", naming.List(columns))
	}
	known := columns != nil && in.Columns != nil // match columns by name, not by position
	if len(shape) != 1+len(want) || !known && !slices.Equal(shape[1:], want) {
		return model.Batch{}, badRequest("the observations have shape [%s]; the model needs [N, %s]",
			join(shape), join(want))
	}
	if shape[0] == 0 {
		return model.Batch{}, badRequest("there are no observations; send at least one")
	}
	if in.Kind == model.KindMatrices {
		if adapts(e.model) && shape[0] == 1 {
			return model.Batch{}, badRequest("the model adapts to complete recordings; send the matrices of a " +
				"recording in one request, or open a stream")
		}
		x := spd.StackOf(shape[0], in.Dim, data)
		if err := x.Verify(); err != nil {
			return model.Batch{}, badRequest("%v", err)
		}
		return model.Matrices(x), nil
	}
	b := model.Vectors(mat.NewDense(shape[0], shape[1], data))
	b.Columns = columns
	return b, nil
}

// adapts reports whether the model treats the matrices of a call as one recording.
func adapts(m *model.Model) bool {
	return slices.ContainsFunc(m.Stages, func(s model.Stage) bool {
		_, ok := s.(*model.Adaptation)
		return ok
	})
}

func join(shape []int) string {
	text := ""
	for i, d := range shape {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(d)
	}
	return text
}

// boundRows returns an error if a request contains too many observations.
func (s *Server) boundRows(b model.Batch) error {
	if b.Len() > s.opt.MaxRows {
		return &httpError{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("%d observations are more than the limit of %d per request; send several "+
				"requests", b.Len(), s.opt.MaxRows)}
	}
	return nil
}

// mostNumbers returns the limit for the number of values in the observations of a request.
func (s *Server) mostNumbers(e *entry) int {
	return s.opt.MaxRows * min(e.numbers(), math.MaxInt/s.opt.MaxRows)
}

// numbers returns the number of values in one observation.
func (e *entry) numbers() int {
	if e.model.Input.Kind == model.KindMatrices {
		return e.model.Input.Dim * e.model.Input.Dim
	}
	return e.model.Input.Dim
}

// compute waits for its turn, computes the outputs and returns them by name.
func (s *Server) compute(ctx context.Context, w http.ResponseWriter, e *entry, b model.Batch,
	names []string) (map[string]*tensor, error) {
	for _, name := range names {
		if !slices.ContainsFunc(e.outputs, func(o output) bool { return o.name == name }) {
			known := make([]string, len(e.outputs))
			for i, o := range e.outputs {
				known[i] = o.name
			}
			return nil, badRequest("the model has no output %q; its outputs are %s", name, strings.Join(known, ", "))
		}
	}
	if err := s.boundRows(b); err != nil {
		return nil, err
	}
	if err := shareOf(w).reserveEach(b.Len(), e.rowMemory(names...)); err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	out := map[string]*tensor{}
	for _, name := range names {
		if out[name] != nil {
			continue
		}
		switch name {
		case "value":
			out[name], err = valuesOf(ctx, e.model, b)
		case "features":
			out[name], err = featuresOf(ctx, e.model, b)
		case "distance":
			out[name], err = distancesOf(ctx, e.model, b)
		default:
			err = s.decide(ctx, e, b, out)
		}
		if err != nil {
			return nil, err
		}
	}
	if r, ok := w.(*recorder); ok {
		r.rows += b.Len()
	}
	return out, nil
}

// rowMemory returns an upper bound of the bytes per observation that computing the outputs needs, including
// intermediate results.
func (e *entry) rowMemory(names ...string) int {
	matrices := e.model.Input.Kind == model.KindMatrices
	total, decided := 0, false
	for _, o := range e.outputs {
		if !slices.Contains(names, o.name) {
			continue
		}
		size := 16
		if o.datatype == "FP64" {
			for _, d := range o.shape {
				size *= max(d, 1)
			}
		}
		total += size + 24
		again := o.name == "distance" || matrices && o.name == "features"
		if again || matrices && !decided { // matrices are processed all at once, vectors in blocks
			total, decided = total+16*e.numbers(), decided || !again
		}
	}
	return total
}

// valuesOf returns the numbers that a regression model predicts.
func valuesOf(ctx context.Context, m *model.Model, b model.Batch) (*tensor, error) {
	v, err := m.Values(ctx, b)
	if err != nil {
		return nil, err
	}
	return &tensor{Name: "value", Datatype: "FP64", Shape: []int{len(v)}, Data: v}, nil
}

// decide computes the outputs label, posterior, rejected and outlier.
func (s *Server) decide(ctx context.Context, e *entry, b model.Batch, out map[string]*tensor) error {
	p, err := s.predictOn(ctx, e, b)
	if err != nil {
		return err
	}
	n, c := len(p.Label), len(e.model.Classes)
	label := &tensor{Name: "label", Datatype: "BYTES", Shape: []int{n}, Text: make([]string, n)}
	posterior := &tensor{Name: "posterior", Datatype: "FP64", Shape: []int{n, c}, Data: make([]float64, n*c)}
	rejected := &tensor{Name: "rejected", Datatype: "BOOL", Shape: []int{n}, Data: make([]float64, n)}
	outlier := &tensor{Name: "outlier", Datatype: "BOOL", Shape: []int{n}, Data: make([]float64, n)}
	for i, k := range p.Label {
		label.Text[i] = e.model.Classes[k]
		for j, v := range p.LogPosterior.RawRowView(i) {
			posterior.Data[i*c+j] = math.Exp(v)
		}
		rejected.Data[i], outlier.Data[i] = truth(p.Rejected[i]), truth(p.Outlier[i])
	}
	for _, t := range []*tensor{label, posterior, rejected, outlier} {
		out[t.Name] = t
	}
	return nil
}

// predictOn classifies the observations and counts them in the metrics.
func (s *Server) predictOn(ctx context.Context, e *entry, b model.Batch) (*model.Prediction, error) {
	p, err := e.drift.Predict(ctx, b)
	if err != nil {
		return nil, err
	}
	s.metrics.decided(e.name, p)
	return p, nil
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// featuresOf returns the features that the stages compute from the observations.
func featuresOf(ctx context.Context, m *model.Model, b model.Batch) (*tensor, error) {
	z, err := m.Transform(ctx, b)
	if err != nil {
		return nil, err
	}
	t := &tensor{Name: "features", Datatype: "FP64"}
	if z.Stack != nil {
		t.Shape, t.Data = []int{z.Stack.Count, z.Stack.Dim, z.Stack.Dim}, z.Stack.Contiguous()
		return t, nil
	}
	x := mat.DenseCopyOf(z.X)
	n, d := x.Dims()
	t.Shape, t.Data = []int{n, d}, x.RawMatrix().Data
	return t, nil
}

// distancesOf returns the distances of each observation to all means.
func distancesOf(ctx context.Context, m *model.Model, b model.Batch) (*tensor, error) {
	b, err := m.AtClassifier(ctx, b)
	if err != nil {
		return nil, err
	}
	var d mat.Dense
	if err := m.Classifier.(distances).Distances(ctx, &d, b.Stack); err != nil {
		return nil, err
	}
	n, k := d.Dims()
	return &tensor{Name: "distance", Datatype: "FP64", Shape: []int{n, k}, Data: d.RawMatrix().Data}, nil
}
