package onnx

import (
	"fmt"
	"slices"
)

// tensor is a constant or an intermediate value. Exactly one of the slices is used.
type tensor struct {
	shape  []int
	values []float64
	ints   []int64
	texts  []string
	bools  []bool
}

// node is one operation of the graph with its inputs, outputs and attributes.
type node struct {
	op     string
	inputs []string
	output string             // name of the result
	values string             // name of the first of two results
	domain string             // domain of the operation; empty for ONNX itself
	ints   map[string][]int64 // attributes that are lists; attributes that are single numbers are in one
	one    map[string]int64
	texts  []string // keys of a LabelEncoder
}

// value describes an input or output of a graph. A dimension of -1 is the number of observations.
type value struct {
	name  string
	kind  kind
	shape []int
}

// kind is the type of a tensor's elements, as numbered by ONNX.
type kind int

const (
	float32Kind kind = 1
	int64Kind   kind = 7
	textKind    kind = 8
	boolKind    kind = 9
	float64Kind kind = 11
)

// graph is built node by node. Names of values are generated.
type graph struct {
	float      kind // type of the floating-point numbers
	nodes      []node
	constants  map[string]*tensor
	order      []string // order of the constants
	inputs     []value
	outputs    []value
	logarithms bool    // whether the graph contains logarithms of matrices, which are accurate up to a condition number
	threshold  float64 // probability above which the last of two classes is chosen; 0 for none
	metadata   [][2]string
	next       int
}

func newGraph(single bool) *graph {
	g := &graph{float: float64Kind, constants: map[string]*tensor{}}
	if single {
		g.float = float32Kind
	}
	return g
}

func (g *graph) add(t *tensor) string {
	name := fmt.Sprintf("rao_c%d", len(g.order))
	g.order = append(g.order, name)
	g.constants[name] = t
	return name
}

func (g *graph) numbers(v []float64, shape ...int) string {
	return g.add(&tensor{shape: shape, values: slices.Clone(v)})
}

func (g *graph) scalar(v float64) string { return g.numbers([]float64{v}, 1) }

func (g *graph) integers(v ...int64) string {
	return g.add(&tensor{shape: []int{len(v)}, ints: v})
}

func (g *graph) op(op string, inputs ...string) string { return g.with(op, nil, nil, inputs...) }

// with adds an operation with integer attributes and returns the name of the result. one contains attributes that are
// single numbers, ints attributes that are lists.
func (g *graph) with(op string, one map[string]int64, ints map[string][]int64, inputs ...string) string {
	g.next++
	name := fmt.Sprintf("rao_v%d", g.next)
	g.nodes = append(g.nodes, node{op: op, inputs: inputs, output: name, ints: ints, one: one})
	return name
}

func (g *graph) matmul(a, b string) string { return g.op("MatMul", a, b) }

func (g *graph) reshape(x string, shape ...int64) string {
	return g.op("Reshape", x, g.integers(shape...))
}

// sum adds the operation that sums x over the axes and removes them.
func (g *graph) sum(x string, axes ...int64) string {
	return g.with("ReduceSum", map[string]int64{"keepdims": 0}, nil, x, g.integers(axes...))
}

// reduce adds a reduction with the axes as an attribute.
func (g *graph) reduce(op, x string, keep int64, axes ...int64) string {
	return g.with(op, map[string]int64{"keepdims": keep}, map[string][]int64{"axes": axes}, x)
}

// smallest returns the k smallest values of each row in ascending order, and their positions. Equal values remain in
// their original order.
func (g *graph) smallest(x string, k int) (values, places string) {
	places = g.with("TopK", map[string]int64{"axis": -1, "largest": 0, "sorted": 1}, nil, x, g.integers(int64(k)))
	values = places + "_values"
	g.nodes[len(g.nodes)-1].values = values
	return values, places
}

// output adds an output of the graph. result is the value that the output returns.
func (g *graph) output(name, result string, k kind, shape ...int) {
	g.nodes = append(g.nodes, node{op: "Identity", inputs: []string{result}, output: name})
	g.outputs = append(g.outputs, value{name, k, shape})
}

// bytes returns the size of the constants in bytes.
func (g *graph) bytes() (n int64) {
	width := int64(8)
	if g.float == float32Kind {
		width = 4
	}
	for _, c := range g.constants {
		n += width*int64(len(c.values)) + 8*int64(len(c.ints))
	}
	return n
}

// decide adds the outputs label and probabilities from scores. The class with the largest score is the most probable
// one. If a score is NaN, the label is empty.
func (g *graph) decide(scores string, classes []string) {
	p := g.with("Softmax", map[string]int64{"axis": 1}, nil, scores)
	if g.threshold > 0 { // p₁ - t is larger if p₁ is above t
		scores = g.op("Sub", p, g.numbers([]float64{1 - g.threshold, g.threshold}, 1, 2))
	}
	best := g.with("ArgMax", map[string]int64{"axis": 1, "keepdims": 0}, nil, scores)
	known := g.op("Less", g.sum(p, 1), g.scalar(2)) // the sum is 1 or NaN
	best = g.op("Where", known, best, g.integers(int64(len(classes))))
	names := g.add(&tensor{shape: []int{len(classes) + 1}, texts: append(slices.Clone(classes), "")})
	g.output("label", g.op("Gather", names, best), textKind, -1)
	g.output("probabilities", p, g.float, -1, len(classes))
}
