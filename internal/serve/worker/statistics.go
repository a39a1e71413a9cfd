package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/datapart"
	"rao/internal/linalg/vec"
	"rao/internal/privacy"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/text"
)

// statistics returns the counts, means and covariances of the classes in the vectors "X" with the labels "y".
func statistics(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	hashing, err := provenance.HashingOf(q.Hashes)
	if err != nil {
		return nil, fmt.Errorf("hashes: %w; create a file of 32 random bytes, or give None", err)
	}
	if q.hasTable() {
		return q.tableStatistics(ctx, hashing)
	}
	if q.optional("y") == nil {
		return nil, fmt.Errorf("the request statistics has no array %q with the labels", "y")
	}
	d, err := q.data(ctx)
	if err != nil {
		return nil, err
	}
	if d.X == nil {
		return nil, errors.New("the array X contains matrices, but statistics need vectors; send one vector per " +
			"observation")
	}
	_, dim := d.X.Dims()
	if err := statsarrays.CheckSize(dim, len(d.Classes)); err != nil {
		return nil, err
	}
	s, err := classStatistics(d, q.Moments)
	if err != nil {
		return nil, err
	}
	s.Columns, s.Parts = q.Columns, []provenance.Part{datapart.Of(d, hashing)}
	return statisticsReply(s), nil
}

// classStatistics returns the statistics of the rows. If the rows have weights, the statistics are weighted.
func classStatistics(d *dataset.Data, moments bool) (*gaussian.Statistics, error) {
	_, dim := d.X.Dims()
	var weights []float64
	if w := d.Vars["weights"]; w != nil {
		if weights = w.Float64; moments {
			return nil, errors.New("third and fourth moments do not support weights; leave out moments or " +
				"sample_weight")
		}
	}
	acc := gaussian.NewAccumulator(dim, len(d.Classes))
	if moments {
		acc.CollectMoments()
	}
	if err := acc.AddWeighted(d.X.Matrix(), d.Labels, weights); err != nil {
		return nil, err
	}
	return acc.Finish(d.Classes)
}

// statisticsInfo is the part of statistics that is sent as JSON; the numbers are sent as arrays.
type statisticsInfo struct {
	Classes []string           `json:"classes"`
	Columns []string           `json:"columns"`
	Parts   []provenance.Part  `json:"parts"`
	Labels  gaussian.LabelType `json:"label_type"`
	Inputs  *gaussian.Inputs   `json:"inputs"`
	// Unmarked is true for a file that rao did not write.
	Unmarked bool `json:"unmarked"`
	// Single is true if the covariances were stored in single precision.
	Single bool `json:"single"`
}

func statisticsReply(s *gaussian.Statistics) *Reply {
	c, n := s.NumClasses(), s.Dim
	r := &Reply{Info: statisticsInfo{s.Classes, s.Columns, s.Parts, s.Labels, s.Inputs, s.Unmarked, s.Single},
		Arrays: []Array{
			intArray("counts", s.Counts),
			float64Array("means", s.Means, c, n),
			float64Array("covariances", s.Covariances, c, n, n),
		}}
	if s.Weights != nil {
		r.Arrays = append(r.Arrays, float64Array("weights", s.Weights, c))
	}
	if s.Cubic != nil {
		r.Arrays = append(r.Arrays, float64Array("cubic", s.Cubic, c, n), float64Array("quartic", s.Quartic, c))
	}
	return r
}

// statistics returns the statistics in the arrays counts, means and covariances, and optionally cubic and quartic. The
// names of the arrays start with prefix. The arrays "parts", "columns" and "inputs" are the JSON of their parts, of the
// names of the columns and of how tables are read. The array "unmarked" marks a file that rao did not write, and
// "single" covariances that were stored in single precision.
func (q *Request) statistics(prefix string) (*gaussian.Statistics, error) {
	s := &gaussian.Statistics{Classes: q.Classes, Unmarked: q.optional(prefix+"unmarked") != nil,
		Single: q.optional(prefix+"single") != nil}
	counts, err := q.array(prefix + "counts")
	if err != nil {
		return nil, err
	}
	if s.Counts, err = counts.ints(); err != nil {
		return nil, err
	}
	means, err := q.array(prefix + "means")
	if err != nil {
		return nil, err
	}
	covariances, err := q.array(prefix + "covariances")
	if err != nil {
		return nil, err
	}
	if len(means.Shape) != 2 {
		return nil, fmt.Errorf("array %q has the shape %s, but means must have the shape classes × dimensions",
			means.Name, text.Shape(means.Shape))
	}
	c, n := means.Shape[0], means.Shape[1]
	if len(s.Counts) != c || len(q.Classes) != c || !slices.Equal(covariances.Shape, []int{c, n, n}) {
		return nil, fmt.Errorf("the numbers of class names (%d) and counts (%d) do not match means of shape %s and "+
			"covariances of shape %s",
			len(q.Classes), len(s.Counts), text.Shape(means.Shape), text.Shape(covariances.Shape))
	}
	s.Dim = n
	if columns := q.optional(prefix + "columns"); columns != nil {
		if err := json.Unmarshal(columns.Data, &s.Columns); err != nil {
			return nil, fmt.Errorf("columns: %w", err)
		}
		if len(s.Columns) != n {
			return nil, fmt.Errorf("the number of column names is %d, but the number of dimensions is %d",
				len(s.Columns), n)
		}
	}
	s.Means, s.Covariances = slices.Clone(means.doubles()), slices.Clone(covariances.doubles())
	if w := q.optional(prefix + "weights"); w != nil {
		if !slices.Equal(w.Shape, []int{c}) {
			return nil, fmt.Errorf("the weights have the shape %s, but there are %d classes; give one weight per "+
				"class", text.Shape(w.Shape), c)
		}
		s.Weights = slices.Clone(w.doubles())
	}
	cubic, quartic := q.optional(prefix+"cubic"), q.optional(prefix+"quartic")
	if cubic != nil && quartic != nil {
		if !slices.Equal(cubic.Shape, []int{c, n}) || !slices.Equal(quartic.Shape, []int{c}) {
			return nil, fmt.Errorf("cubic and quartic moments of shapes %s and %s do not fit means of shape %s",
				text.Shape(cubic.Shape), text.Shape(quartic.Shape), text.Shape(means.Shape))
		}
		s.Cubic, s.Quartic = slices.Clone(cubic.doubles()), slices.Clone(quartic.doubles())
	}
	if inputs := q.optional(prefix + "inputs"); inputs != nil {
		if err := json.Unmarshal(inputs.Data, &s.Inputs); err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
	}
	if parts := q.optional(prefix + "parts"); parts != nil {
		if err := json.Unmarshal(parts.Data, &s.Parts); err != nil {
			return nil, fmt.Errorf("parts: %w", err)
		}
		for i := range s.Parts {
			if err := provenance.CheckPart(s.Parts[i]); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// merge merges statistics. The names of their arrays start with "0.", "1." and so on. The field classes lists the
// classes of all parts one after another, and sizes has the number of classes of each part.
func merge(_ context.Context, _ *server, q *Request) (*Reply, error) {
	all := q.Classes
	parts := make([]*gaussian.Statistics, len(q.Sizes))
	for i, size := range q.Sizes {
		if size < 0 || size > len(all) {
			return nil, fmt.Errorf("part %d has %d classes, but only %d class names are left", i, size,
				len(all))
		}
		q.Classes, all = all[:size], all[size:]
		var err error
		if parts[i], err = q.statistics(fmt.Sprintf("%d.", i)); err != nil {
			return nil, err
		}
	}
	var notes []string
	if q.Append { // pieces of one set may have equal rows
		for i := 1; i < len(parts); i++ {
			for _, p := range parts[i].Parts {
				if share := provenance.LargestOverlap(p, parts[i-1].Parts); share > 0 {
					notes = append(notes, fmt.Sprintf("about %.0f %% of these observations equal earlier ones; if "+
						"they are the same observations, they now count twice", 100*share))
				}
			}
		}
		q.Confirm = append(q.Confirm, provenance.DoubtRows)
	}
	s, err := gaussian.MergeInOrder(len(parts), func(i int) (*gaussian.Statistics, error) { return parts[i], nil },
		q.Confirm...)
	var doubt *provenance.DoubtError
	if errors.As(err, &doubt) && !q.Append {
		return nil, fmt.Errorf("%w; if that is right, merge with confirm=%q", err, doubt.Doubt)
	}
	if err != nil {
		return nil, err
	}
	if q.Append {
		s.Parts = provenance.Join(s.Parts)
	}
	r := statisticsReply(s)
	r.Notes = notes
	return r, nil
}

// dissimilarity returns as "D" the dissimilarities between the classes of statistics, with noise added to the
// diagonals. For dissimilarities that are computed by a search, "lower" contains lower bounds.
func dissimilarity(_ context.Context, _ *server, q *Request) (*Reply, error) {
	d, err := gaussian.ParseDissimilarity(q.Metric)
	if err != nil {
		return nil, err
	}
	s, err := q.statistics("")
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if !vec.NotNegative(q.Noise) {
		return nil, fmt.Errorf("the noise is %g; it must be a finite variance of 0 or more", q.Noise)
	}
	s.AddNoise(q.Noise)
	var m mat.Dense
	if err := s.DissimilarityMatrix(&m, d); err != nil {
		return nil, err
	}
	r := &Reply{Arrays: []Array{denseArray("D", &m)}}
	var lower mat.Dense
	if ok, err := classstats.LowerBounds(s, &lower, d); err != nil || !ok {
		return r, err
	}
	r.Arrays = append(r.Arrays, denseArray("lower", &lower))
	return r, nil
}

// saveStatistics is the operation save_stats, which writes statistics to path.
func saveStatistics(_ context.Context, _ *server, q *Request) (*Reply, error) {
	s, err := q.statistics("")
	if err != nil {
		return nil, err
	}
	if err := provenance.CheckSingles(s.Classes, s.Counts); err != nil && !q.Single {
		return nil, fmt.Errorf("%w; add rows to these classes, or allow single rows with allow_single=True", err)
	}
	s.Labels = q.Labels
	switch q.Hashes {
	case "":
	case "none":
		s.Parts = provenance.WithoutHashes(s.Parts)
	default:
		return nil, fmt.Errorf("hashes=%q: only \"none\", which leaves out the hashes of the rows, is possible when "+
			"statistics are saved; give a key file to rao.stats instead: rao.stats(X, y, hashes=FILE)", q.Hashes)
	}
	return new(Reply), s.WriteFile(q.Path)
}

// loadStatistics is the operation load_stats, which reads the statistics file at path.
func loadStatistics(_ context.Context, _ *server, q *Request) (*Reply, error) {
	if privacy.IsFile(q.Path) {
		return nil, fmt.Errorf("%s contains private statistics; read them with rao.PrivateStatistics.load", q.Path)
	}
	s, err := gaussian.ReadFile(q.Path)
	if kind, ok := errors.AsType[*gaussian.FileKindError](err); ok && kind.Got == "model" {
		return nil, fmt.Errorf("%s contains a model; read it with rao.load", q.Path)
	}
	if err != nil {
		return nil, err
	}
	return statisticsReply(s), nil
}
