package onnx

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"rao"
	"rao/internal/format/archive"
	"rao/model"
)

// outputNames are the names of the outputs that can be requested.
var outputNames = []string{"label", "probabilities", "features"}

// ExportOptions are the options of [Export]. The zero value exports label and probabilities in double precision.
type ExportOptions struct {
	// Outputs selects some of label, probabilities and features. The default is label and probabilities, or features
	// for a model without a classifier.
	Outputs []string
	// Float32 exports all numbers in single precision, for runtimes without double precision. It is valid only for
	// models of vectors.
	Float32 bool
	// Condition is the largest condition number, relative to the means of the model, for which the logarithm of a
	// matrix is accurate, above 1 and at most 1e8; default 1e6. Larger values need more products and lose precision. It
	// is an error to set Condition for a graph without a logarithm.
	Condition float64
}

// Export compares the graph with the model on 40 random observations similar to the training data, and then writes the
// graph as an ONNX file to w. It returns an error, and writes nothing, if the results differ, an option is not valid,
// or the file would be larger than 2 GiB. If a part of the model cannot be expressed as a graph, the error names that
// part.
func Export(ctx context.Context, w io.Writer, m *model.Model, opt ExportOptions) error {
	given := opt.Condition
	g, err := build(m, &opt)
	if err != nil {
		return err
	}
	if given != 0 && !g.logarithms {
		return rao.Optionf("max-condition", "the graph of the %s model contains no logarithm of a matrix, so "+
			"{max-condition} has no effect; leave it out", m.Method)
	}
	if err := g.describe(m, &opt); err != nil {
		return err
	}
	if err := g.check(ctx, m); err != nil {
		return err
	}
	if size := g.bytes(); size >= largestFile {
		return fmt.Errorf("the numbers of the graph need %d bytes, but an ONNX file can contain at most %d; use "+
			"fewer training rows or filters", size, largestFile)
	}
	_, err = w.Write(g.encode(rao.Version))
	return err
}

// WriteFile writes the ONNX file of [Export] to path, completely or not at all. It returns the errors of [Export], and
// an error if the file cannot be written.
func WriteFile(ctx context.Context, path string, m *model.Model, opt ExportOptions) error {
	return archive.WriteFile(path, func(w io.Writer) error { return Export(ctx, w, m, opt) })
}

// largestFile is the size limit of a protocol buffer, minus some room for the data that are not numbers.
const largestFile = 1<<31 - 1<<22

func (o *ExportOptions) complete(m *model.Model) error {
	if o.Outputs == nil {
		o.Outputs = outputNames[:2]
		if m.Classifier == nil {
			o.Outputs = outputNames[2:]
		}
	}
	for _, name := range o.Outputs {
		switch {
		case !slices.Contains(outputNames, name):
			return fmt.Errorf("a graph has no output %q; choose from %s", name, strings.Join(outputNames, ", "))
		case name != "features" && m.Classifier == nil:
			return fmt.Errorf("the %s model has no classifier, so its graph has no output %q; use features",
				m.Method, name)
		}
	}
	if len(o.Outputs) == 0 {
		return fmt.Errorf("a graph needs at least one output; choose from %s", strings.Join(outputNames, ", "))
	}
	o.Condition = cmp.Or(o.Condition, 1e6)
	if !(o.Condition > 1 && o.Condition <= 1e8) {
		return rao.Optionf("max-condition", "{max-condition} is %g; it must be above 1 and at most 1e8", o.Condition)
	}
	return nil
}

func build(m *model.Model, opt *ExportOptions) (*graph, error) {
	if err := opt.complete(m); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	g := newGraph(opt.Float32)
	g.threshold = m.Threshold
	stages, cl := m.Stages, m.Classifier
	if m.Input.Kind == model.KindVectors {
		x, err := g.observations(m)
		if err != nil {
			return nil, err
		}
		z, err := rows{graph: g, x: x, dim: m.Input.Dim}.applyStages(stages)
		if err != nil {
			return nil, err
		}
		return g, g.finish(m, opt, z, nil, cl)
	}
	if opt.Float32 {
		return nil, fmt.Errorf("single precision works only for models of vectors; the %s model works on matrices, "+
			"so export it in double precision", m.Method)
	}
	g.inputs = []value{{"X", g.float, []int{-1, m.Input.Dim, m.Input.Dim}}}
	x := &matrices{graph: g, x: "X", n: m.Input.Dim, condition: opt.Condition}
	for i, stage := range stages {
		s := model.Unwrap(stage)
		if e := find(toVectors, s); e != nil {
			z, err := e.add(x, s)
			if err == nil {
				z, err = z.applyStages(stages[i+1:])
			}
			if err != nil {
				return nil, err
			}
			return g, g.finish(m, opt, z, x, cl)
		}
		e := find(matrixStages, s)
		if e == nil {
			return nil, unsupported(stage)
		}
		if _, err := e.add(x, s); err != nil {
			return nil, err
		}
	}
	return g, g.finishMatrices(m, opt, x, cl)
}

func (r rows) applyStages(stages []model.Stage) (rows, error) {
	for _, stage := range stages {
		s := model.Unwrap(stage)
		e := find(vectorStages, s)
		if e == nil {
			return r, unsupported(stage)
		}
		var err error
		if r, err = e.add(r, s); err != nil {
			return r, err
		}
	}
	return r, nil
}

// finish adds the outputs of a graph that ends in vectors. x contains the matrices from which the vectors were
// computed, or is nil for a model of vectors.
func (g *graph) finish(m *model.Model, opt *ExportOptions, z rows, x *matrices, cl model.Classifier) error {
	if cl != nil && wantsDecision(opt) {
		scores, err := z.scores(cl)
		if err != nil {
			return err
		}
		g.decide(scores, m.Classes)
	}
	if slices.Contains(opt.Outputs, "features") {
		if m.Features() == 0 {
			return fmt.Errorf("the %s model computes no features; leave them out of the outputs", m.Method)
		}
		g.output("features", z.value(), g.float, -1, z.dim)
	}
	g.keep(opt)
	g.valid(x)
	return nil
}

func (g *graph) finishMatrices(m *model.Model, opt *ExportOptions, x *matrices, cl model.Classifier) error {
	if slices.Contains(opt.Outputs, "features") {
		return fmt.Errorf("the %s model has no feature vectors that a graph can output; leave \"features\" out of the "+
			"outputs", m.Method)
	}
	scores, err := x.scores(cl)
	if err != nil {
		return err
	}
	g.decide(scores, m.Classes)
	g.keep(opt)
	g.valid(x)
	return nil
}

func wantsDecision(opt *ExportOptions) bool {
	return slices.Contains(opt.Outputs, "label") || slices.Contains(opt.Outputs, "probabilities")
}

// keep removes the outputs that were not requested.
func (g *graph) keep(opt *ExportOptions) {
	g.outputs = slices.DeleteFunc(g.outputs, func(v value) bool { return !slices.Contains(opt.Outputs, v.name) })
}

// valid adds the output that reports whether the logarithms are accurate.
func (g *graph) valid(x *matrices) {
	if x == nil || len(x.residuals) == 0 {
		return
	}
	worst := x.residuals[0]
	for _, r := range x.residuals[1:] {
		pair := g.op("Sub", worst, r) // max(a, b) = (a + b + |a - b|)/2, or NaN if a or b is NaN
		worst = g.op("Mul", g.op("Add", g.op("Add", worst, r), g.op("Abs", pair)), g.scalar(0.5))
	}
	g.logarithms = true
	g.output("valid", g.op("Less", worst, g.scalar(validTo)), boolKind, -1)
}

// describe sets the metadata of the graph: versions, classes, inputs and the digest of the model file.
func (g *graph) describe(m *model.Model, opt *ExportOptions) error {
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return err
	}
	classes, err := json.Marshal(m.Classes)
	if err != nil {
		return err
	}
	g.metadata = [][2]string{
		{"rao_version", rao.Version},
		{"method", m.Method},
		{"classes", string(classes)},
		{"model_sha256", fmt.Sprintf("%x", sha256.Sum256(file.Bytes()))},
	}
	for name, v := range map[string]any{"columns": m.Input.Columns, "channels": m.Input.Channels,
		"recipe": m.Input.Recipe} {
		if b, err := json.Marshal(v); err == nil && string(b) != "null" {
			g.metadata = append(g.metadata, [2]string{name, string(b)})
		}
	}
	if s := schema(m); s != "" {
		g.metadata = append(g.metadata, [2]string{"table", s})
	}
	if g.logarithms {
		g.metadata = append(g.metadata, [2]string{"condition", fmt.Sprint(opt.Condition)})
	}
	if m.Threshold > 0 {
		g.metadata = append(g.metadata, [2]string{"threshold", fmt.Sprint(m.Threshold)})
	}
	if m.RejectBelow > 0 {
		g.metadata = append(g.metadata, [2]string{"reject_below", fmt.Sprint(m.RejectBelow)})
	}
	slices.SortFunc(g.metadata, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return nil
}
