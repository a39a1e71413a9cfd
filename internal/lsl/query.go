package lsl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query selects streams with the XPath expressions of the reference library:
//
//	type='EEG'
//	name='BioSemi' and channel_count>=32
//	type='EEG' and (starts-with(hostname,'lab') or not(source_id='a1'))
//
// The fields are name, type, channel_count, channel_format, source_id, nominal_srate, created_at, uid, session_id,
// hostname and version. Compare them with =, !=, <, >, <= and >=, or with starts-with and contains. Combine comparisons
// with and, or, not and parentheses. Queries cannot use the content of desc. The zero value selects every stream.
type Query struct {
	text  string
	match predicate
}

type predicate func(*Info) bool

// maxQuery limits the length of a query in bytes.
const maxQuery = 1 << 12

// ParseQuery parses a query. An empty text selects every stream.
func ParseQuery(text string) (Query, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Query{}, nil
	}
	if len(text) > maxQuery || strings.ContainsAny(text, "\r\n") {
		return Query{}, fmt.Errorf("the query for streams is longer than %d bytes or has a line break; write one "+
			"short line", maxQuery)
	}
	p := &queryParser{rest: text}
	match, err := p.or()
	if err == nil && p.skip() != "" {
		err = fmt.Errorf("unexpected %q at the end", p.rest)
	}
	if err != nil {
		return Query{}, fmt.Errorf("query %q: %w; write, for example, type='EEG' and name='amp'", text, err)
	}
	return Query{text, match}, nil
}

// String returns the text of the query.
func (q Query) String() string { return q.text }

// Match reports whether the query selects the stream.
func (q Query) Match(info *Info) bool { return q.match == nil || q.match(info) }

type field struct {
	text   func(*Info) string
	number func(*Info) float64 // nil if the field is a text
}

func textField(f func(*Info) string) field { return field{text: f} }

func numberField(f func(*Info) float64) field {
	return field{func(i *Info) string { return strconv.FormatFloat(f(i), 'f', -1, 64) }, f}
}

var fields = map[string]field{
	"name":           textField(func(i *Info) string { return i.Name }),
	"type":           textField(func(i *Info) string { return i.Type }),
	"source_id":      textField(func(i *Info) string { return i.SourceID }),
	"uid":            textField(func(i *Info) string { return i.UID }),
	"session_id":     textField(func(i *Info) string { return i.Session }),
	"hostname":       textField(func(i *Info) string { return i.Host }),
	"channel_format": textField(func(i *Info) string { return i.Format.String() }),
	"channel_count":  numberField(func(i *Info) float64 { return float64(i.ChannelCount) }),
	"nominal_srate":  numberField(func(i *Info) float64 { return i.Rate }),
	"created_at":     numberField(func(i *Info) float64 { return i.Created }),
	"version":        numberField(func(*Info) float64 { return protocolVersion / 100. }),
}

// queryParser is a recursive descent parser.
type queryParser struct {
	rest  string
	depth int
}

// skip skips blanks and returns the rest of the text.
func (p *queryParser) skip() string {
	p.rest = strings.TrimLeft(p.rest, " \t")
	return p.rest
}

// consume skips sign, and returns true, if the input continues with sign.
func (p *queryParser) consume(sign string) bool {
	if !strings.HasPrefix(p.skip(), sign) {
		return false
	}
	p.rest = p.rest[len(sign):]
	return true
}

// word consumes and returns the next word, or "" if the next character does not start a word.
func (p *queryParser) word() string {
	s := p.skip()
	n := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
	if n < 0 {
		n = len(s)
	}
	p.rest = s[n:]
	return s[:n]
}

// keyword consumes the next word if it equals name.
func (p *queryParser) keyword(name string) bool {
	before := p.rest
	if p.word() == name {
		return true
	}
	p.rest = before
	return false
}

func (p *queryParser) or() (predicate, error) {
	return p.join("or", p.and, func(a, b predicate) predicate {
		return func(i *Info) bool { return a(i) || b(i) }
	})
}

func (p *queryParser) and() (predicate, error) {
	return p.join("and", p.term, func(a, b predicate) predicate {
		return func(i *Info) bool { return a(i) && b(i) }
	})
}

func (p *queryParser) join(word string, next func() (predicate, error),
	with func(a, b predicate) predicate) (predicate, error) {
	a, err := next()
	for err == nil && p.keyword(word) {
		var b predicate
		if b, err = next(); err == nil {
			a = with(a, b)
		}
	}
	return a, err
}

func (p *queryParser) term() (predicate, error) {
	if p.depth++; p.depth > 100 {
		return nil, errors.New("too many parentheses")
	}
	defer func() { p.depth-- }()
	if p.consume("(") {
		return p.closed(p.or())
	}
	before := p.rest
	switch name := p.word(); name {
	case "not":
		if !p.consume("(") {
			return nil, errors.New("\"not\" must be followed by parentheses")
		}
		a, err := p.closed(p.or())
		return func(i *Info) bool { return !a(i) }, err
	case "starts-with", "contains":
		return p.function(name)
	}
	p.rest = before
	return p.comparison()
}

func (p *queryParser) closed(a predicate, err error) (predicate, error) {
	if err == nil && !p.consume(")") {
		err = errors.New("a parenthesis is not closed")
	}
	return a, err
}

func (p *queryParser) function(name string) (predicate, error) {
	if !p.consume("(") {
		return nil, fmt.Errorf("%s must be followed by parentheses", name)
	}
	f, err := p.field()
	if err == nil && !p.consume(",") {
		err = fmt.Errorf("%s needs a field and a text", name)
	}
	if err != nil {
		return nil, err
	}
	want, err := p.text()
	if err != nil {
		return nil, err
	}
	test := strings.HasPrefix
	if name == "contains" {
		test = strings.Contains
	}
	return p.closed(func(i *Info) bool { return test(f.text(i), want) }, nil)
}

func (p *queryParser) field() (field, error) {
	p.skip()
	name := p.word()
	f, ok := fields[name]
	if !ok {
		return f, fmt.Errorf("a query cannot use %q", name+firstOf(p.rest))
	}
	return f, nil
}

// firstOf returns the first byte of the rest for an error message.
func firstOf(rest string) string {
	if rest == "" {
		return ""
	}
	return rest[:1]
}

func (p *queryParser) text() (string, error) {
	for _, quote := range []string{"'", "\""} {
		if p.consume(quote) {
			text, rest, ok := strings.Cut(p.rest, quote)
			if !ok {
				return "", errors.New("a quote is not closed")
			}
			p.rest = rest
			return text, nil
		}
	}
	return "", fmt.Errorf("a text in quotes is missing before %q", p.skip())
}

// signs are the comparison operators, longer ones first.
var signs = []string{"!=", "<=", ">=", "=", "<", ">"}

func (p *queryParser) comparison() (predicate, error) {
	f, err := p.field()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(signs, p.consume)
	if at < 0 {
		return nil, fmt.Errorf("a comparison is missing before %q", p.skip())
	}
	sign := signs[at]
	var want string
	if s := p.skip(); s != "" && (s[0] == '\'' || s[0] == '"') {
		if want, err = p.text(); err != nil {
			return nil, err
		}
	} else {
		n := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.-", r) })
		if n < 0 {
			n = len(s)
		}
		want, p.rest = s[:n], s[n:]
		if _, err := strconv.ParseFloat(want, 64); err != nil {
			return nil, fmt.Errorf("a text in quotes or a number is missing before %q", s)
		}
	}
	return compare(f, sign, want)
}

func compare(f field, sign, want string) (predicate, error) {
	v, err := strconv.ParseFloat(want, 64)
	if f.number == nil || err != nil {
		switch sign {
		case "=":
			return func(i *Info) bool { return f.text(i) == want }, nil
		case "!=":
			return func(i *Info) bool { return f.text(i) != want }, nil
		}
		return nil, fmt.Errorf("%s compares only numbers", sign)
	}
	tests := map[string]func(a float64) bool{
		"=": func(a float64) bool { return a == v }, "!=": func(a float64) bool { return a != v },
		"<": func(a float64) bool { return a < v }, ">": func(a float64) bool { return a > v },
		"<=": func(a float64) bool { return a <= v }, ">=": func(a float64) bool { return a >= v },
	}
	test := tests[sign]
	return func(i *Info) bool { return test(f.number(i)) }, nil
}

// quoted returns a text as a literal in a query. ok is false if the text contains both kinds of quotes.
func quoted(text string) (literal string, ok bool) {
	switch {
	case !strings.Contains(text, "'"):
		return "'" + text + "'", true
	case !strings.Contains(text, "\""):
		return "\"" + text + "\"", true
	}
	return "", false
}
