package spd

import (
	"fmt"
	"strings"
)

// Healthy reports whether [Check] found no problem.
func (d *Diagnosis) Healthy() bool { return len(d.Findings()) == 0 }

// Findings returns one line for each kind of problem, or nil for healthy matrices. The lines contain the names of
// channels, or their numbers from 0.
func (d *Diagnosis) Findings() []string {
	var out []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(len(d.NaNChannels) > 0, "%s values that are not finite%s", d.channels(d.NaNChannels, "has", "have"),
		d.howMany(func(m *MatrixCheck) bool { return len(m.NaNChannels) > 0 }))
	add(len(d.FlatChannels) > 0, "%s flat%s", d.channels(d.FlatChannels, "is", "are"),
		d.howMany(func(m *MatrixCheck) bool { return len(m.FlatChannels) > 0 }))
	for _, p := range d.Duplicates {
		add(true, "%s copies of each other up to a factor", d.channels(p[:], "is", "are"))
	}
	add(d.AverageReference, "the channels sum to zero in every matrix, as with an average reference, which reduces "+
		"the rank by one")
	add(d.Asymmetric > 0, "%s not symmetric", d.matrices(d.Asymmetric, "is", "are"))
	add(d.Indefinite > 0, "%s negative eigenvalues, which a covariance cannot have",
		d.matrices(d.Indefinite, "has", "have"))
	add(d.Singular > 0, "%s singular; the smallest rank is %d of %d",
		d.matrices(d.Singular, "is", "are"), d.MinRank, d.Dim)
	add(d.IllConditioned > 0, "%s a condition number above %.3g; the largest is %.3g",
		d.matrices(d.IllConditioned, "has", "have"), d.options.MaxCondition, d.MaxCondition)
	return out
}

// Faults returns a short description of each problem of matrix k, counted from 0, or nil if it has none. Duplicate
// channels and an average reference make the matrix "singular".
func (d *Diagnosis) Faults(k int) []string {
	m := &d.Matrices[k]
	var out []string
	if len(m.NaNChannels) > 0 {
		out = append(out, "not finite in "+d.names(m.NaNChannels))
	}
	if len(m.FlatChannels) > 0 {
		out = append(out, "flat in "+d.names(m.FlatChannels))
	}
	if m.Asymmetry > d.options.AsymmetryTol {
		out = append(out, fmt.Sprintf("not symmetric (the difference is %.2g of the largest entry)", m.Asymmetry))
	}
	switch d.definiteness(m) {
	case indefinite:
		out = append(out, "negative eigenvalue")
	case singular:
		out = append(out, "singular")
	case illConditioned:
		out = append(out, "ill-conditioned")
	}
	return out
}

// String returns a heading and the findings, one per line.
func (d *Diagnosis) String() string {
	head := fmt.Sprintf("%d matrices of order %d", d.Count, d.Dim)
	if d.Count == 1 {
		head = fmt.Sprintf("one matrix of order %d", d.Dim)
	}
	found := d.Findings()
	if len(found) == 0 {
		return head + fmt.Sprintf(": symmetric and positive definite, with condition numbers up to %.3g",
			d.MaxCondition)
	}
	return head + ":\n" + strings.Join(found, "\n")
}

// howMany describes in how many matrices the channels are bad. If there are few, it recommends leaving these matrices
// out.
func (d *Diagnosis) howMany(bad func(*MatrixCheck) bool) string {
	n := 0
	for i := range d.Matrices {
		if bad(&d.Matrices[i]) {
			n++
		}
	}
	if n == d.Count {
		return ""
	}
	s := fmt.Sprintf(", in %d of %d matrices", n, d.Count)
	if 10*n <= d.Count {
		s += "; leaving out these matrices loses less than dropping the channel"
	}
	return s
}

// matrices returns "1 of 9 matrices is" or "2 of 9 matrices are".
func (d *Diagnosis) matrices(n int, one, many string) string {
	switch {
	case d.Count == 1:
		return "it " + one
	case n == 1:
		many = one
	}
	return fmt.Sprintf("%d of %d matrices %s", n, d.Count, many)
}

// channels returns, for example, "channel Cz is" or "channels 2 and 5 (counted from 0) are".
func (d *Diagnosis) channels(v []int, one, many string) string {
	noun := "channels "
	if len(v) == 1 {
		noun, many = "channel ", one
	}
	from := " (counted from 0) "
	if d.named() {
		from = " "
	}
	return noun + d.names(v) + from + many
}

func (d *Diagnosis) named() bool { return len(d.Channels) == d.Dim }

// names joins channels: "1", "1 and 5", "1, 5 and 7".
func (d *Diagnosis) names(v []int) string {
	s := make([]string, len(v))
	for i, c := range v {
		s[i] = fmt.Sprint(c)
		if d.named() {
			s[i] = d.Channels[c]
		}
	}
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}
