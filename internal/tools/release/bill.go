package main

import (
	"encoding/json"
	"strings"
)

// component is a module in a bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"` // package URL
}

// bill returns the software bill of materials of the program in CycloneDX 1.5 JSON. The bill has no time and no serial
// number, so the same sources give the same bytes.
func (r *release) bill(modules []string) ([]byte, error) {
	document := struct {
		Format   string `json:"bomFormat"`
		Spec     string `json:"specVersion"`
		Version  int    `json:"version"`
		Metadata struct {
			Component component `json:"component"`
		} `json:"metadata"`
		Components []component `json:"components"`
	}{Format: "CycloneDX", Spec: "1.5", Version: 1}
	document.Metadata.Component = component{"application", "rao", r.version, "pkg:generic/rao@" + r.version}
	for _, m := range modules {
		module, _, _ := strings.Cut(m, "\t")
		name, version, _ := strings.Cut(module, "@")
		url := "pkg:golang/" + module
		if name == "go" {
			name, url = "std", "pkg:golang/std@"+strings.TrimPrefix(version, "go")
		}
		document.Components = append(document.Components, component{"library", name, version, url})
	}
	b, err := json.MarshalIndent(document, "", "  ")
	return append(b, '\n'), err
}
