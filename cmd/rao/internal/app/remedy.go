package app

import (
	"errors"
	"fmt"

	"rao"
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
	var unknown *rao.UnknownError
	if errors.As(err, &unknown) {
		if _, many := suggest.Choice(unknown.Name, unknown.Known); many {
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
	var matrix *spd.MatrixError
	switch {
	case errors.As(err, &kind) && kind.Want == "data" && kind.Got == "statistics":
		return "give it with --stats to rao fit or rao spd distance"
	case errors.As(err, &kind):
		return makers[kind.Want]
	case errors.As(err, &absent):
		return getSet(&absent.Set)
	case errors.As(err, &matrix) && matrix.Problem != spd.ProblemOutOfRange:
		return "rao spd check shows what is wrong with it and repairs it"
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
		return fmt.Sprintf("rao data get %s --from FOLDER imports it", s.Name)
	}
	return fmt.Sprintf("run rao data get %s, or rao data get %s --from FOLDER, where FOLDER holds its files", s.Name,
		s.Name)
}
