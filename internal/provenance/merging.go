package provenance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/indices"
	"rao/internal/naming"
)

// These are the doubts about a merge: reasons why statistics should not be merged without confirmation, although
// merging is possible.
const (
	// DoubtManifest means that a file has no manifest of rao, so its rows and columns are unknown.
	DoubtManifest = "manifest"
	// DoubtCounts means that the class counts of a part add up to more rows than the part was computed from.
	DoubtCounts = "counts"
	// DoubtColumns means that one part names its columns and another does not.
	DoubtColumns = "columns"
	// DoubtClasses means that the names of classes look like two encodings of the same labels.
	DoubtClasses = "classes"
	// DoubtRows means that two parts share rows, which would count twice, or that shared rows cannot be found because
	// the parts were hashed with different keys.
	DoubtRows = "rows"
)

// Doubts returns the names of all doubts.
func Doubts() []string {
	return []string{DoubtManifest, DoubtCounts, DoubtColumns, DoubtClasses, DoubtRows}
}

// CheckDoubts returns a [*rao.UnknownError] if a name is not one of [Doubts].
func CheckDoubts(names []string) error {
	for _, name := range names {
		if !slices.Contains(Doubts(), name) {
			return &rao.UnknownError{Kind: "doubt", Name: name, Known: Doubts()}
		}
	}
	return nil
}

// DoubtError is the error for a merge that needs to be confirmed.
type DoubtError struct {
	Doubt  string // manifest, counts, columns, classes or rows; MergeInOrder confirms it by this name
	Parts  []int  // indices of the parts in question, from 0
	format string // with the names of the parts and the values
	values []any
}

// Error names the parts by their numbers, from 1.
func (e *DoubtError) Error() string {
	return e.Text(func(part int) string { return "part " + strconv.Itoa(part+1) })
}

// Text returns the error message with name(i) for part i.
func (e *DoubtError) Text(name func(part int) string) string {
	var args []any
	for _, p := range e.Parts {
		args = append(args, name(p))
	}
	return fmt.Sprintf(e.format, append(args, e.values...)...)
}

// Member describes a part of a merge.
type Member struct {
	Classes, Columns []string
	Total            int
	Parts            []Part
	Unmarked         bool // from a file without a manifest
	Counts           []int
	Means            []float64 // classes×columns; nil if unknown
}

// Merging checks the parts of a merge for doubts, one part after the other.
type Merging struct {
	Confirmed []string
	members   int
	first     []string // columns of the first part with column names
	named     [2]int   // numbers, from 1, of the first part without column names and of the first part with names
	classes   encodings
	sketches  [][]sketch // of each part
	moments   []moments
}

// Add checks the next part. It returns a [*DoubtError] for a doubt that is not confirmed, and a [*ColumnsError] if the
// columns of the part cannot be matched.
func (d *Merging) Add(m Member) error {
	p := d.members
	d.members++
	known := 0 // 1: the columns have names
	if m.Columns != nil {
		known = 1
	}
	d.named[known] = cmp.Or(d.named[known], p+1)
	if d.first == nil {
		d.first = m.Columns
	}
	if _, bad := naming.Order(d.first, m.Columns); bad != nil {
		return &ColumnsError{bad.Missing, bad.Unknown, bad.Twice, []int{d.named[1] - 1, p}}
	}
	for _, check := range []func(int, *Member) *DoubtError{d.manifest, d.counts, d.columns, d.classes.add, d.rows,
		d.equal} {
		if e := check(p, &m); e != nil && !slices.Contains(d.Confirmed, e.Doubt) {
			return e
		}
	}
	return nil
}

func (d *Merging) manifest(p int, m *Member) *DoubtError {
	if !m.Unmarked {
		return nil
	}
	return &DoubtError{Doubt: DoubtManifest, Parts: []int{p},
		format: "%[1]s was not written by rao, so its rows and columns are unknown"}
}

func (d *Merging) counts(p int, m *Member) *DoubtError {
	if rows := recordedRows(m.Parts); m.Parts != nil && m.Total > rows {
		return &DoubtError{Doubt: DoubtCounts, Parts: []int{p}, values: []any{m.Total, rows},
			format: "%[1]s counts %[2]d rows, but was made from %[3]d"}
	}
	return nil
}

func (d *Merging) columns(_ int, _ *Member) *DoubtError {
	without, with := d.named[0], d.named[1]
	if without == 0 || with == 0 {
		return nil
	}
	return &DoubtError{Doubt: DoubtColumns, Parts: []int{with - 1, without - 1},
		format: "%[1]s names its columns but %[2]s does not, so they cannot be matched by name"}
}

// sharedRows is the fraction of common rows above which two parts share rows. A smaller fraction can be due to chance,
// because most data sets contain equal rows.
const sharedRows = 0.05

func (d *Merging) rows(p int, m *Member) *DoubtError {
	var mine []sketch
	for i := range m.Parts {
		if s, err := m.Parts[i].sketch(); err == nil && len(s.hashes) > 0 {
			mine = append(mine, s)
		}
	}
	for q, theirs := range d.sketches {
		if e := between(q, theirs, p, mine); e != nil {
			return e
		}
	}
	d.sketches = append(d.sketches, mine)
	return nil
}

// moments are the counts and means of a part, with the classes sorted by name and the columns in the order of the first
// part with column names.
type moments struct {
	part    int
	classes []string
	counts  []int
	means   []float64
}

// equal returns an error if the part has the same counts and means as an earlier one. This finds a part that is given
// twice even if the files have no hashes of the rows, or if the columns were in another order when they were hashed.
// Parts without a record of their rows, such as folds, may be equal because rows of the data are.
func (d *Merging) equal(p int, m *Member) *DoubtError {
	if m.Means == nil || m.Parts == nil || m.Total == 0 {
		return nil
	}
	mine := moments{part: p}
	columns, _ := naming.Order(d.first, m.Columns)
	n := len(m.Means) / len(m.Counts)
	name := func(i int) string { return naming.Class(m.Classes, i) }
	classes := indices.Sorted(len(m.Counts), func(i, j int) int { return strings.Compare(name(i), name(j)) })
	for _, i := range classes {
		mine.classes, mine.counts = append(mine.classes, name(i)), append(mine.counts, m.Counts[i])
		for j := range n {
			if columns != nil {
				j = columns[j]
			}
			mine.means = append(mine.means, m.Means[i*n+j])
		}
	}
	for _, o := range d.moments {
		if slices.Equal(o.classes, mine.classes) && slices.Equal(o.counts, mine.counts) &&
			slices.EqualFunc(o.means, mine.means, nearly) {
			return &DoubtError{Doubt: DoubtRows, Parts: []int{o.part, p},
				format: "%[1]s and %[2]s have the same counts and means, so they seem to be made from the same rows, " +
					"which would count twice"}
		}
	}
	d.moments = append(d.moments, mine)
	return nil
}

// nearly reports whether two means are equal up to rounding errors.
func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

// between returns an error if many rows of part p are also in part q, or the other way round, or if their hashes have
// different keys. So the result does not depend on the order of the parts.
func between(q int, theirs []sketch, p int, mine []sketch) *DoubtError {
	for _, s := range mine {
		for _, o := range theirs {
			if s.Key != o.Key {
				return &DoubtError{Doubt: DoubtRows, Parts: []int{q, p}, format: "%[1]s and %[2]s record their rows " +
					"as hashes with different keys, so shared rows would not be found"}
			}
			ofMine, ofTheirs := s.overlap(&o), o.overlap(&s)
			if share := max(ofMine, ofTheirs); share >= sharedRows {
				smaller := "%[2]s"
				if ofTheirs > ofMine {
					smaller = "%[1]s"
				}
				return &DoubtError{Doubt: DoubtRows, Parts: []int{q, p}, values: []any{100 * share},
					format: "%[1]s and %[2]s have about %.0[3]f %% of the rows of " + smaller +
						" in common, which would count twice"}
			}
		}
	}
	return nil
}

// encodings collects the spellings of class names in the parts seen so far.
type encodings struct {
	texts          map[string]spelled
	numbers, words int // numbers, from 1, of the first part whose classes are all numbers, and of the first without any
	pair           string
	pairOf         int
}

// spelled is the spelling of a class name and the index of a part with this spelling.
type spelled struct {
	text string
	part int
}

// pairs lists pairs of class names that mean no and yes.
var pairs = []string{"0 1", "-1 1", "no yes", "n y", "false true", "f t", "negative positive", "neg pos",
	"absent present", "off on"}

// add returns a doubt if class names of different parts differ only in spelling, are numbers in one part and words in
// another, or are different words for no and yes.
func (e *encodings) add(p int, m *Member) *DoubtError {
	doubt := func(other int, format string, values ...any) *DoubtError {
		return &DoubtError{Doubt: DoubtClasses, Parts: []int{other, p}, format: format, values: values}
	}
	if e.texts == nil {
		e.texts = map[string]spelled{}
	}
	var found *DoubtError
	numbers, plain := 0, make([]string, len(m.Classes))
	for i, name := range m.Classes {
		plain[i] = strings.ToLower(strings.TrimSpace(name))
		if v, err := strconv.ParseFloat(plain[i], 64); err == nil {
			numbers++
			plain[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if was, ok := e.texts[plain[i]]; !ok {
			e.texts[plain[i]] = spelled{name, p}
		} else if was.text != name && was.part != p && found == nil {
			found = doubt(was.part, "%[1]s has the class %[3]q and %[2]s the class %[4]q, which look like the same",
				was.text, name)
		}
	}
	if found == nil {
		found = e.kinds(p, m.Classes, numbers, doubt)
	}
	slices.Sort(plain)
	pair := strings.Join(plain, " ")
	if slices.Contains(pairs, pair) {
		if e.pair == "" {
			e.pair, e.pairOf = pair, p
		} else if e.pair != pair && found == nil {
			found = doubt(e.pairOf, "the classes of %[1]s (%[3]s) and of %[2]s (%[4]s) look like two encodings",
				strings.ReplaceAll(e.pair, " ", ", "), strings.ReplaceAll(pair, " ", ", "))
		}
	}
	return found
}

// kinds returns a doubt if all class names are numbers in one part and no class name is a number in another.
func (e *encodings) kinds(p int, classes []string, numbers int,
	doubt func(other int, format string, values ...any) *DoubtError) *DoubtError {
	const format = "the classes are %[3]s in %[1]s but %[4]s in %[2]s, which look like two encodings"
	switch {
	case len(classes) == 0:
	case numbers == len(classes):
		e.numbers = cmp.Or(e.numbers, p+1)
		if e.words > 0 {
			return doubt(e.words-1, format, "words", "numbers")
		}
	case numbers == 0:
		e.words = cmp.Or(e.words, p+1)
		if e.numbers > 0 {
			return doubt(e.numbers-1, format, "numbers", "words")
		}
	}
	return nil
}

// Union returns the source rows of all members of a merge, or nil if the source rows of any are unknown. totals are
// their numbers of observations.
func Union(parts [][]Part, totals []int) (all []Part) {
	for p, own := range parts {
		if own == nil && totals[p] > 0 {
			return nil
		}
		all = append(all, own...)
	}
	return all
}
