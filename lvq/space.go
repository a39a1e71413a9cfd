package lvq

type pair struct{ sample, prototype int }

// space is a set of samples and of prototypes in one geometry. The trainer uses only this interface.
type space interface {
	samples() int
	// frame returns the length of a prototype's tangent vector.
	frame() int
	// evaluator returns a new evaluator with memory for the given number of pairs per call. Evaluators share the
	// prototypes. Several may measure at the same time, but not while a prototype moves.
	evaluator(pairs int) evaluator
	// apply moves prototype l along the tangent vector in its own frame, as accumulated by evaluators, and returns the
	// length of the move.
	apply(l int, tangent []float64) (float64, error)
	// snapshot appends the state of the prototypes to dst, and restore sets it.
	snapshot(dst []float64) []float64
	restore(state []float64)
}

// evaluator computes distances and keeps the intermediate results that the next step needs.
type evaluator interface {
	// distances writes the squared distance of every pair. Slot k is pairs[k] until the next call.
	distances(d []float64, pairs []pair) error
	// move moves prototype pairs[slot].prototype to the point at a on the geodesic from it to the sample of that slot.
	// Before the next call of distances, at most one slot of each prototype may be moved.
	move(slots []int, a []float64) error
	// accumulate adds a[k]·Log_W X of every slot k to the tangent vector of its prototype W, in W's frame: vector l is
	// tangents[l*frame:(l+1)*frame].
	accumulate(tangents []float64, a []float64)
}
