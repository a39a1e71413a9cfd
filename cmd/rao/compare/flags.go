package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/evaluate"
	"rao/internal/study"
	"rao/method"
)

type methodFlags struct {
	methods, options string
	seed, folds      int
}

// add registers the flags. folds, least and cv are the default, the smallest value and the help text of --cv.
func (f *methodFlags) add(cmd *cobra.Command, folds, least int, cv string) {
	flags := cmd.Flags()
	app.TextVar(flags, &f.methods, "methods", "METHOD[:OPTION=VALUE]...,...", "",
		"methods with their options, or a .toml file of them; rao methods --help describes the syntax")
	app.TextVar(flags, &f.options, "options", "OPTION=VALUE[:...]", "",
		"options for all methods that use them; rao methods METHOD lists the options of one method")
	app.CountFlag(flags, &f.folds, "cv", folds, least, 1000, cv)
	app.CountFlag(flags, &f.seed, "seed", 1, 0, 1<<30, "seed of the methods and the folds")
}

func (f *methodFlags) specs() ([]method.Spec, error) {
	if f.methods == "" {
		return nil, app.WithMethods("--methods is required; available methods, by the data they learn from")
	}
	shared, err := method.ParseSettings(f.options)
	if err != nil {
		return nil, app.Usagef("--options: %v", err)
	}
	specs, err := study.Methods(f.methods, shared)
	if err != nil && strings.HasSuffix(f.methods, ".toml") {
		return nil, fmt.Errorf("--methods: %w", err)
	}
	if err != nil {
		return nil, app.Usagef("%v", err)
	}
	for i, s := range specs {
		_, given := s.Settings.Get("seed")
		if _, err := s.Method.Option("seed"); err == nil && !given {
			err = specs[i].Set(evaluate.Setting{Name: "seed", Value: strconv.Itoa(f.seed)})
			if err != nil {
				return nil, err
			}
		}
	}
	return specs, nil
}
