package rao_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"rao"
)

func TestOptionsInMessagesAreSpelledByTheProgram(t *testing.T) {
	inner := rao.Optionf("missing", "row %d of %q: %w; give {missing=n/a} or {drop}", 7, "{x}", fs.ErrInvalid)
	err := fmt.Errorf("t.csv: %w", rao.Optionf("labels", "no {labels}: %w", errors.Join(inner, errors.New("other"))))
	plain := `t.csv: no option labels: row 7 of "{x}": invalid argument; give missing=n/a or option drop` + "\nother"
	if got := err.Error(); got != plain {
		t.Errorf("Error: %s\nwant %s", got, plain)
	}
	flag := func(option, value string) string { return "--" + option + " " + value }
	want := `t.csv: no --labels : row 7 of "{x}": invalid argument; give --missing n/a or --drop ` + "\nother"
	if got := rao.Spell(err, flag); got != want {
		t.Errorf("Spell: %s\nwant %s", got, want)
	}
	var e *rao.OptionError
	if !errors.As(err, &e) || e.Option != "labels" || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("the option of %v is %v, and its cause is lost: %v", err, e, !errors.Is(err, fs.ErrInvalid))
	}
	number := func(option, value string) string { return option + "=" + strings.ToUpper(value) }
	err = rao.Optionf("cv", "%d%% of {cv=%d}, %q: {align=%s}", 5, 4, "x", "none")
	if got := rao.Spell(err, number); got != `5% of cv=4, "x": align=NONE` {
		t.Errorf("values of options that are arguments: %s", got)
	}
	if got := rao.Spell(fs.ErrExist, flag); got != fs.ErrExist.Error() {
		t.Errorf("an error without options became %q", got)
	}
}
