package eeg

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/text"
)

// addMetaFlag registers --meta.
func (f *trialFlags) addMetaFlag(s *pflag.FlagSet) {
	app.TextVar(s, &f.meta, "meta", "NAME=VALUE,...", "",
		"variables with one value for all trials, such as subject=s01,session=1, for --groups and --where")
}

// metaPair is a variable that has the same value for all trials of a file.
type metaPair struct{ name, value string }

// parseMeta parses the NAME=VALUE pairs of --meta. Repeated names, and names that rao uses, are errors.
func parseMeta(s string) ([]metaPair, error) {
	var list []metaPair
	for _, item := range text.SplitList(s) {
		name, value, ok := strings.Cut(item, "=")
		if !ok || name == "" || value == "" {
			return nil, app.Usagef("--meta: %q is not NAME=VALUE; write pairs such as session=2, separated by "+
				"commas", item)
		}
		reserved := []string{"X", "y", "channels", "columns", "recording", "sample", "recipe"}
		if slices.Contains(reserved, name) ||
			slices.ContainsFunc(list, func(p metaPair) bool { return p.name == name }) {
			return nil, app.Usagef("--meta: the name %s is already used; choose another", name)
		}
		list = append(list, metaPair{name, value})
	}
	return list, nil
}

// addMeta adds the pairs as variables of all trials, for --where and --groups.
func addMeta(d *dataset.Data, list []metaPair) error {
	for _, p := range list {
		if d.Vars[p.name] != nil {
			return app.Usagef("--meta: the trials already have a variable %s; choose another name", p.name)
		}
		d.Vars[p.name] = &dataset.Array{Name: p.name, Shape: []int{d.N()},
			Strings: slices.Repeat([]string{p.value}, d.N())}
	}
	return nil
}
