package worker

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/datapart"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/modelinfo"
	"rao/internal/par"
	"rao/internal/posteriors"
	"rao/internal/privacy"
	"rao/internal/provenance"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

// operation answers a request. Reply fields that are nil are left out.
type operation func(ctx context.Context, s *server, q *Request) (*Reply, error)

var operations map[string]operation

func init() {
	operations = map[string]operation{
		"hello":         hello,
		"fit":           fit,
		"regress":       regress,
		"load":          load,
		"free":          free,
		"predict":       predict,
		"transform":     transform,
		"update":        update,
		"spatial":       spatial,
		"export_onnx":   exportONNX,
		"open_decoder":  openDecoder,
		"push":          push,
		"observe":       observe,
		"mark":          mark,
		"restart":       restart,
		"learn":         learn,
		"decoder_model": decoderModel,
		"distances":     distances,
		"distance":      onMatrices(distance),
		"mean":          onMatrices(mean),
		"tangent":       tangent,
		"untangent":     untangent,
		"covariances":   covariances,
		"measures":      measures,
		"scores":        scores,
		"pair_test":     pairTest,
		"compare":       compare,
		"tune":          tune,
		"study":         runStudy,
		"list_sets":     listSets,
		"fetch_set":     fetchSet,
		"open_set":      openSet,
		"make_set":      makeSet,
		"manova":        manova,
		"distinct":      distinct,
		"embed":         onMatrices(embed),
		"kmeans":        onMatrices(kmeans),
		"mean_shift":    onMatrices(meanShift),
		"mixture":       onMatrices(mixture),
		"posterior":     onMatrices(mixturePosterior),
		"potato":        findArtifacts,
		"align":         align,
		"gaussian":      riemannGaussian,
		"statistics":    statistics,
		"merge":         merge,
		"dissimilarity": dissimilarity,
		"save_stats":    saveStatistics,
		"load_stats":    loadStatistics,
		"private":       private,
		"merge_private": mergePrivate,
		"load_private":  loadPrivate,
	}
}

func hello(_ context.Context, s *server, _ *Request) (*Reply, error) {
	return &Reply{Info: map[string]any{"protocol": Protocol, "version": s.opt.Version}}, nil
}

// modelInfo describes a model to the caller. The JSON names must not change.
type modelInfo struct {
	Model int `json:"model"`
	modelinfo.Description
	Seconds float64 `json:"seconds"` // of the fit
}

// keep stores the model under a number and describes it. The arrays of the reply are the filters (dimensions ×
// filters), if the model has filters, and the model file, if withFile is true.
func (s *server) keep(m *model.Model, withFile bool) (*Reply, error) {
	s.last++
	s.models[s.last] = m
	info := modelInfo{Model: s.last, Description: modelinfo.Describe(m), Seconds: m.Seconds.Fit + m.Seconds.Statistics}
	r := &Reply{Info: info}
	if f := m.Filters(); f != nil {
		r.Arrays = append(r.Arrays, denseArray("filters", f))
	}
	if withFile {
		file, err := fileArray("file", m)
		if err != nil {
			return nil, err
		}
		r.Arrays = append(r.Arrays, file)
	}
	return r, nil
}

// fileArray returns the bytes of a model file or of a file of private statistics.
func fileArray(name string, m interface{ Write(io.Writer) error }) (Array, error) {
	var file bytes.Buffer
	err := m.Write(&file)
	return Array{name, "|u1", []int{file.Len()}, file.Bytes()}, err
}

func (s *server) model(q *Request) (*model.Model, error) {
	m := s.models[q.Model]
	if m == nil {
		return nil, fmt.Errorf("there is no model %d in the worker; load the model first", q.Model)
	}
	return m, nil
}

// load reads a model from the array "file".
func load(_ context.Context, s *server, q *Request) (*Reply, error) {
	file, err := q.array("file")
	if err != nil {
		return nil, err
	}
	name := cmp.Or(q.Path, "the model")
	m, err := model.Read(bytes.NewReader(file.Data), int64(len(file.Data)), name)
	if err != nil {
		return nil, err
	}
	return s.keep(m, false)
}

func free(_ context.Context, s *server, q *Request) (*Reply, error) {
	delete(s.models, q.Model)
	return new(Reply), nil
}

// settingsOf returns the options in a request.
func settingsOf(list []map[string]string) (set method.Settings) {
	for _, o := range list {
		set = set.With(o["name"], o["value"])
	}
	return set
}

// fit fits a method with its settings to "X" (vectors or matrices) and "y" (class numbers), to a table, to the private
// statistics "release", or to other statistics; see [Request.statistics].
func fit(ctx context.Context, s *server, q *Request) (*Reply, error) {
	start := time.Now()
	m, err := method.Lookup(q.Method)
	if err != nil {
		return nil, err
	}
	var src method.TrainingData
	var guarantee *privacy.Guarantee
	switch {
	case q.optional("X") != nil || q.hasTable():
		var d *dataset.Data
		if d, err = q.data(ctx); err == nil && !m.Matrices && d.Vars["weights"] != nil {
			d.Weights = d.Vars["weights"].Float64
		}
		src = method.InMemory{Data: d}
	case q.optional("release") != nil:
		guarantee = new(privacy.Guarantee)
		src, *guarantee, err = q.privateSource(m)
	default:
		var s *gaussian.Statistics
		s, err = q.statistics("")
		src = method.Statistics{Stats: s}
	}
	if err != nil {
		return nil, err
	}
	d := method.Observations(src)
	var part provenance.Part
	hashing := par.Begin(func() {
		if d != nil {
			part = datapart.Of(d, provenance.Hashing{})
		}
	})
	defer hashing.Finish() // before the rows are freed
	show, done := s.progress(q)
	inner, over := s.converse(ctx, q)
	mod, err := m.Fit(inner, src, settingsOf(q.Settings), show)
	done()
	if e := over(); e != nil {
		return nil, e
	}
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case d != nil:
		hashing.Finish()
		mod.Training.Parts = []provenance.Part{part}
	case guarantee != nil:
		mod.Training.Privacy = (*model.Privacy)(guarantee)
		mod.Training.Digest = "" // store only what follows from the noisy sums
	}
	mod.Labels = q.Labels
	mod.Seconds.Fit = time.Since(start).Seconds() - mod.Seconds.Statistics
	r, err := s.keep(mod, true)
	if err == nil {
		r.Partial, r.Notes, r.Warnings = why, mod.Notes, append(q.notes, mod.Warnings...)
	}
	return r, err
}

func (q *Request) data(ctx context.Context) (*dataset.Data, error) {
	if q.hasTable() {
		return q.openTable(ctx)
	}
	x, err := q.array("X")
	if err != nil {
		return nil, err
	}
	d := &dataset.Data{Source: "X", Classes: q.Classes, Image: q.Image, Vars: map[string]*dataset.Array{}}
	names, key := q.Columns, "columns"
	if len(x.Shape) == 3 {
		d.Stack, err = x.stack()
		names, key = q.Channels, "channels"
	} else {
		d.X, err = x.table()
		if q.Channels != nil { // trials, flattened
			d.Vars["channels"] = &dataset.Array{Name: "channels", Shape: []int{len(q.Channels)}, Strings: q.Channels}
		}
	}
	if err != nil {
		return nil, err
	}
	if names != nil {
		if len(names) != x.Shape[1] {
			return nil, fmt.Errorf("there are %s, but X has %d %s", text.Plural(len(names), "name", "names"),
				x.Shape[1], key)
		}
		d.Vars[key] = &dataset.Array{Name: key, Shape: []int{len(names)}, Strings: names}
	}
	if y := q.optional("y"); y != nil {
		if d.Labels, err = y.ints(); err != nil {
			return nil, err
		}
		if err := indices.CheckLabels("observation", d.Labels, len(q.Classes)); err != nil {
			return nil, fmt.Errorf("y: %w", err)
		}
	}
	if w := q.optional("weights"); w != nil {
		if len(w.Shape) != 1 || w.len() != x.Shape[0] {
			return nil, fmt.Errorf("the weights have the shape %s, but there are %d observations; give one weight "+
				"per observation", text.Shape(w.Shape), x.Shape[0])
		}
		d.Vars["weights"] = &dataset.Array{Name: "weights", Shape: w.Shape, Float64: slices.Clone(w.doubles())}
	}
	if g := q.optional("recordings"); g != nil {
		low, high := math.MinInt, math.MaxInt
		if q.Recordings != nil {
			low, high = 0, len(q.Recordings)-1
		}
		numbers, err := g.oneOf("observation", x.Shape[0], low, high)
		if err != nil {
			return nil, err
		}
		v := &dataset.Array{Name: "recording", Shape: g.Shape}
		if q.Recordings != nil {
			v.Strings = indices.Pick(q.Recordings, numbers)
		} else {
			v.Int64 = vec.Converted[int64](numbers)
		}
		d.Vars["recording"] = v
	}
	return d, d.Check()
}

// batch returns the observations of a request for a model. It does not check for values that are not finite; the model
// does.
func (q *Request) batch(ctx context.Context) (model.Batch, error) {
	if q.hasTable() {
		d, err := q.data(ctx)
		if err != nil {
			return model.Batch{}, err
		}
		return model.BatchOf(d), nil
	}
	x, err := q.array("X")
	if err != nil {
		return model.Batch{}, err
	}
	if len(x.Shape) == 2 && q.Columns == nil { // fast path for single rows
		t, err := x.table()
		if err != nil {
			return model.Batch{}, err
		}
		return model.Vectors(t.Matrix()), nil
	}
	if len(x.Shape) == 3 && q.Channels == nil && q.optional("recordings") == nil {
		stack, err := x.lent()
		return model.Batch{Stack: stack}, err
	}
	d, err := q.data(ctx)
	if err != nil {
		return model.Batch{}, err
	}
	return model.BatchOf(d), nil
}

// given returns the model of a request and the observations "X".
func (s *server) given(ctx context.Context, q *Request) (*model.Model, model.Batch, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, model.Batch{}, err
	}
	known := q.byForm(m.Input.Table, m.Input.Columns)
	known.Classes = m.Classes
	b, err := known.batch(ctx)
	q.Arrays, q.notes = known.Arrays, known.notes
	return m, b, err
}

// predict classifies "X" with a model. want selects the arrays of the reply. If want is "p" and the request has an
// array "rows", the reply also has this array, without the rows of a table that were dropped.
func predict(ctx context.Context, s *server, q *Request) (*Reply, error) {
	m, b, err := s.given(ctx, q)
	if err != nil {
		return nil, err
	}
	if other := strings.Trim(q.Want, "lpgrot"); other != "" {
		return nil, fmt.Errorf("predict: want contains %q, but only the letters l, p, g, r, o and t are known", other)
	}
	n, c := b.Len(), len(m.Classes)
	dst := new(mat.Dense)
	if n > 0 && m.Classifier != nil {
		dst = mat.NewDense(n, c, s.room(q, n*c))
	}
	if q.Want == "p" {
		notes, err := m.PosteriorInto(ctx, dst, b)
		if err != nil {
			return nil, err
		}
		r := &Reply{Notes: append(q.notes, notes...), Arrays: []Array{denseArray("probability", dst)}}
		if rows := q.optional("rows"); rows != nil {
			r.Arrays = append(r.Arrays, *rows)
		}
		return r, nil
	}
	p := &model.Prediction{LogPosterior: dst}
	if err := m.PredictInto(ctx, p, b); err != nil {
		return nil, err
	}
	r := &Reply{Notes: append(q.notes, p.Notes...)}
	wants := func(letter byte) bool { return strings.IndexByte(q.Want, letter) >= 0 }
	if wants('t') {
		r.Notes = append(r.Notes, onTrainingRows(m, b)...)
	}
	if wants('g') {
		r.Arrays = append(r.Arrays, denseArray("log_probability", dst))
	}
	if wants('p') {
		if wants('g') {
			dst = mat.DenseCopyOf(dst)
		}
		posteriors.Exponentiate(dst)
		r.Arrays = append(r.Arrays, denseArray("probability", dst))
	}
	if wants('l') {
		r.Arrays = append(r.Arrays, intArray("label", p.Label))
	}
	if wants('r') {
		r.Arrays = append(r.Arrays, boolArray("rejected", p.Rejected))
	}
	if wants('o') {
		r.Arrays = append(r.Arrays, boolArray("outlier", p.Outlier))
	}
	return r, nil
}

// onTrainingRows returns a note if the observations are also training observations of the model, or if this cannot be
// checked because the hashes of the training observations have a key.
func onTrainingRows(m *model.Model, b model.Batch) []string {
	part := partOf(m, b)
	if share := provenance.LargestOverlap(part, m.Training.Parts); share > 0 {
		return []string{fmt.Sprintf("about %.0f %% of these observations are also training observations of the "+
			"model, so the score is too good; use other data", 100*share)}
	}
	return otherKey(m)
}

// otherKey returns a note if the hashes of training observations have a key, so that other observations cannot be
// compared with them.
func otherKey(m *model.Model) []string {
	keyed := func(p provenance.Part) bool { return p.Key != "" }
	if !slices.ContainsFunc(m.Training.Parts, keyed) {
		return nil
	}
	return []string{"the training observations of the model are recorded with a key, so it was not checked whether " +
		"these are among them; rao evaluate and rao update check it with --hashes FILE"}
}

// partOf identifies observations for a comparison with the training observations of a model.
func partOf(m *model.Model, b model.Batch) provenance.Part {
	var part provenance.Builder
	named := func(own, trained []string) []string {
		if trained != nil && own != nil {
			return own
		}
		return trained
	}
	if b.Stack != nil {
		datapart.AddMatrices(&part, b.Stack, named(b.Channels, m.Input.Channels))
	} else {
		datapart.AddVectors(&part, b.X, named(b.Columns, m.Input.Columns))
	}
	return part.Part()
}

// transform returns the output of the stages of a model for "X" as "Z".
func transform(ctx context.Context, s *server, q *Request) (*Reply, error) {
	m, b, err := s.given(ctx, q)
	if err != nil {
		return nil, err
	}
	z, err := m.Transform(ctx, b)
	if err != nil {
		return nil, err
	}
	if q.Want == "t" {
		q.notes = append(q.notes, onTrainingRows(m, b)...)
	}
	if z.Kind() == model.KindMatrices {
		return &Reply{Notes: q.notes, Arrays: []Array{stackArray("Z", z.Stack)}}, nil
	}
	return &Reply{Notes: q.notes, Arrays: []Array{denseArray("Z", mat.DenseCopyOf(z.X))}}, nil
}

// update returns the model after learning from "X" and "y" in addition to the earlier data.
func update(ctx context.Context, s *server, q *Request) (*Reply, error) {
	m, err := s.model(q)
	if err != nil {
		return nil, err
	}
	q.Classes = m.Classes
	known := q.byForm(m.Input.Table, m.Input.Columns)
	d, err := known.data(ctx)
	if err != nil {
		return nil, err
	}
	b := model.BatchOf(d)
	next, err := m.Update(ctx, b, d.Labels)
	if err != nil {
		return nil, err
	}
	if m.Training.Parts != nil {
		part := partOf(m, b)
		if share := provenance.LargestOverlap(part, m.Training.Parts); share > 0 {
			known.notes = append(known.notes, fmt.Sprintf("the model has already learned from about %.0f %% of these "+
				"observations, which now count twice", 100*share))
		}
		known.notes = append(known.notes, otherKey(m)...)
		next.Training.Parts = append(slices.Clone(m.Training.Parts), part)
	}
	r, err := s.keep(next, true)
	if err == nil {
		r.Notes = known.notes
	}
	return r, err
}
