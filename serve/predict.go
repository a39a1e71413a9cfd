package serve

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	_ "image/jpeg" // decodes uploaded pictures
	_ "image/png"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/format/table"
	"rao/internal/indices"
	"rao/internal/predictions"
	"rao/internal/text"
	"rao/model"
)

// readObservations parses the observations of a request in any of the formats under /v1. extra parses more fields of a
// JSON body. If extra is nil, these fields are an error.
func (s *Server) readObservations(w http.ResponseWriter, e *entry, r *http.Request,
	extra func(sc *scanner, name string) (bool, error)) (model.Batch, error) {
	kind := cmp.Or(r.Header.Get("Content-Type"), "application/json")
	kind, _, err := mime.ParseMediaType(kind)
	if err != nil {
		return model.Batch{}, badRequest("Content-Type: %v", err)
	}
	body, err := s.readBody(w, r)
	if err != nil {
		return model.Batch{}, err
	}
	own := shareOf(w)
	defer own.forget(body)
	limit := s.mostNumbers(e)
	switch kind {
	case "application/json", "application/x-www-form-urlencoded": // curl -d uses this type for any body
		return e.fromJSON(body, limit, own, extra)
	case "text/csv", "text/plain", "text/tab-separated-values":
		return e.fromTable(body, limit, own)
	case "application/x-npy", "application/octet-stream":
		return e.fromNPY(body, own)
	case "image/png", "image/jpeg":
		return e.fromPicture(body, own)
	}
	return model.Batch{}, &httpError{http.StatusUnsupportedMediaType,
		"Content-Type " + kind + "; send application/json, text/csv, application/x-npy, image/png or image/jpeg"}
}

// given returns the observations of a request under /v1, and the model that the request names.
func (s *Server) given(w http.ResponseWriter, r *http.Request) (*entry, model.Batch, error) {
	e, err := s.entryOf(r)
	if err != nil {
		return nil, model.Batch{}, err
	}
	b, err := s.readObservations(w, e, r, nil)
	return e, b, err
}

// fromJSON parses {"X": [[...]]}, {"columns": [...], "data": [[...]]}, or {"rows": [{"column": value, ...}, ...]}.
func (e *entry) fromJSON(body []byte, limit int, own *share,
	extra func(*scanner, string) (bool, error)) (model.Batch, error) {
	sc := &scanner{b: body, share: own, missing: e.imputes()}
	var lacks *dataset.Lacks
	var data []float64
	var shape []int
	var columns []string
	named := false
	err := sc.object(func(name string) (err error) {
		if name == "instances" { // used by version 1 of KServe's protocol for rows and for arrays
			if name = "X"; sc.arrayOf('{') {
				name = "rows"
			}
		}
		if shape != nil && slices.Contains([]string{"rows", "X", "data"}, name) {
			return sc.errorf("the observations are given twice; send them in one field")
		}
		switch name {
		case "rows":
			if f := e.form(); f != nil {
				columns = e.model.Input.Columns
				lacks = &dataset.Lacks{}
				data, shape, err = sc.rowsByForm(f, limit, lacks)
				return err
			}
			data, shape, columns, err = sc.rows(e.model.Input.Columns, limit)
			return err
		case "X", "data":
			data, shape, err = sc.numbers(nil, limit, 0)
			return err
		case "columns":
			named = true
			return sc.decode(&columns)
		}
		if extra != nil {
			if known, err := extra(sc, name); known {
				return err
			}
		}
		return sc.errorf("unknown field %q; send X, or columns and data, or rows", name)
	})
	if err == nil {
		err = sc.end()
	}
	if err != nil {
		return model.Batch{}, err
	}
	if shape == nil {
		return model.Batch{}, badRequest("there are no observations; send X, or columns and data, or rows")
	}
	if named && len(shape) == 2 && shape[1] != len(columns) {
		return model.Batch{}, badRequest("there are %d names of columns, but rows have %s; send one name per value",
			len(columns), text.Plural(shape[1], "value", "values"))
	}
	b, err := e.observations(shape, data, columns)
	b.Lacks = lacks
	return b, err
}

// columnMemory is the number of bytes for the name and the position of a column.
const columnMemory = 256

// rows parses observations as objects of values by column. It ignores columns that are not in want. If want is nil, all
// objects must have the same columns.
func (s *scanner) rows(want []string, limit int) (data []float64, shape []int, columns []string, err error) {
	if err := s.expect('['); err != nil {
		return nil, nil, nil, err
	}
	columns = want
	place := make(map[string]int, len(want))
	for j, name := range want {
		place[name] = j
	}
	n := 0
	err = s.list(']', func() error {
		first := n == 0 && want == nil
		if !first {
			if data, err = s.share.room(data, len(columns)); err != nil {
				return err
			}
			data = data[:len(data)+len(columns)] // each value is set below, or the row is an error
		}
		filled := 0
		err := s.object(func(name string) error {
			j, ok := place[name]
			if !ok && want != nil {
				_, err := s.cell()
				return err
			}
			v, err := s.number()
			if err != nil {
				return err
			}
			if first {
				if err := s.share.reserve(columnMemory); err != nil {
					return err
				}
				place[name] = len(columns)
				columns, data = append(columns, name), append(data, v)
			} else {
				if !ok {
					return s.errorf("row %d has a column %q, but row 0 does not; send the same columns in all "+
						"rows", n, name)
				}
				data[n*len(columns)+j] = v
			}
			filled++
			if len(data) > limit {
				return s.errorf("there are more than %d numbers; send fewer observations at a time", limit)
			}
			return nil
		})
		if err == nil && filled != len(columns) {
			err = s.errorf("row %d has only %d of %d columns; send the same columns in all "+
				"rows", n, filled, len(columns))
		}
		n++
		return err
	})
	return data, []int{n, len(columns)}, columns, err
}

// columnsOf returns the places of the named columns in a table. Other columns, such as the labels, are ignored.
func columnsOf(t *table.Reader, names []string) ([]int, error) {
	place := make(map[string]int, len(t.Columns))
	for j, name := range t.Columns {
		place[name] = j
	}
	at := make([]int, len(names))
	for k, name := range names {
		var ok bool
		if at[k], ok = place[name]; !ok {
			return nil, badRequest("there is no column %s; add it", name)
		}
	}
	return at, nil
}

// fromTable parses delimited text, with or without a header line.
func (e *entry) fromTable(body []byte, limit int, own *share) (model.Batch, error) {
	if err := own.reserve(lineMemory(body)); err != nil {
		return model.Batch{}, err
	}
	t, err := table.NewReader(bytes.NewReader(body), "the body", table.Options{})
	if err != nil {
		return model.Batch{}, err
	}
	if f := e.form(); f != nil {
		return e.byForm(t, f, limit, own)
	}
	columns := indices.Range(len(t.Columns))
	if names := e.model.Input.Columns; names != nil && t.Header {
		if columns, err = columnsOf(t, names); err != nil {
			return model.Batch{}, err
		}
	}
	var data []float64
	hint := min(limit, (bytes.Count(body, []byte{'\n'})+1)*len(columns), len(body)+1)
	n := 0
	for {
		fields, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return model.Batch{}, err
		}
		for _, j := range columns {
			f := fields[j]
			v, ok := t.Float(f)
			if !ok || len(f) == 0 && e.model.Input.Fill == nil {
				return model.Batch{}, badRequest("line %d, column %s: %q is not a number; send a number", t.Line(),
					t.Columns[j], f)
			}
			if len(data) == cap(data) {
				if data, err = own.grow(data, hint); err != nil {
					return model.Batch{}, err
				}
			}
			data = append(data, v)
		}
		if n++; len(data) > limit {
			return model.Batch{}, badRequest("there are more than %d numbers; send fewer observations at a "+
				"time", limit)
		}
	}
	if n == 0 {
		return model.Batch{}, badRequest("there are no rows; send at least one")
	}
	var names []string
	if t.Header {
		names = indices.Pick(t.Columns, columns)
	}
	if d := e.model.Input.Dim; e.model.Input.Kind == model.KindMatrices && len(columns) == d*d {
		return e.observations([]int{n, d, d}, data, nil)
	}
	return e.observations([]int{n, len(columns)}, data, names)
}

func (e *entry) fromNPY(body []byte, own *share) (model.Batch, error) {
	r, err := npy.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return model.Batch{}, badRequest("npy: %v", err)
	}
	if k := r.Type.Kind; k == 'U' || k == 'S' {
		return model.Batch{}, badRequest("npy: the array contains text; the model needs numbers")
	}
	if err := own.reserveEach(min(r.Len, len(body)), 24); err != nil { // uncompressed, in C order, as float64
		return model.Batch{}, err
	}
	a, err := r.Array()
	if err != nil {
		return model.Batch{}, badRequest("npy: %v", err)
	}
	a = ndarray.Contiguous(a)
	data, err := a.ToFloat64()
	if err != nil {
		return model.Batch{}, badRequest("npy: %v", err)
	}
	return e.observations(a.Shape, data, nil)
}

// fromPicture decodes a picture. The picture must have exactly the size of the training images, because scaling it here
// would differ from the preparation of the training data. Values are 0 to 255, as in the file. A color picture is an
// error for a model of gray images, and vice versa.
func (e *entry) fromPicture(body []byte, own *share) (model.Batch, error) {
	want := e.model.Input.Image
	if want[0] == 0 {
		return model.Batch{}, badRequest("the model was not fitted to images; send its observations as numbers")
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return model.Batch{}, badRequest("the picture: %v", err)
	}
	if c.Height != want[0] || c.Width != want[1] {
		return model.Batch{}, badRequest("the picture has %d×%d pixels, but the model needs %d×%d; resize the picture",
			c.Height, c.Width, want[0], want[1])
	}
	if err := own.reserveEach(e.model.Input.Dim, 24); err != nil {
		return model.Batch{}, err
	}
	img, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return model.Batch{}, badRequest("the picture: %v", err)
	}
	data := make([]float64, 0, e.model.Input.Dim)
	at := img.Bounds().Min
	for i := range want[0] {
		for j := range want[1] {
			r, g, b, _ := img.At(at.X+j, at.Y+i).RGBA()
			switch {
			case want[2] == 3:
				data = append(data, float64(r>>8), float64(g>>8), float64(b>>8))
			case r == g && g == b:
				data = append(data, float64(r>>8))
			default:
				return model.Batch{}, badRequest("the picture is in color, but the model needs a gray picture; " +
					"convert it")
			}
		}
	}
	return e.observations([]int{1, len(data)}, data, nil)
}

// predict answers with labels and probabilities, or with the values of a regression, as JSON, or as CSV if the Accept
// header asks for it.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) error {
	e, b, err := s.given(w, r)
	if err != nil {
		return err
	}
	if e.model.Target() != "" {
		return s.predictValues(w, r, e, b)
	}
	p, err := s.turn(w, r, e, b)
	if err != nil {
		return err
	}
	if strings.Contains(r.Header.Get("Accept"), "text/csv") {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		return predictions.WriteBlock(predictions.NewCSV(w), e.model, p)
	}
	to := e.answer(w)
	to.b = append(to.b, `,"predictions":`...)
	to.list(len(p.Label), func(dst []byte, i int) []byte { return appendPrediction(dst, e.model.Classes, p, i) })
	if len(p.Notes) > 0 {
		to.b = append(to.b, `,"notes":`...)
		to.list(len(p.Notes), func(dst []byte, i int) []byte { return text.AppendString(dst, p.Notes[i]) })
	}
	to.b = append(to.b, "}\n"...)
	return to.flush()
}

// answer begins an answer in JSON with the name and the version of the model.
func (e *entry) answer(w http.ResponseWriter) *sink {
	w.Header().Set("Content-Type", "application/json")
	b := append(text.AppendString([]byte(`{"model":`), e.name), `,"version":`...)
	return &sink{w: w, b: text.AppendString(b, e.version)}
}

// turn waits until the server can compute, and then classifies the observations of a request.
func (s *Server) turn(w http.ResponseWriter, r *http.Request, e *entry, b model.Batch) (*model.Prediction, error) {
	if err := s.boundRows(b); err != nil {
		return nil, err
	}
	if err := shareOf(w).reserveEach(b.Len(), e.rowMemory("posterior", "label", "outlier")); err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(r.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	if rec, ok := w.(*recorder); ok {
		rec.rows += b.Len()
	}
	return s.predictOn(r.Context(), e, b)
}

// appendPrediction appends the prediction of observation i as a JSON object.
func appendPrediction(dst []byte, classes []string, p *model.Prediction, i int) []byte {
	dst = append(text.AppendString(append(dst, `{"label":`...), classes[p.Label[i]]), `,"probability":{`...)
	for j, v := range p.LogPosterior.RawRowView(i) {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = append(text.AppendString(dst, classes[j]), ':')
		dst = text.AppendNumber(dst, math.Exp(v))
	}
	dst = strconv.AppendBool(append(dst, `},"rejected":`...), p.Rejected[i])
	dst = strconv.AppendBool(append(dst, `,"outlier":`...), p.Outlier[i])
	return append(dst, '}')
}
