package index

import (
	"errors"
	"strings"
)

// InError calls change to modify the index in an error of type E that err wraps, if there is one. It returns err with
// its text updated, because the errors around it copied the old text when they were created.
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
