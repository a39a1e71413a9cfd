package index

import (
	"errors"
	"strings"
)

// InError lets change write another number into the error of type E that err wraps, if there is one, and returns err
// with the text that fits: errors around it copied its text when they were made.
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
