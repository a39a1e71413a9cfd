package eeg

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/eeg/trialevents"
)

// eventColumns are the accepted names of each column.
var eventColumns = [...][]string{
	{"sample"}, {"onset", "time"}, {"code", "value", "event"}, {"label", "trial_type", "name"}, {"duration"},
}

const (
	colSample = iota
	colOnset
	colCode
	colLabel
	colDuration
)

// readEvents reads a table of events, separated by commas or tabs. The first line names the columns: sample (index from
// 0) or onset (seconds); code, value or event; label or trial_type; and duration (in the unit of sample or onset).
// Other columns are ignored. If the first line does not name columns, they are sample, code, label and duration. The
// events.tsv files of BIDS have this form.
func readEvents(r io.Reader, rate float64) ([]Event, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	src := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	src.FieldsPerRecord, src.TrimLeadingSpace, src.LazyQuotes = -1, true, true
	if line, _, _ := strings.Cut(string(text), "\n"); strings.Contains(line, "\t") {
		src.Comma, src.TrimLeadingSpace = '\t', false
	}
	columns := [...]int{colSample: 0, colOnset: -1, colCode: 1, colLabel: 2, colDuration: 3}
	var events []Event
	for n := 0; ; n++ {
		row, err := src.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := src.FieldPos(0)
		if n == 0 {
			if found, ok := findColumns(row); ok {
				columns = found
				continue
			}
		}
		e, err := parseEvent(row, columns, rate)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Sample, b.Sample) })
	return events, nil
}

// findColumns parses a line of column names. ok is false if there is neither a sample nor an onset column.
func findColumns(row []string) (columns [5]int, ok bool) {
	for k := range columns {
		columns[k] = slices.IndexFunc(row, func(cell string) bool {
			return slices.Contains(eventColumns[k], strings.ToLower(strings.TrimSpace(cell)))
		})
	}
	return columns, columns[colSample] >= 0 || columns[colOnset] >= 0
}

func parseEvent(row []string, columns [5]int, rate float64) (Event, error) {
	cell := func(k int) string {
		if c := columns[k]; c >= 0 && c < len(row) {
			if s := strings.TrimSpace(row[c]); s != "n/a" {
				return s
			}
		}
		return ""
	}
	place := func(s, what string, scale float64) (int, error) {
		if s == "" {
			return 0, fmt.Errorf("the %s of an event is missing; fill it in, or remove the line", what)
		}
		v, err := strconv.ParseFloat(s, 64)
		if v = math.Round(v * scale); err != nil || !(math.Abs(v) <= math.MaxInt32) {
			return 0, fmt.Errorf("the %s %.40q of an event is not a number, or is too large; correct the file", what, s)
		}
		return int(v), nil
	}
	var e Event
	var err error
	if s := cell(colSample); s != "" {
		e.Sample, err = place(s, "sample", 1)
	} else {
		e.Sample, err = place(cell(colOnset), "onset", rate)
	}
	if err == nil && cell(colSample) != "" && cell(colOnset) != "" {
		err = agrees(e.Sample, cell(colOnset), rate)
	}
	if err != nil {
		return e, err
	}
	if s := cell(colDuration); s != "" {
		scale := 1.0
		if columns[colOnset] >= 0 { // the unit is seconds, as for onset, even if there is a sample column too
			scale = rate
		}
		if e.Duration, err = place(s, "duration", scale); err != nil {
			return e, err
		}
	}
	e.Label = cell(colLabel)
	if s := cell(colCode); s != "" {
		if e.Code, err = strconv.Atoi(s); err != nil {
			if e.Label != "" {
				return e, fmt.Errorf("the code %.40q of an event is not a whole number; correct the file", s)
			}
			e.Code, e.Label = 0, s
		}
	}
	return e, nil
}

// agrees returns an error if the sample of an event is not at its onset, up to the precision with which the onset is
// written and two samples. Samples can be of another rate, such as the rate before a file was resampled.
func agrees(sample int, onset string, rate float64) error {
	seconds, err := strconv.ParseFloat(onset, 64)
	if err != nil {
		return nil // the column sample is enough
	}
	_, decimals, _ := strings.Cut(onset, ".")
	if math.Abs(seconds*rate-float64(sample)) <= 2+rate*math.Pow(10, -float64(len(decimals))) {
		return nil
	}
	return fmt.Errorf("the onset %s s of an event is sample %.0f at %g Hz, but its sample is %d; correct one of the "+
		"two columns, or remove it", onset, seconds*rate, rate, sample)
}

// Event is an event of a recording, such as a stimulus or a marker. Code is 0 if it has only a label. Sample and
// Duration are numbers of samples, and Duration is 0 if it has no duration.
type Event = signal.Event

// Class is a class of trials and its events: all events with its code (if not 0) or its label (if not empty).
type Class = trialevents.Class

// ParseClasses parses a comma-separated list of classes, such as "left=769,right=770". A list of only event codes or
// labels, such as "769,770", uses them as names too. An event that is not a number is a label. Escape a comma within a
// label with a backslash: "go=Stimulus\\, go". It returns an error if a name or an event is empty, or a name occurs
// twice.
func ParseClasses(spec string) ([]Class, error) {
	var out []Class
	for _, word := range splitLabels(spec) {
		name, event, named := strings.Cut(strings.TrimSpace(word), "=")
		if !named {
			event = name
		}
		c := Class{Name: strings.TrimSpace(name), Label: strings.TrimSpace(event)}
		if c.Name == "" || c.Label == "" {
			return nil, fmt.Errorf("%q is not a class; write NAME=CODE, such as left=769", word)
		}
		if code, err := strconv.ParseInt(c.Label, 0, 32); err == nil {
			c.Code = int(code)
		}
		if slices.ContainsFunc(out, func(o Class) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf(`class %q is listed twice; list each class once, and write a comma in a label as \,`,
				c.Name)
		}
		out = append(out, c)
	}
	return out, nil
}

// splitLabels splits a list at commas, except after a backslash. It removes these backslashes.
func splitLabels(list string) (words []string) {
	word := ""
	for _, part := range strings.Split(list, ",") {
		if strings.HasSuffix(part, `\`) {
			word += strings.TrimSuffix(part, `\`) + ","
			continue
		}
		words, word = append(words, word+part), ""
	}
	if word != "" {
		words = append(words, word)
	}
	return words
}

// describeEvents lists the kinds of events with their counts, for messages.
func describeEvents(events []Event) string {
	kinds := trialevents.Count(events)
	if len(kinds) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, k := range kinds {
		if i == 30 {
			fmt.Fprintf(&b, " and %d more", len(kinds)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%v ×%d", k, k.Count)
	}
	return b.String()
}
