package app

import (
	"errors"
	"fmt"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/spd"
)

// remedies lists commands that help after an error of the library.
var remedies = []struct {
	err  error
	verb string
}{
	{dataset.ErrNotFound, "rao data list shows the sets"},
	{dataset.ErrStatistics, "give it with --stats to rao fit or rao spd distance"},
	{dataset.ErrNotSymmetric, "rao spd check lists all that are not, and with --out writes them repaired"},
	{dataset.ErrMatricesLackValues, "rao spd check repairs matrices"},
	{gaussian.ErrNoMoments, "rao stats --moments collects them"},
}

// makers lists the command that writes each kind of file.
var makers = map[string]string{
	"statistics": "rao stats makes one",
	"subclasses": "rao stats --subclasses makes one",
	"basis":      "rao stats basis makes one",
}

// remedy returns a command that helps after an error, or "" if there is none.
func remedy(err error) string {
	var unknown *suggest.UnknownError
	if errors.As(err, &unknown) {
		if unknown.Many {
			return listers[unknown.Kind]
		}
		return ""
	}
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return r.verb
		}
	}
	var kind *gaussian.FileKindError
	var absent *dataset.AbsentError
	var value *dataset.ValueError
	var matrix *spd.MatrixError
	switch {
	case errors.As(err, &kind):
		return makers[kind.Want]
	case errors.As(err, &absent):
		return getSet(&absent.Set)
	case errors.As(err, &matrix) && matrix.Problem != spd.ProblemOutOfRange:
		return "rao spd check shows what is wrong with it and repairs it"
	case errors.As(err, &value) && value.Order > 0:
		return "rao spd check finds such channels"
	}
	return ""
}

// listers are the commands that list all names of a kind.
var listers = map[string]string{"method": "rao methods lists all", "classifier": "rao methods lists all",
	"experiment": "rao paper list lists all", "data set": "rao data list lists all"}

// getSet explains how to obtain a set that is not on this machine.
func getSet(s *dataset.Set) string {
	switch s.Kind {
	case "generated":
		return fmt.Sprintf("rao data make %s --out FILE.npz", s.Name)
	case "import":
		return fmt.Sprintf("rao data get %s --from DIR imports it", s.Name)
	}
	return fmt.Sprintf("run rao data get %s, or rao data get %s --from DIR where DIR holds its files", s.Name, s.Name)
}
