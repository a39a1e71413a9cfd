package text

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"rao/internal/testkit"
)

func TestNumbers(t *testing.T) {
	b := testkit.Must(JSON([]any{Number(math.NaN()), Number(math.Inf(1)), Number(0.5), "a<b"}))(t)
	testkit.Equal(t, string(b), `[null,null,0.5,"a<b"]`)
	got := []string{Percent(0.1234), Seconds(0.0123), Seconds(1.5), Plural(1, "row", "rows"), Plural(2, "row", "rows")}
	testkit.Equal(t, strings.Join(got, "|"), "12.34 %|12.3 ms|1.50 s|1 row|2 rows")
}

// A name from a file must not steer the terminal.
func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"left hand": "left hand", "µ-rhythm 漢字": "µ-rhythm 漢字", "a\tb\nc": `a\tb\nc`, "\x1b[2Jx": `\x1b[2Jx`,
		"\u202eab": `\u202eab`, "\xff": `\ufffd`,
	} {
		testkit.Equal(t, Visible(s), want, s)
	}
	testkit.Equal(t, len([]rune(Cell(strings.Repeat("n", 1000)))), CellWidth, "characters of a cell")
}

// An error about a JSON value names its field and the expected type, without Go names.
func TestJSONErrors(t *testing.T) {
	type scaleMeta struct {
		Scale float64 `json:"scale"`
	}
	var meta struct {
		scaleMeta
		Size struct {
			Rows int `json:"rows"`
		} `json:"size"`
	}
	for in, want := range map[string]string{
		`{"size": {"rows": "x"}}`: "field size.rows is a JSON string, but must be an integer",
		`{"size": {"cols": 1}}`:   `the field cols is unknown`,
		`{"scale": []}`:           "field scale is a JSON array, but must be a number",
		`[]`:                      "the value is a JSON array, but must be an object",
		`{`:                       "unexpected EOF",
	} {
		d := json.NewDecoder(strings.NewReader(in))
		d.DisallowUnknownFields()
		testkit.Equal(t, JSONError(d.Decode(&meta)).Error(), want)
	}
	testkit.Equal(t, JSONError(nil), nil)
}
