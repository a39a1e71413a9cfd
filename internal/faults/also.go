package faults

// Also returns err with the type of kind, for errors.As. The message remains that of err.
func Also(err, kind error) error { return &also{err, kind} }

type also struct {
	error
	kind error
}

// Unwrap returns both errors.
func (a *also) Unwrap() []error { return []error{a.error, a.kind} }
