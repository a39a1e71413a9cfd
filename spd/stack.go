package spd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
)

// Stack is a sequence of Count symmetric Dim×Dim matrices in one slice. Matrix k occupies Data[k*Stride :
// k*Stride+Dim*Dim], row-major and full (both triangles are stored and equal). With Stride = Dim*Dim it is the layout
// of a C-order numpy array of shape (Count, Dim, Dim).
type Stack struct {
	Count  int       // number of matrices
	Dim    int       // order of each matrix
	Stride int       // number of values from one matrix to the next, Dim*Dim or more
	Data   []float64 // the values
}

// noMatrix is the panic message for an index out of range.
const noMatrix = "spd: matrix index out of range, or no stack (nil)"

// errNil is the error of functions that get a nil stack. Methods of Stack panic with its text.
var errNil = faults.Count(0, 1, "the stack of matrices is nil")

// NewStack returns a stack of count dim×dim zero matrices. It panics if count or dim is negative, or if the size
// overflows.
func NewStack(count, dim int) *Stack {
	return &Stack{Count: count, Dim: dim, Stride: dim * dim, Data: make([]float64, sizeOf(count, dim))}
}

// StackOf wraps data, of length at least count*dim*dim, without copying. It panics with mat.ErrShape if data is too
// short, and under the same conditions as [NewStack].
func StackOf(count, dim int, data []float64) *Stack {
	size := sizeOf(count, dim)
	if len(data) < size {
		panic(mat.ErrShape)
	}
	return &Stack{Count: count, Dim: dim, Stride: dim * dim, Data: data[:size]}
}

// sizeOf returns count*dim*dim. It panics if a size is negative or the product exceeds the addressable memory.
func sizeOf(count, dim int) int {
	const most = math.MaxInt / 8 // float64
	switch {
	case count < 0 || dim < 0:
		panic(fmt.Sprintf("spd: a stack of %d matrices of order %d: neither may be negative", count, dim))
	case dim > 0 && (dim > most/dim || count > most/(dim*dim)):
		panic(fmt.Sprintf("spd: a stack of %d matrices of order %d is larger than any memory", count, dim))
	}
	return count * dim * dim
}

// StackFrom returns a stack of copies of matrices. It panics with mat.ErrShape if their orders differ.
func StackFrom(matrices ...mat.Symmetric) *Stack {
	if len(matrices) == 0 {
		return NewStack(0, 0)
	}
	s := NewStack(len(matrices), matrices[0].SymmetricDim())
	for k, a := range matrices {
		s.Set(k, a)
	}
	return s
}

// At returns matrix k as a slice of Dim*Dim values that shares the stack's memory. It panics if k is out of range.
func (s *Stack) At(k int) []float64 {
	if s == nil || k < 0 || k >= s.Count {
		panic(noMatrix)
	}
	return s.Data[k*s.Stride : k*s.Stride+s.Dim*s.Dim : k*s.Stride+s.Dim*s.Dim]
}

// mustExist panics if the stack is nil.
func (s *Stack) mustExist() {
	if s == nil {
		panic("spd: " + errNil.Error())
	}
}

// Sym copies matrix k into a new gonum symmetric matrix. It panics if k is out of range.
func (s *Stack) Sym(k int) *mat.SymDense {
	at := s.At(k)
	d := make([]float64, len(at))
	copy(d, at)
	return mat.NewSymDense(s.Dim, d)
}

// View returns matrix k as a gonum matrix that shares the stack's memory, for reading. It panics if k is out of range.
func (s *Stack) View(k int) *mat.SymDense {
	at := s.At(k)
	return mat.NewSymDense(s.Dim, at)
}

// Set copies the symmetric matrix a to index k. It panics if k is out of range, and with mat.ErrShape if the order of a
// is not Dim.
func (s *Stack) Set(k int, a mat.Symmetric) {
	s.mustExist()
	if a.SymmetricDim() != s.Dim {
		panic(mat.ErrShape)
	}
	fill(s.At(k), a)
}

// Slice returns the matrices lo to hi-1, which share the stack's memory. It panics if they are out of range.
func (s *Stack) Slice(lo, hi int) *Stack {
	if s == nil || lo < 0 || hi < lo || hi > s.Count {
		panic(noMatrix)
	}
	if lo == hi {
		return &Stack{Dim: s.Dim, Stride: s.Stride}
	}
	return &Stack{Count: hi - lo, Dim: s.Dim, Stride: s.Stride,
		Data: s.Data[lo*s.Stride : (hi-1)*s.Stride+s.Dim*s.Dim]}
}

// Clone returns a deep copy with Stride = Dim*Dim.
func (s *Stack) Clone() *Stack {
	s.mustExist()
	out := NewStack(s.Count, s.Dim)
	for k := range s.Count {
		copy(out.At(k), s.At(k))
	}
	return out
}

// Select copies the matrices of the given indices, in order, to a new stack. It panics if an index is out of range.
func (s *Stack) Select(index []int) *Stack {
	s.mustExist()
	out := NewStack(len(index), s.Dim)
	for i, k := range index {
		copy(out.At(i), s.At(k))
	}
	return out
}

// Contiguous returns the matrices as one slice of Count*Dim*Dim values. It copies only if the stride requires it.
func (s *Stack) Contiguous() []float64 {
	s.mustExist()
	n := s.Dim * s.Dim
	if s.Stride == n {
		return s.Data[:s.Count*n]
	}
	out := make([]float64, s.Count*n)
	for k := range s.Count {
		copy(out[k*n:], s.At(k))
	}
	return out
}

// Validate returns an error if the sizes are invalid or Data is too short for them.
func (s *Stack) Validate() error {
	if s == nil {
		return errNil
	}
	// by division, because products of hostile sizes overflow
	short := s.Dim > 0 && s.Count > 0 && s.Dim > len(s.Data)/s.Dim
	switch {
	case s.Count < 0 || s.Dim < 1:
		return fmt.Errorf("the stack has %d matrices of order %d; the number must be 0 or more, and the order 1 or "+
			"more", s.Count, s.Dim)
	case !short && s.Stride < s.Dim*s.Dim:
		return fmt.Errorf("the stride of the stack is %d; it must be at least %d×%d", s.Stride, s.Dim, s.Dim)
	case short || s.Count > 0 && (len(s.Data)-s.Dim*s.Dim)/s.Stride < s.Count-1:
		return fmt.Errorf("the stack has %d values, too few for %d matrices of order %d with stride %d",
			len(s.Data), s.Count, s.Dim, s.Stride)
	}
	return nil
}
