// Package candidates parses the candidates of a search over options.
package candidates

import (
	"fmt"
	"strconv"
	"strings"

	"rao/evaluate"
)

// ParseParameter parses NAME=A,B,C, or a range NAME=LOW..HIGH, optionally followed by :log or :int.
func ParseParameter(s string) (evaluate.Parameter, error) {
	name, values, ok := strings.Cut(s, "=")
	if !ok || name == "" || values == "" {
		return evaluate.Parameter{}, fmt.Errorf("%q is not of the form NAME=A,B,C or NAME=LOW..HIGH", s)
	}
	p := evaluate.Parameter{Name: name}
	low, high, ok := strings.Cut(values, "..")
	if !ok {
		p.Values = strings.Split(values, ",")
		return p, nil
	}
	parts := strings.Split(high, ":")
	for _, kind := range parts[1:] {
		switch kind {
		case "log":
			p.Log = true
		case "int":
			p.Integer = true
		default:
			return p, fmt.Errorf("%q: only :log or :int may follow a range, not :%s", s, kind)
		}
	}
	var errLow, errHigh error
	p.Low, errLow = strconv.ParseFloat(low, 64)
	p.High, errHigh = strconv.ParseFloat(parts[0], 64)
	if errLow != nil || errHigh != nil {
		return p, fmt.Errorf("%q: the ends of a range must be numbers, such as 0.1..10", s)
	}
	return p, nil
}

// Parse parses parameters with [ParseParameter] and returns every combination of their values, or count
// random draws if count is above 0. Without parameters it returns a single candidate without settings.
func Parse(search []string, count int, seed uint64) ([]evaluate.Candidate, error) {
	if len(search) == 0 {
		return []evaluate.Candidate{{}}, nil
	}
	params := make([]evaluate.Parameter, len(search))
	for i, s := range search {
		var err error
		if params[i], err = ParseParameter(s); err != nil {
			return nil, err
		}
	}
	if count > 0 {
		return evaluate.Random(params, count, seed)
	}
	return evaluate.Grid(params)
}
