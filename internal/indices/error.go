package indices

import (
	"errors"
	"strings"
)

// If err wraps an error of type E, InError calls change to modify the index in that error. It also updates the text of
// err, because the wrapping errors contain a copy of the old text.
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
