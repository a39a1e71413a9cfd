package serve

import (
	"io"
	"net/http"
	"slices"
	"strconv"

	"rao/internal/recipes"
	"rao/internal/text"
	"rao/model"
)

const (
	inputMemory = 512 // bytes for an input in addition to its numbers
	mostOutputs = 16  // limit for the number of outputs in a request; models have fewer
)

// inputName is the name of the input tensor that contains complete observations.
const inputName = "X"

// headerLength is the header for the number of JSON bytes in a body. Binary tensors follow the JSON.
const headerLength = "Inference-Header-Content-Length"

func (s *Server) serverMetadata(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, 200, map[string]any{"name": "rao", "version": s.opt.Version,
		"extensions": []string{"binary_tensor_data"}})
}

func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, 200, map[string]bool{"live": true})
}

// readiness is the answer of /v2/health/ready. The specification of the protocol calls the field live, but clients
// expect ready.
type readiness struct {
	Live     bool                `json:"live"`
	Ready    bool                `json:"ready"`
	Reason   string              `json:"reason,omitempty"`   // reason why the server is not ready
	Models   map[string][]string `json:"models,omitempty"`   // versions by name; only with the token
	Problems []string            `json:"problems,omitempty"` // files that cannot be served; only with the token
}

// ready answers with status 200 if the server has a model and is not draining, and otherwise with 503.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	answer := readiness{Live: true}
	switch {
	case s.drained.Load():
		answer.Reason = "the server is shutting down"
	case len(s.models.names()) == 0:
		answer.Reason = "no model is loaded"
	default:
		answer.Ready = true
	}
	if rec, ok := w.(*recorder); !ok || rec.admitted {
		answer.Models = map[string][]string{}
		for _, e := range s.newest() {
			answer.Models[e.name] = e.versions()
		}
		for _, err := range s.models.problems() {
			answer.Problems = append(answer.Problems, err.Error())
		}
	}
	if !answer.Ready {
		return writeJSON(w, http.StatusServiceUnavailable, answer)
	}
	return writeJSON(w, http.StatusOK, answer)
}

func (s *Server) index(w http.ResponseWriter, _ *http.Request) error {
	list := []map[string]string{}
	for _, e := range s.newest() {
		list = append(list, map[string]string{"name": e.name, "version": e.version, "state": "READY"})
	}
	return writeJSON(w, 200, list)
}

// entryOf returns the model that a request names.
func (s *Server) entryOf(r *http.Request) (*entry, error) {
	return s.models.find(r.PathValue("model"), r.PathValue("version"))
}

// tensorMetadata is the JSON description of an input or output of a model.
type tensorMetadata struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

func (s *Server) modelMetadata(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	outputs := make([]tensorMetadata, len(e.outputs))
	for i, o := range e.outputs {
		outputs[i] = tensorMetadata{o.name, o.datatype, append([]int{-1}, o.shape...)}
	}
	return writeJSON(w, 200, map[string]any{"name": e.name, "versions": e.versions(), "platform": "rao",
		"inputs": e.inputs(), "outputs": outputs})
}

// inputs describes the inputs of the model: one tensor, or one tensor per column of a table with texts.
func (e *entry) inputs() []tensorMetadata {
	if f := e.form(); f != nil {
		list := make([]tensorMetadata, len(f.Columns))
		for i, c := range f.Columns {
			list[i] = tensorMetadata{c.Name, "FP64", []int{-1}}
			if recipes.Texts(&c) {
				list[i].Datatype = "BYTES"
			}
		}
		return list
	}
	shape := []int{-1, e.model.Input.Dim}
	if e.model.Input.Kind == model.KindMatrices {
		shape = append(shape, e.model.Input.Dim)
	}
	return []tensorMetadata{{inputName, "FP64", shape}}
}

func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	return writeJSON(w, 200, map[string]any{"name": e.name, "ready": true})
}

// parameters are the parameters of a request or tensor that the protocol defines. If a parameter is null, it is not
// set.
type parameters struct {
	size       int // binary_data_size; negative if not given
	binary     bool
	binaryOuts bool // binary_data_output
}

// parseParameters reads an object of parameters, or null. It ignores unknown parameters, as the protocol allows. It
// rejects columns, because ignoring it would change the order of the values.
func parseParameters(sc *scanner) (p parameters, err error) {
	p.size = -1
	if sc.null() {
		return p, nil
	}
	err = sc.object(func(name string) error {
		if sc.null() {
			return nil
		}
		switch name {
		case "binary_data_size":
			p.size, err = sc.integer()
			if err == nil && p.size < 0 {
				err = sc.errorf("binary_data_size is negative; it must be 0 or more")
			}
			return err
		case "binary_data":
			p.binary, err = sc.boolean()
			return err
		case "binary_data_output":
			p.binaryOuts, err = sc.boolean()
			return err
		case "columns":
			return badRequest("the parameter columns is not supported; send each column as an input with its name, " +
				"or send columns and data to the model's address under /v1")
		}
		if err := sc.share.reserve(columnMemory); err != nil { // memory of the parameter's name
			return err
		}
		_, err := sc.raw(0)
		return err
	})
	return p, err
}

// wanted is an output that a request names. binary requests its values as binary data.
type wanted struct {
	name   string
	binary bool
}

// inferRequest is a parsed request for inference.
type inferRequest struct {
	id      string
	model   string // the model name that KServe's client also writes to the body; may be empty
	inputs  []tensor
	outputs []wanted
	binary  bool // default for outputs that do not specify it
}

// infer answers a request of the Open Inference Protocol.
func (s *Server) infer(w http.ResponseWriter, r *http.Request) error {
	e, err := s.entryOf(r)
	if err != nil {
		return err
	}
	body, err := s.readBody(w, r)
	if err != nil {
		return err
	}
	own := shareOf(w)
	q, err := parseInfer(body, r.Header.Get(headerLength), s.mostNumbers(e), e.imputes(), own)
	if err != nil {
		return err
	}
	own.forget(body)
	if q.model != "" && q.model != e.name {
		return badRequest("the body is for model %q, but the address is for %q", q.model, e.name)
	}
	b, err := e.batchOf(q.inputs, own)
	if err != nil {
		return err
	}
	if len(q.outputs) == 0 {
		for _, o := range e.outputs {
			q.outputs = append(q.outputs, wanted{o.name, q.binary})
		}
	}
	names := make([]string, len(q.outputs))
	for i, o := range q.outputs {
		names[i] = o.name
	}
	out, err := s.compute(r.Context(), w, e, b, names)
	if err != nil {
		return err
	}
	return writeInfer(w, e, q, out)
}

// parseInfer parses a body. If the header gives the length of the JSON, the elements of tensors with a binary_data_size
// follow the JSON. If missing is true, null is a missing number.
func parseInfer(body []byte, header string, limit int, missing bool, own *share) (*inferRequest, error) {
	head, tail := body, []byte(nil)
	if header != "" {
		n, err := strconv.Atoi(header)
		if err != nil || n < 0 || n > len(body) {
			return nil, badRequest("%s is %q; it must be the length of the JSON, from 0 to %d", headerLength, header,
				len(body))
		}
		head, tail = body[:n], body[n:]
	}
	q := &inferRequest{}
	sc := &scanner{b: head, share: own, missing: missing}
	err := sc.object(func(name string) error {
		switch name {
		case "id":
			return sc.decode(&q.id)
		case "model_name":
			return sc.decode(&q.model)
		case "parameters":
			p, err := parseParameters(sc)
			q.binary = p.binaryOuts
			return err
		case "inputs":
			if err := sc.expect('['); err != nil {
				return err
			}
			return sc.list(']', func() error {
				if err := own.reserve(inputMemory); err != nil {
					return err
				}
				t, rest, err := parseTensor(sc, tail, limit)
				tail = rest
				q.inputs = append(q.inputs, t)
				return err
			})
		case "outputs":
			return parseWanted(sc, q)
		}
		return sc.errorf("a request has no field %q; its fields are id, parameters, inputs and outputs", name)
	})
	if err != nil {
		return nil, err
	}
	if err := sc.end(); err != nil {
		return nil, err
	}
	if len(tail) > 0 {
		return nil, badRequest("%d bytes follow the tensors; binary_data_size of the inputs must add up to all bytes "+
			"after the JSON", len(tail))
	}
	for i := range q.outputs {
		q.outputs[i].binary = q.outputs[i].binary || q.binary
	}
	return q, nil
}

func parseWanted(sc *scanner, q *inferRequest) error {
	if err := sc.expect('['); err != nil {
		return err
	}
	return sc.list(']', func() error {
		var o wanted
		err := sc.object(func(name string) (err error) {
			switch name {
			case "name":
				o.name, err = sc.text()
				return err
			case "parameters":
				p, err := parseParameters(sc)
				o.binary = p.binary
				return err
			}
			return sc.errorf("an output has no field %q; its fields are name and parameters", name)
		})
		if err == nil && slices.ContainsFunc(q.outputs, func(w wanted) bool { return w.name == o.name }) {
			return badRequest("the output %q is requested twice; request it once", o.name)
		}
		if len(q.outputs) >= mostOutputs {
			return badRequest("there are more than %d outputs; request fewer", mostOutputs)
		}
		q.outputs = append(q.outputs, o)
		return err
	})
}

// parseTensor parses an input. If the input is binary, it reads the elements from the start of tail. It returns the
// rest of tail.
func parseTensor(sc *scanner, tail []byte, limit int) (tensor, []byte, error) {
	var t tensor
	p := parameters{size: -1}
	var nested []int
	has := false
	err := sc.object(func(name string) (err error) {
		switch name {
		case "name":
			t.Name, err = sc.text()
			return err
		case "datatype":
			t.Datatype, err = sc.text()
			return err
		case "shape":
			t.Shape, err = sc.lengths()
			return err
		case "parameters":
			p, err = parseParameters(sc)
			return err
		case "data":
			has = true
			if sc.arrayOf('"') {
				t.Text, err = sc.texts(limit)
				nested = []int{len(t.Text)}
				return err
			}
			t.Data, nested, err = sc.numbers(nil, limit, 0)
			return err
		}
		return sc.errorf("an input has no field %q; its fields are name, datatype, shape, parameters and data", name)
	})
	if err != nil {
		return t, tail, err
	}
	if t.Shape == nil {
		return t, tail, badRequest("input %q has no shape; send one", t.Name)
	}
	if p.size >= 0 {
		if has {
			return t, tail, badRequest("input %q has both data and binary_data_size; send one of them", t.Name)
		}
		if p.size > len(tail) {
			return t, tail, badRequest("input %q has a binary_data_size of %d, but only %d bytes are left",
				t.Name, p.size, len(tail))
		}
		return t, tail[p.size:], t.fromBytes(tail[:p.size], limit, sc.share)
	}
	if _, known := elems[t.Datatype]; !known && t.Datatype != "BYTES" {
		return t, tail, t.unknownType()
	}
	if isText := t.Datatype == "BYTES"; isText != (t.Text != nil) && len(t.Data)+len(t.Text) > 0 {
		return t, tail, badRequest("input %q has the type %s, but its data have another type", t.Name, t.Datatype)
	}
	n, err := elements(t.Shape, limit)
	if err != nil {
		return t, tail, badRequest("input %q: %v", t.Name, err)
	}
	if len(t.Data)+len(t.Text) != n || len(nested) > 1 && !slices.Equal(nested, t.Shape) {
		return t, tail, badRequest("input %q has data of shape [%s], but its field shape is [%s]",
			t.Name, join(nested), join(t.Shape))
	}
	return t, tail, nil
}

// writeInfer answers with the outputs in the requested order.
func writeInfer(w http.ResponseWriter, e *entry, q *inferRequest, out map[string]*tensor) error {
	binary, tail := false, 0
	for _, o := range q.outputs {
		if o.binary {
			binary, tail = true, tail+out[o.name].bytesLen()
		}
	}
	to := &sink{w: w, b: make([]byte, 0, jsonLen(e, q, out)+min(tail, sinkFrom))}
	if binary {
		to.w = io.Discard // the length of the JSON must be known before the JSON is sent
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	writeInferJSON(to, e, q, out)
	if !binary {
		if to.sent == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(len(to.b)))
		}
		return to.flush()
	}
	head := to.sent + len(to.b)
	w.Header().Set(headerLength, strconv.Itoa(head))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(head+tail))
	to.w = w
	if to.sent > 0 {
		to.b = to.b[:0]
		writeInferJSON(to, e, q, out)
	}
	for _, o := range q.outputs {
		if o.binary {
			out[o.name].writeBytes(to)
		}
	}
	return to.flush()
}

// jsonLen estimates the length of the JSON of an answer, or of its first part if the answer is sent in parts.
func jsonLen(e *entry, q *inferRequest, out map[string]*tensor) int {
	n := 64 + len(e.name) + len(e.version) + len(q.id)
	for _, o := range q.outputs {
		t := out[o.name]
		n += 80 + len(o.name)
		switch {
		case o.binary:
		case t.Text != nil:
			n += 8 * len(t.Text)
		case t.Datatype == "BOOL":
			n += 6 * len(t.Data)
		default:
			n += 23 * len(t.Data)
		}
		if n > sinkFrom {
			return sinkFrom + 64
		}
	}
	return n
}

// writeInferJSON writes the JSON of an answer.
func writeInferJSON(to *sink, e *entry, q *inferRequest, out map[string]*tensor) {
	to.b = append(to.b, `{"model_name":`...)
	to.b = append(text.AppendString(to.b, e.name), `,"model_version":`...)
	to.b = text.AppendString(to.b, e.version)
	if q.id != "" {
		to.b = append(text.AppendString(append(to.b, `,"id":`...), q.id), `,"parameters":{}`...)
	}
	to.b = append(to.b, `,"outputs":[`...)
	for i, o := range q.outputs {
		t := out[o.name]
		if i > 0 {
			to.b = append(to.b, ',')
		}
		to.b = append(text.AppendString(append(to.b, `{"name":`...), t.Name), `,"datatype":`...)
		to.b = append(text.AppendString(to.b, t.Datatype), `,"shape":`...)
		to.list(len(t.Shape), func(dst []byte, k int) []byte { return strconv.AppendInt(dst, int64(t.Shape[k]), 10) })
		if o.binary {
			to.b = append(to.b, `,"parameters":{"binary_data_size":`...)
			to.b = append(strconv.AppendInt(to.b, int64(t.bytesLen()), 10), '}')
		} else {
			to.b = append(to.b, `,"data":`...)
			t.writeJSON(to)
		}
		to.b = append(to.b, '}')
	}
	to.b = append(to.b, "]}"...)
}
