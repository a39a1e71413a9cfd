package main

import (
	"fmt"

	"rao/classify"
	"rao/model"
	"rao/report"
)

// patternsShown is how many patterns of a class a page draws, those of most weight.
const patternsShown = 3

// patternSection says how many spatial patterns an enuc model looks at in each class, and
// draws the leading ones where the channels are electrodes; nothing for other models.
func patternSection(m *model.Model) (table *report.Table, figure *report.Figure, err error) {
	e, ok := m.Classifier.(*classify.ENuc)
	if !ok {
		return nil, nil, nil
	}
	table = &report.Table{Header: []string{"class", "patterns", "weights of the leading ones"}}
	var maps [][]float64
	var names []string
	for k, class := range m.Classes {
		p, err := e.Patterns(k)
		if err != nil {
			return nil, nil, err
		}
		shown := p.Weights[:min(patternsShown, len(p.Weights))]
		weights := ""
		for j, w := range shown {
			weights += fmt.Sprintf("%+.3g ", w)
			pattern := make([]float64, e.Dim())
			for i := range pattern {
				pattern[i] = p.Patterns.At(i, j)
			}
			maps, names = append(maps, pattern), append(names, fmt.Sprintf("%s %+.2g", class, w))
		}
		table.Rows = append(table.Rows, []string{class, fmt.Sprint(len(p.Weights)), weights})
	}
	if len(maps) == 0 || len(m.Input.Channels) != e.Dim() {
		return table, nil, nil
	}
	figure, err = report.ScalpMap("Spatial patterns of the classes and their weights", m.Input.Channels, maps, names,
		true)
	if err != nil {
		return table, nil, nil // channels that are not electrodes
	}
	return table, figure, nil
}
