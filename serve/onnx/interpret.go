package onnx

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// run computes the outputs of the graph for its inputs. It supports the operators that this package writes. In a
// single-precision graph, numbers are rounded to single precision after every operation.
func (g *graph) run(inputs map[string]*tensor) (map[string]*tensor, error) {
	values := map[string]*tensor{}
	for name, t := range inputs {
		values[name] = g.rounded(t)
	}
	for name, c := range g.constants {
		values[name] = g.rounded(c)
	}
	err := par.Steps(len(g.nodes), func(k int) error {
		n := g.nodes[k]
		in := make([]*tensor, len(n.inputs))
		for i, name := range n.inputs {
			if in[i] = values[name]; in[i] == nil {
				return fmt.Errorf("the node %s needs %s, which no node produces; export the model again", n.op, name)
			}
		}
		if n.op == "TopK" {
			values[n.values], values[n.output] = smallest(in[0], int(in[1].ints[0]))
			return nil
		}
		out, err := n.apply(in)
		if err != nil {
			return fmt.Errorf("the node %s: %w; check the shape of the input, or export the model again", n.op, err)
		}
		values[n.output] = g.rounded(out)
		return nil
	})
	if err != nil {
		return nil, err
	}
	outputs := map[string]*tensor{}
	for _, o := range g.outputs {
		outputs[o.name] = values[o.name]
	}
	return outputs, nil
}

func (g *graph) rounded(t *tensor) *tensor {
	if g.float == float64Kind || t.values == nil {
		return t
	}
	out := &tensor{shape: t.shape, values: make([]float64, len(t.values))}
	for i, v := range t.values {
		out.values[i] = float64(float32(v))
	}
	return out
}

func (n *node) apply(in []*tensor) (*tensor, error) {
	switch n.op {
	case "Identity":
		return in[0], nil
	case "MatMul":
		return matmul(in[0], in[1])
	case "Add":
		return elementwise(in[0], in[1], func(a, b float64) float64 { return a + b })
	case "Sub":
		return elementwise(in[0], in[1], func(a, b float64) float64 { return a - b })
	case "Mul":
		return elementwise(in[0], in[1], func(a, b float64) float64 { return a * b })
	case "Div":
		return elementwise(in[0], in[1], func(a, b float64) float64 { return a / b })
	case "Less":
		t, err := elementwise(in[0], in[1], func(a, b float64) float64 {
			if a < b {
				return 1
			}
			return 0
		})
		if err != nil {
			return nil, err
		}
		out := &tensor{shape: t.shape, bools: make([]bool, len(t.values))}
		for i, v := range t.values {
			out.bools[i] = v == 1
		}
		return out, nil
	case "Where":
		if in[1].ints == nil {
			return choose(in[0], in[1], in[2])
		}
		return where(in[0], in[1], in[2])
	case "IsNaN":
		return isNaN(in[0]), nil
	case "Concat":
		return concat(in)
	case "LabelEncoder":
		return n.place(in[0]), nil
	case "Log":
		return each(in[0], math.Log), nil
	case "Exp":
		return each(in[0], math.Exp), nil
	case "Abs":
		return each(in[0], math.Abs), nil
	case "Reshape":
		return reshape(in[0], in[1].ints)
	case "Transpose":
		return transpose(in[0], n.ints["perm"]), nil
	case "ReduceSum":
		return reduce(in[0], in[1].ints, n.one["keepdims"] == 1, 0, func(a, v float64) float64 { return a + v }), nil
	case "ReduceMax":
		return reduce(in[0], n.ints["axes"], n.one["keepdims"] == 1, math.Inf(-1), func(a, v float64) float64 {
			if v > a || v != v {
				return v
			}
			return a
		}), nil
	case "ReduceL2":
		t := reduce(in[0], n.ints["axes"], n.one["keepdims"] == 1, 0, func(a, v float64) float64 { return a + v*v })
		return each(t, math.Sqrt), nil
	case "Softmax":
		return softmax(in[0]), nil
	case "ArgMax":
		return argmax(in[0]), nil
	case "Gather":
		return gather(in[0], in[1]), nil
	case "GatherElements":
		return gatherElements(in[0], in[1]), nil
	}
	return nil, fmt.Errorf("the interpreter has no such operator")
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func each(t *tensor, f func(float64) float64) *tensor {
	out := &tensor{shape: t.shape, values: make([]float64, len(t.values))}
	for i, v := range t.values {
		out.values[i] = f(v)
	}
	return out
}

// broadcast returns the common shape of two tensors, or an error if there is none.
func broadcast(a, b []int) ([]int, error) {
	out := make([]int, max(len(a), len(b)))
	for i := range out {
		x, y := 1, 1
		if k := len(a) - len(out) + i; k >= 0 {
			x = a[k]
		}
		if k := len(b) - len(out) + i; k >= 0 {
			y = b[k]
		}
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("the shapes %v and %v do not match", a, b)
		}
		out[i] = max(x, y)
	}
	return out, nil
}

// offsets broadcasts a tensor of the given shape to the shape to. For each element of the result, it returns the index
// of that element in the tensor.
func offsets(shape, to []int) []int {
	stride := make([]int, len(to))
	for i, s := range strides(shape) {
		if shape[i] > 1 {
			stride[len(to)-len(shape)+i] = s
		}
	}
	return walk(to, stride)
}

// strides returns the distances of neighbors along each axis of a tensor.
func strides(shape []int) []int {
	out, at := make([]int, len(shape)), 1
	for i, d := range slices.Backward(shape) {
		out[i], at = at, at*d
	}
	return out
}

// walk returns the offset of each element of a tensor of the given shape, if neighbors along axis k are stride[k]
// apart.
func walk(shape, stride []int) []int {
	out, index := make([]int, size(shape)), make([]int, len(shape))
	for i := range out {
		for k, v := range index {
			out[i] += v * stride[k]
		}
		for k := len(shape) - 1; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return out
}

func elementwise(a, b *tensor, f func(a, b float64) float64) (*tensor, error) {
	shape, err := broadcast(a.shape, b.shape)
	if err != nil {
		return nil, err
	}
	out := &tensor{shape: shape, values: make([]float64, size(shape))}
	i, j := offsets(a.shape, shape), offsets(b.shape, shape)
	for k := range out.values {
		out.values[k] = f(a.values[i[k]], b.values[j[k]])
	}
	return out, nil
}

func matmul(a, b *tensor) (*tensor, error) {
	ra, rb := len(a.shape)-2, len(b.shape)-2
	if ra < 0 || rb < 0 || a.shape[ra+1] != b.shape[rb] {
		return nil, fmt.Errorf("matrices of the shapes %v and %v cannot be multiplied", a.shape, b.shape)
	}
	batch, err := broadcast(a.shape[:ra], b.shape[:rb])
	if err != nil {
		return nil, err
	}
	n, k, m := a.shape[ra], a.shape[ra+1], b.shape[rb+1]
	out := &tensor{shape: append(slices.Clone(batch), n, m), values: make([]float64, size(batch)*n*m)}
	ia, ib := offsets(a.shape[:ra], batch), offsets(b.shape[:rb], batch)
	for q := range ia {
		x, y, z := a.values[ia[q]*n*k:], b.values[ib[q]*k*m:], out.values[q*n*m:]
		for i := range n {
			for l := range k {
				v := x[i*k+l]
				for j := range m {
					z[i*m+j] += v * y[l*m+j]
				}
			}
		}
	}
	return out, nil
}

func reshape(t *tensor, to []int64) (*tensor, error) {
	shape := make([]int, len(to))
	known, open := 1, -1
	for i, d := range to {
		if shape[i] = int(d); d < 0 {
			open = i
		} else {
			known *= int(d)
		}
	}
	if open >= 0 && known > 0 {
		shape[open] = size(t.shape) / known
	}
	if size(shape) != size(t.shape) {
		return nil, fmt.Errorf("values of the shape %v cannot be reshaped to %v", t.shape, to)
	}
	return &tensor{shape: shape, values: t.values}, nil
}

func transpose(t *tensor, perm []int64) *tensor {
	order := vec.Converted[int](perm)
	shape := indices.Pick(t.shape, order)
	from := walk(shape, indices.Pick(strides(t.shape), order))
	return &tensor{shape: shape, values: indices.Pick(t.values, from)}
}

func reduce(t *tensor, axes []int64, keep bool, start float64, f func(a, v float64) float64) *tensor {
	kept := slices.Clone(t.shape)
	for _, a := range axes {
		if a < 0 {
			a += int64(len(kept))
		}
		kept[a] = 1
	}
	out := &tensor{shape: kept, values: make([]float64, size(kept))}
	for i := range out.values {
		out.values[i] = start
	}
	for i, k := range offsets(kept, t.shape) {
		out.values[k] = f(out.values[k], t.values[i])
	}
	if !keep {
		var shape []int
		for i, d := range kept {
			if !slices.Contains(axes, int64(i)) && !slices.Contains(axes, int64(i-len(kept))) {
				shape = append(shape, d)
			}
		}
		out.shape = shape
	}
	return out
}

// gather returns the rows of t with the given indices. The result has the axes of the indices, followed by all axes of
// t but the first.
func gather(t, rows *tensor) *tensor {
	row := t.shape[1:]
	n := size(row)
	out := &tensor{shape: slices.Concat(rows.shape, row)}
	for _, k := range rows.ints {
		if t.texts != nil {
			out.texts = append(out.texts, t.texts[k])
		} else {
			out.values = append(out.values, t.values[int(k)*n:(int(k)+1)*n]...)
		}
	}
	return out
}

// where returns the integers in a where the condition is true, and the single number in b elsewhere.
func where(condition, a, b *tensor) (*tensor, error) {
	if len(condition.bools) != len(a.ints) || len(b.ints) != 1 {
		return nil, fmt.Errorf("the shapes %v, %v and %v do not match", condition.shape, a.shape, b.shape)
	}
	out := &tensor{shape: a.shape, ints: slices.Clone(a.ints)}
	for i, ok := range condition.bools {
		if !ok {
			out.ints[i] = b.ints[0]
		}
	}
	return out, nil
}

// gatherElements returns, for each row of places, the integers at these positions in the same row of t.
func gatherElements(t, places *tensor) *tensor {
	out := &tensor{shape: places.shape}
	from, to := t.shape[1], places.shape[1]
	for i, p := range places.ints {
		out.ints = append(out.ints, t.ints[i/to*from+int(p)])
	}
	return out
}

// smallest returns the k smallest values along the last axis, and their positions. The values are numbers or integers.
func smallest(t *tensor, k int) (values, places *tensor) {
	last := len(t.shape) - 1
	n := t.shape[last]
	shape := append(slices.Clone(t.shape[:last]), k)
	values, places = &tensor{shape: shape}, &tensor{shape: shape}
	order := make([]int, n)
	for lo := 0; lo < size(t.shape); lo += n {
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if t.ints != nil {
				return cmp.Compare(t.ints[lo+a], t.ints[lo+b])
			}
			return cmp.Compare(t.values[lo+a], t.values[lo+b])
		})
		for _, i := range order[:k] {
			places.ints = append(places.ints, int64(i))
			if t.ints != nil {
				values.ints = append(values.ints, t.ints[lo+i])
			} else {
				values.values = append(values.values, t.values[lo+i])
			}
		}
	}
	return values, places
}

func softmax(t *tensor) *tensor {
	out := &tensor{shape: t.shape, values: make([]float64, len(t.values))}
	c := t.shape[1]
	for i := 0; i < len(t.values); i += c {
		row, top, sum := t.values[i:i+c], slices.Max(t.values[i:i+c]), 0.0
		for j, v := range row {
			out.values[i+j] = math.Exp(v - top)
			sum += out.values[i+j]
		}
		for j := range row {
			out.values[i+j] /= sum
		}
	}
	return out
}

func argmax(t *tensor) *tensor {
	c := t.shape[1]
	out := &tensor{shape: []int{t.shape[0]}, ints: make([]int64, t.shape[0])}
	for i := range out.ints {
		for j, v := range t.values[i*c : (i+1)*c] {
			if v > t.values[i*c+int(out.ints[i])] {
				out.ints[i] = int64(j)
			}
		}
	}
	return out
}
