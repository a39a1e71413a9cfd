package rao_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"rao"
	"rao/internal/testkit"
)

func TestOptionsInMessagesAreSpelledByTheProgram(t *testing.T) {
	inner := rao.Optionf("missing", "row %d of %q: %w; give {missing=n/a} or {drop}", 7, "{x}", fs.ErrInvalid)
	err := fmt.Errorf("t.csv: %w", rao.Optionf("labels", "no {labels}: %w", errors.Join(inner, errors.New("other"))))
	plain := `t.csv: no option labels: row 7 of "{x}": invalid argument; give missing=n/a or option drop` + "\nother"
	testkit.Equal(t, err.Error(), plain, "Error")
	flag := func(option, value string) string { return "--" + option + " " + value }
	want := `t.csv: no --labels : row 7 of "{x}": invalid argument; give --missing n/a or --drop ` + "\nother"
	testkit.Equal(t, rao.Spell(err, flag), want, "Spell")
	var e *rao.OptionError
	if !errors.As(err, &e) || e.Option != "labels" || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("the option of %v is %v, and its cause is lost: %v", err, e, !errors.Is(err, fs.ErrInvalid))
	}
	number := func(option, value string) string { return option + "=" + strings.ToUpper(value) }
	err = rao.Optionf("cv", "%d%% of {cv=%d}, %q: {align=%s}", 5, 4, "x", "none")
	testkit.Equal(t, rao.Spell(err, number), `5% of cv=4, "x": align=NONE`, "values of options that are arguments")
	testkit.Equal(t, rao.Spell(fs.ErrExist, flag), fs.ErrExist.Error(), "an error without options became")
}

// The error of a canceled fit says that the model is usable, and does not suggest changing options.
func TestErrorOfCanceledFits(t *testing.T) {
	err := &rao.NotConvergedError{Method: "svm", Report: rao.Report{Status: rao.StatusCanceled, Iterations: 3},
		Remedy: "raise the iteration limit"}
	testkit.Equal(t, err.Error(), "svm was canceled after 3 iterations; the model is the best so far", "error")
}
