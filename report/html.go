package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"

	"rao/internal/format/archive"
)

// Table is a table of a page. Columns of numbers are right-aligned.
type Table struct {
	Caption string     // text above the table
	Header  []string   // names of the columns
	Rows    [][]string // cells of each row
}

// Section is a part of a page. Empty fields are left out.
type Section struct {
	Heading string
	Text    string // paragraphs, separated by empty lines
	Table   *Table
	Figures []*Figure
	Note    string // small print below
}

// Page is a report: a title, sections with text, tables and figures, and a footer.
type Page struct {
	Title    string    // heading of the page
	Subtitle string    // smaller line below the title
	Sections []Section // in order
	Footer   string    // such as the version and the command line
}

//go:embed page.css
var pageStyle string

// HTML writes the page as a self-contained file with inline figures, without scripts. Each figure is drawn for wide
// screens and for phones and has a text description. The page can be printed and follows the reader's choice of a dark
// or light theme. All text is escaped. It returns the error of w, if any.
func HTML(w io.Writer, p Page) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "+
		"content=\"rao\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "+
		"img-src data:\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<header>\n<h1>%s</h1>\n",
		escape(p.Title), pageStyle, escape(p.Title))
	if p.Subtitle != "" {
		fmt.Fprintf(&b, "<p class=\"sub\">%s</p>\n", escape(p.Subtitle))
	}
	b.WriteString("</header>\n")
	if len(p.Sections) > 4 {
		contents(&b, p.Sections)
	}
	figures := 0
	for i, s := range p.Sections {
		fmt.Fprintf(&b, "<section id=\"s%d\">\n", i+1)
		if s.Heading != "" {
			fmt.Fprintf(&b, "<h2>%s</h2>\n", escape(s.Heading))
		}
		paragraphs(&b, s.Text)
		if s.Table != nil {
			s.Table.html(&b)
		}
		for _, f := range s.Figures {
			figures++
			f.html(&b, fmt.Sprintf("fig%d", figures))
		}
		if s.Note != "" {
			fmt.Fprintf(&b, "<p class=\"note\">%s</p>\n", escape(s.Note))
		}
		b.WriteString("</section>\n")
	}
	if p.Footer != "" {
		fmt.Fprintf(&b, "<footer>%s</footer>\n", escape(p.Footer))
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// html writes a figure, and its narrow version if there is one.
func (f *Figure) html(b *bytes.Buffer, id string) {
	if f.narrow == nil {
		fmt.Fprintf(b, "<figure style=\"--w:%.0fpx\">\n%s</figure>\n", f.w, f.svg(id))
		return
	}
	fmt.Fprintf(b, "<figure class=\"broad\">\n%s</figure>\n", f.svg(id))
	fmt.Fprintf(b, "<figure class=\"narrow\" style=\"--w:%.0fpx\">\n%s</figure>\n", f.narrow.w, f.narrow.svg(id+"n"))
}

func contents(b *bytes.Buffer, sections []Section) {
	b.WriteString("<nav aria-label=\"Contents\"><ol>\n")
	for i, s := range sections {
		if s.Heading != "" {
			fmt.Fprintf(b, "<li><a href=\"#s%d\">%s</a></li>\n", i+1, escape(s.Heading))
		}
	}
	b.WriteString("</ol></nav>\n")
}

func paragraphs(b *bytes.Buffer, text string) {
	for _, part := range strings.Split(text, "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			fmt.Fprintf(b, "<p>%s</p>\n", escape(part))
		}
	}
}

func (t *Table) html(b *bytes.Buffer) {
	b.WriteString("<div class=\"wide\"><table>\n")
	if t.Caption != "" {
		fmt.Fprintf(b, "<caption>%s</caption>\n", escape(t.Caption))
	}
	right := make([]bool, len(t.Header))
	for j := range right {
		right[j] = t.numeric(j)
	}
	cell := func(tag, text string, j int) {
		class := ""
		if j < len(right) && right[j] {
			class = ` class="n"`
		}
		scope := ""
		if tag == "th" {
			scope = ` scope="col"`
		}
		fmt.Fprintf(b, "<%s%s%s>%s</%s>", tag, scope, class, escape(text), tag)
	}
	if len(t.Header) > 0 {
		b.WriteString("<thead><tr>")
		for j, h := range t.Header {
			cell("th", h, j)
		}
		b.WriteString("</tr></thead>\n")
	}
	b.WriteString("<tbody>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for j, c := range row {
			cell("td", c, j)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

// numberCell matches a number, with or without a unit or interval, a dash, or an empty cell.
var numberCell = regexp.MustCompile(
	`^([-−+±]?[0-9][0-9.,e+−-]*( ?(%|s|ms|µs|h|min|B|kB|KiB|MB|MiB|GB|GiB))?( ?± ?[0-9.]+)?|[-–—]|)$`)

// numeric reports whether every cell of column j is a number.
func (t *Table) numeric(j int) bool {
	some := false
	for _, row := range t.Rows {
		if j < len(row) {
			if !numberCell.MatchString(row[j]) {
				return false
			}
			some = true
		}
	}
	return some
}

// WriteFile writes the page to a file, completely or not at all.
func (p Page) WriteFile(path string) error {
	return archive.WriteFile(path, func(w io.Writer) error { return HTML(w, p) })
}
