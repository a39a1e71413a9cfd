package small

import (
	"fmt"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/cpu"
)

// MaxLanes is the largest order that is computed with one matrix per SIMD lane. A group of larger matrices does not fit
// in the processor's caches.
const MaxLanes = 64

// Reason is the reason why a matrix failed.
type Reason int

const (
	NotFinite           Reason = iota + 1 // a value is NaN or infinite, or a result overflows
	NotPositiveDefinite                   // a pivot or an eigenvalue is not positive
	NoConvergence                         // the eigenvalue iteration did not converge
)

func (r Reason) String() string {
	switch r {
	case NotFinite:
		return "has a value that is not finite"
	case NotPositiveDefinite:
		return "is not positive definite"
	}
	return "has eigenvalues that did not converge"
}

// Error describes the first matrix of a batch that failed.
type Error struct {
	Index  int     // index of the matrix in the batch
	Reason Reason  // why the matrix failed
	Value  float64 // the pivot or eigenvalue that is not positive, otherwise NaN
}

func (e *Error) Error() string {
	if e.Reason == NotPositiveDefinite {
		return fmt.Sprintf("matrix %d %v: pivot or eigenvalue %.6g", e.Index, e.Reason, e.Value)
	}
	return fmt.Sprintf("matrix %d %v", e.Index, e.Reason)
}

// Workspace is the scratch memory of the operations. Its zero value is ready to use. It must not be copied after first
// use, nor used by two goroutines at once.
type Workspace struct {
	// Narrow limits vectors to four lanes. Set it before the first use for batches of at most four matrices: wider
	// vectors would only use more of the cache. It does not change the bits of the results.
	Narrow bool

	engine engine // nil until the first use
	forced bool   // the engine was chosen by a test
	status [maxLanes]status
	slots  [slotCount][]float64
	order  []int64 // places of the eigenvectors of one matrix
	prod   product
}

// maxLanes is the number of lanes of the widest engine.
const maxLanes = 8

// status is the outcome of one lane of a group.
type status struct {
	reason Reason // 0 if the lane has not failed
	value  float64
}

// These are the slots of scratch memory. An operation that calls another must not use the same slot.
const (
	slotStage  = iota // a group with fewer matrices than lanes, padded
	slotA             // operands and results, interleaved
	slotB             //
	slotC             //
	slotD             //
	slotShared        // an operand that all matrices share, copied to every lane
	slotValues        // eigenvalues or pivots
	slotEigen         // scratch memory of the eigenvalue solver
	slotOrder         // places of eigenvalues, or sums
	slotCount
)

func (w *Workspace) use(n int) engine {
	if n == 0 {
		return portable{}
	}
	if n > MaxLanes && !w.forced {
		return blocked{}
	}
	if w.engine == nil {
		path := cpu.Use()
		if w.Narrow && path == cpu.AVX512 {
			path = cpu.AVX2
		}
		w.engine = engineFor(path)
	}
	return w.engine
}

// slot returns n values of scratch memory, aligned to a cache line.
func (w *Workspace) slot(which, n int) []float64 {
	if s := w.slots[which]; len(s) >= n {
		return s[:n]
	}
	raw := make([]float64, n+7)
	skip := 0
	for uintptr(unsafe.Pointer(&raw[skip]))%64 != 0 && skip < 7 {
		skip++
	}
	w.slots[which] = raw[skip : skip+n : skip+n]
	return w.slots[which]
}

// load interleaves matrices first to first+valid-1 of src, m values each, into a slot. Lanes without a matrix repeat
// the last one.
func (w *Workspace) load(e engine, which int, src []float64, m, first, valid int) []float64 {
	lanes := e.lanes()
	buf := w.slot(which, m*lanes)
	src = src[first*m : (first+valid)*m]
	if valid < lanes {
		stage := w.slot(slotStage, m*lanes)
		copy(stage, src)
		for k := valid; k < lanes; k++ {
			copy(stage[k*m:(k+1)*m], src[(valid-1)*m:])
		}
		src = stage
	}
	e.pack(buf, src, m)
	return buf
}

// loadShared copies one matrix of m values to every lane of slotShared.
func (w *Workspace) loadShared(e engine, src []float64, m int) []float64 {
	lanes := e.lanes()
	buf := w.slot(slotShared, m*lanes)
	to := buf
	for _, v := range src[:m] {
		if lanes == maxLanes { // unrolled, because a loop needs four times as long
			all := (*[maxLanes]float64)(to)
			all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7] = v, v, v, v, v, v, v, v
		} else {
			for k := range to[:lanes] {
				to[k] = v
			}
		}
		to = to[lanes:]
	}
	return buf
}

// store writes the lanes of buf, m values each, to matrices first to first+valid-1 of dst. Results of failed lanes
// become NaN.
func (w *Workspace) store(e engine, dst, buf []float64, m, first, valid int) {
	lanes := e.lanes()
	dst = dst[first*m : (first+valid)*m]
	if valid < lanes {
		stage := w.slot(slotStage, m*lanes)
		e.unpack(stage, buf, m)
		copy(dst, stage)
	} else {
		e.unpack(dst, buf, m)
	}
	w.spoil(dst, m, valid)
}

func (w *Workspace) spoil(dst []float64, m, valid int) {
	for k := range valid {
		if w.status[k].reason == 0 {
			continue
		}
		for t := range m {
			dst[k*m+t] = math.NaN()
		}
	}
}

// begin resets the status of all lanes for the next group.
func (w *Workspace) begin() { w.status = [maxLanes]status{} }

// merge returns err or, if err is nil, the error of the first failed lane in the group that starts at matrix first.
func (w *Workspace) merge(err error, first, valid int) error {
	if err != nil {
		return err
	}
	for k, s := range w.status[:valid] {
		if s.reason != 0 {
			return &Error{Index: first + k, Reason: s.reason, Value: s.value}
		}
	}
	return nil
}

// fail marks a lane as failed unless it is already marked.
func (w *Workspace) fail(lane int, reason Reason, value float64) {
	if w.status[lane].reason == 0 {
		w.status[lane] = status{reason, value}
	}
}

// need panics with mat.ErrShape unless every slice has at least m*count values.
func need(m, count int, slices ...int) {
	if m < 0 || count < 0 {
		panic(mat.ErrShape)
	}
	for _, l := range slices {
		if l < m*count {
			panic(mat.ErrShape)
		}
	}
}
