package indices

import (
	"errors"
	"strings"
)

// InError calls change to modify the index in the error of type E that err wraps. It also updates the text of err,
// because the wrapping errors contain a copy of the old text. If err wraps no such error, InError returns err.
func InError[E error](err error, change func(E)) error {
	var e E
	if !errors.As(err, &e) {
		return err
	}
	text, before := err.Error(), e.Error()
	change(e)
	if now := strings.Replace(text, before, e.Error(), 1); now != err.Error() {
		return &renumbered{now, err}
	}
	return err
}

type renumbered struct {
	text string
	err  error
}

func (r *renumbered) Error() string { return r.text }
func (r *renumbered) Unwrap() error { return r.err }
