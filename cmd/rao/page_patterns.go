package main

import (
	"fmt"

	"rao/classify"
	"rao/model"
	"rao/report"
)

// patternTable says how many spatial patterns an enuc model looks at in each class; nil for
// other models.
func patternTable(m *model.Model) (*report.Table, error) {
	e, ok := m.Classifier.(*classify.ENuc)
	if !ok {
		return nil, nil
	}
	table := &report.Table{Header: []string{"class", "patterns", "weights of the leading ones"}}
	for k, class := range m.Classes {
		p, err := e.Patterns(k)
		if err != nil {
			return nil, err
		}
		weights := ""
		for _, w := range p.Weights[:min(report.PatternsShown, len(p.Weights))] {
			weights += fmt.Sprintf("%+.3g ", w)
		}
		table.Rows = append(table.Rows, []string{class, fmt.Sprint(len(p.Weights)), weights})
	}
	return table, nil
}
