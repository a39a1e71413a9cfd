//go:build wasip1

// Command wasm compiles to a WebAssembly module that predicts. It runs models saved by rao fit in a browser, in Node or
// in any WASI runtime, without a server.
//
// predictor.mjs calls its exports. Build it as a reactor:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags "-s -w" -o predictor.wasm ./serve/wasm
//
// Memory is passed as address and length. A result has its address in the upper 32 bits and its length in the lower 32
// bits; it is valid until the next call. Zero means that the call failed; failure returns the message.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"rao/internal/modelinfo"
	"rao/internal/serve/explain"
	"rao/model"
	"rao/spd"
)

func main() {}

var (
	buffers = map[uint32][]byte{} // memory that the caller reserved, by address
	models  = map[uint32]*model.Model{}
	last    uint32
	result  []byte
	words   string
)

// reserve returns the address of size bytes that the caller may write.
//
//go:wasmexport reserve
func reserve(size uint32) uint32 {
	b := make([]byte, (size+7)/8*8+8)
	at := uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	buffers[at] = b
	return at
}

// release frees the memory that was reserved at the address.
//
//go:wasmexport release
func release(at uint32) { delete(buffers, at) }

// failure returns the error message of the last failed call.
//
//go:wasmexport failure
func failure() uint64 { return give([]byte(words)) }

// load reads a model file at the reserved address and returns the number of the model.
//
//go:wasmexport load
func load(at, size uint32) uint32 {
	b, err := reserved(at, int(size))
	if err == nil {
		var m *model.Model
		if m, err = model.Read(bytes.NewReader(b), int64(size), "the model"); err == nil {
			last++
			models[last] = m
			return last
		}
	}
	words = err.Error()
	return 0
}

// unload removes a model.
//
//go:wasmexport unload
func unload(number uint32) { delete(models, number) }

// describe returns a description of a model for a page, as JSON.
//
//go:wasmexport describe
func describe(number uint32) uint64 {
	m := models[number]
	if m == nil {
		return fail(fmt.Errorf("there is no model %d; load it first", number))
	}
	b, err := json.Marshal(modelinfo.Describe(m))
	if err != nil {
		return fail(err)
	}
	return give(b)
}

// decide classifies the observations at the reserved address. It returns the model, the observations and the
// prediction.
func decide(number, at, count uint32) (m *model.Model, batch model.Batch, p *model.Prediction, err error) {
	if m = models[number]; m == nil {
		return nil, batch, nil, fmt.Errorf("there is no model %d; load it first", number)
	}
	if batch, err = observations(m, at, int(count)); err != nil {
		return nil, batch, nil, err
	}
	p, err = m.Predict(context.Background(), batch)
	return m, batch, p, err
}

// predict classifies count observations at the reserved address, float64 in C order. The result has for each
// observation the number of its label, 1 if it is rejected, 1 if it is an outlier, and the probability of each class,
// all float64.
//
//go:wasmexport predict
func predict(number, at, count uint32) uint64 {
	m, _, p, err := decide(number, at, count)
	if err != nil {
		return fail(err)
	}
	out := make([]float64, 0, int(count)*(3+len(m.Classes)))
	for i, l := range p.Label {
		out = append(out, float64(l), flag(p.Rejected[i]), flag(p.Outlier[i]))
		for _, v := range p.LogPosterior.RawRowView(i) {
			out = append(out, math.Exp(v))
		}
	}
	return give(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), 8*len(out)))
}

// explainDecisions explains the decisions on count observations at the reserved address, float64 in C order, as JSON;
// see package explain.
//
//go:wasmexport explain
func explainDecisions(number, at, count uint32) uint64 {
	m, batch, p, err := decide(number, at, count)
	if err != nil {
		return fail(err)
	}
	items, err := explain.All(context.Background(), m, batch, p)
	if err != nil {
		return fail(err)
	}
	b, err := json.Marshal(items)
	if err != nil {
		return fail(err)
	}
	return give(b)
}

// observations returns copies of the observations at the reserved address.
func observations(m *model.Model, at uint32, count int) (model.Batch, error) {
	dim := m.Input.Dim
	values := dim
	if m.Input.Kind == model.KindMatrices {
		values *= dim
	}
	b, err := reserved(at, 8*values*count)
	if err != nil {
		return model.Batch{}, err
	}
	if count == 0 {
		return model.Batch{}, errors.New("there are no observations; the count must be positive")
	}
	x := slices.Clone(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), values*count))
	if m.Input.Kind == model.KindMatrices {
		stack := spd.StackOf(count, dim, x)
		return model.Matrices(stack), stack.Verify()
	}
	return model.Vectors(mat.NewDense(count, dim, x)), nil
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// reserved returns the first size bytes of memory that the caller reserved.
func reserved(at uint32, size int) ([]byte, error) {
	b := buffers[at]
	if b == nil || size > len(b) {
		return nil, fmt.Errorf("no memory of %d bytes was reserved at address %d; call reserve first", size, at)
	}
	return b[:size], nil
}

// give returns the address of b in the upper 32 bits and the length of b in the lower 32 bits. b remains in memory
// until the next call.
func give(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	result = b
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))<<32 | uint64(len(b))
}

func fail(err error) uint64 {
	words = err.Error()
	return 0
}
