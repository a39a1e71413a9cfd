package main

import (
	"bytes"
	"flag"
	"reflect"
	"strings"
	"testing"
)

// The help lists every option that this package declares, and no option of Beam.
func TestHelpHasOurOptions(t *testing.T) {
	var b bytes.Buffer
	help(&b)
	text := b.String()
	for _, name := range []string{"data", "y", "subclasses", "seed", "model", "shard", "label-file"} {
		if !strings.Contains(text, "  -"+name+" ") {
			t.Errorf("help lacks --%s", name)
		}
	}
	if strings.Contains(text, "dataflow") || strings.Contains(text, "-worker_binary") {
		t.Error("help has options of Beam")
	}
	flag.VisitAll(func(f *flag.Flag) {
		// Beam writes names with underscores, or as one word
		refused := strings.HasPrefix(f.Usage, "not available")
		if strings.Contains(f.Name, "-") && !isOurs(f.Name) && !refused && !strings.HasPrefix(f.Name, "test.") {
			t.Errorf("--%s is in no group of the help", f.Name)
		}
	})
	for verb, names := range flagsOf {
		for _, name := range names {
			if flag.Lookup(name) == nil {
				t.Errorf("%s: there is no option --%s", verb, name)
			}
		}
	}
	if !reflect.DeepEqual(flagsOf["predict"], flagsOf["transform"]) {
		t.Error("predict and transform have other options, which the help lists together")
	}
}
