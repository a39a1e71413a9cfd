package privacy

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/text"
)

// ParseGuarantee reads EPSILON,DELTA from the value of an option.
func ParseGuarantee(option, s string) (g Guarantee, err error) {
	if g.Epsilon, g.Delta, err = parsePair(s); err != nil {
		return g, rao.Optionf(option, "{"+option+"}: %q is not two numbers separated by a comma, such as 1,1e-6", s)
	}
	if err := g.Validate(); err != nil {
		return g, rao.Optionf(option, "{"+option+"}: %w", err)
	}
	return g, nil
}

// parsePair reads two numbers separated by a comma.
func parsePair(s string) (a, b float64, err error) {
	first, second, _ := strings.Cut(s, ",")
	if a, err = strconv.ParseFloat(strings.TrimSpace(first), 64); err == nil {
		b, err = strconv.ParseFloat(strings.TrimSpace(second), 64)
	}
	return a, b, err
}

// ReadClasses reads a list separated by commas, in which ranges of integers such as 0-9 are allowed, or @ and the name
// of a file with one class per line.
func ReadClasses(s string) ([]string, error) {
	if path, ok := strings.CutPrefix(s, "@"); ok {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(strings.Split(strings.ReplaceAll(string(b), "\r", ""), "\n"),
			func(line string) bool { return line == "" }), nil
	}
	var classes []string
	for _, item := range text.SplitList(s) {
		low, high, found := strings.Cut(item, "-")
		from, errFrom := strconv.Atoi(low)
		to, errTo := strconv.Atoi(high)
		if !found || errFrom != nil || errTo != nil {
			classes = append(classes, item)
			continue
		}
		if to < from || to-from >= 1<<16 {
			return nil, rao.Optionf("classes", "{classes}: the range %s must run upward and contain at most %d classes",
				item, 1<<16)
		}
		for k := from; k <= to; k++ {
			classes = append(classes, strconv.Itoa(k))
		}
	}
	return classes, nil
}

// ParseClip parses the largest norm of a row.
func ParseClip(s string) (Domain, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) {
		return Domain{}, rao.Optionf("clip", "{clip}: %q is not a positive number", s)
	}
	return Domain{Clip: v}, nil
}

// ReadRanges reads LOW,HIGH for all columns, or the name of a file with one such line per column.
func ReadRanges(s string) (d Domain, err error) {
	if low, high, err := parsePair(s); err == nil {
		return Domain{Low: []float64{low}, High: []float64{high}}, nil
	}
	b, err := os.ReadFile(s)
	if err != nil {
		return d, rao.Optionf("range", "{range}: %q is not two numbers, such as 0,255, and cannot be read as a file: "+
			"%w", s, err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		low, high, err := parsePair(strings.TrimSpace(line))
		if err != nil {
			return d, fmt.Errorf("%s: line %d: %q is not a range; write LOW,HIGH for each column", s, i+1, line)
		}
		d.Low, d.High = append(d.Low, low), append(d.High, high)
	}
	return d, nil
}
