package worker

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/sets"
	"rao/synth"
)

// datasetRequest specifies how to get a data set.
type datasetRequest struct {
	From     string `json:"from"`      // fetch: folder to import from, or "" to download
	PerClass int    `json:"per_class"` // make
	Seed     uint64 `json:"seed"`      // make
	Part     int    `json:"part"`      // make
	Images   string `json:"images"`    // make: folder of photographs
}

// datasetInfo accompanies the arrays of a data set.
type datasetInfo struct {
	Source  string              `json:"source"`
	Classes []string            `json:"classes"`
	Labels  gaussian.LabelType  `json:"label_type"`
	Image   []int               `json:"image,omitempty"` // rows, columns, channels
	Texts   map[string][]string `json:"texts"`           // variables of text, with one value per observation
	Columns []string            `json:"columns,omitempty"`
}

// setInfo describes a known set. The JSON names must not change.
type setInfo struct {
	Name        string   `json:"name"`
	Parts       []string `json:"parts"`
	Kind        string   `json:"kind"`
	Here        bool     `json:"here"`
	Description string   `json:"description"`
	License     string   `json:"license"`
}

func listSets(context.Context, *server, *Request) (*Reply, error) {
	list := []setInfo{}
	for _, s := range dataset.Sets() {
		list = append(list, setInfo{s.Name, s.Parts, s.Kind, s.Here(), s.Description, s.License})
	}
	return &Reply{Info: list}, nil
}

// fetchSet downloads or imports the set named path into the cache folder.
func fetchSet(ctx context.Context, s *server, q *Request) (*Reply, error) {
	show, done := s.progress(q)
	defer done()
	_, err := sets.Get(ctx, q.Path, sets.GetOptions{From: q.datasetRequest().From, Progress: show})
	return new(Reply), err
}

// openSet reads the set or file named path.
func openSet(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	d, err := dataset.Open(ctx, q.Path, dataset.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return datasetReply(d)
}

func makeSet(_ context.Context, _ *server, q *Request) (*Reply, error) {
	r := q.datasetRequest()
	d, err := synth.Generate(q.Path,
		synth.GenerateOptions{PerClass: r.PerClass, Seed: r.Seed, Part: r.Part, Images: r.Images})
	if err != nil {
		return nil, err
	}
	return datasetReply(d)
}

func (q *Request) datasetRequest() datasetRequest {
	if q.Dataset == nil {
		return datasetRequest{}
	}
	return *q.Dataset
}

// datasetReply returns the observations as "X", their class numbers, if labeled, as "y", and numeric variables as
// "var.NAME". Variables with a different length than the observations are left out.
func datasetReply(d *dataset.Data) (*Reply, error) {
	info := datasetInfo{Source: d.Source, Classes: d.Classes, Texts: map[string][]string{}}
	if d.Image != [3]int{} {
		info.Image = d.Image[:]
	}
	r := &Reply{}
	if d.Stack != nil {
		r.Arrays = append(r.Arrays, stackArray("X", d.Stack))
	} else {
		r.Arrays = append(r.Arrays, tableArray("X", d.X))
	}
	if d.Labels != nil {
		r.Arrays = append(r.Arrays, intArray("y", d.Labels))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Vars)) {
		v := d.Vars[name]
		switch {
		case name == "columns":
			info.Columns = v.Strings
		case len(v.Shape) != 1 || v.Shape[0] != d.N():
		case v.Strings != nil:
			info.Texts[name] = v.Strings
		case v.Int64 != nil:
			ints := make([]int, len(v.Int64))
			for i, x := range v.Int64 {
				ints[i] = int(x)
			}
			r.Arrays = append(r.Arrays, intArray("var."+name, ints))
		case v.Float64 != nil:
			r.Arrays = append(r.Arrays, float64Array("var."+name, v.Float64, len(v.Float64)))
		}
	}
	if d.Labels != nil && len(d.Classes) == 0 {
		return nil, fmt.Errorf("%s: the data have labels but no class names; store the names of the classes with the "+
			"labels", d.Source)
	}
	r.Info = info
	return r, nil
}

// tableArray returns the values of a table in their stored type.
func tableArray(name string, t *dataset.Table) Array {
	rows, cols := t.Dims()
	shape := []int{rows, cols}
	u8, f32, f64, _ := t.RawRows()
	switch {
	case u8 != nil:
		return Array{name, "|u1", shape, u8}
	case f32 != nil:
		b := make([]byte, 0, 4*len(f32))
		for _, v := range f32 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return Array{name, "<f4", shape, b}
	}
	return float64Array(name, f64, rows, cols)
}
