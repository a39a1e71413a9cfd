package fileform

import (
	"fmt"
	"slices"
	"strings"
)

// Table returns the fields of an object as the rows of a Markdown table, followed by the fields of nested objects.
func (n *Node) Table() string {
	if len(n.Fields) == 0 {
		return "This type has no fields.\n"
	}
	var b strings.Builder
	b.WriteString("| field | form | meaning |\n|---|---|---|\n")
	n.rows(&b, "")
	return b.String()
}

func (n *Node) rows(b *strings.Builder, path string) {
	for k, f := range n.Fields {
		name := path + f.Name
		inner, suffix := f.Node, "."
		for inner.Items != nil {
			inner, suffix = inner.Items, "[]"+suffix
		}
		form, section := f.text(), elsewhere[f.Name]
		if path == "training." || path == "input." || len(inner.Fields) == 0 {
			section = ""
		}
		if section != "" {
			form = strings.Replace(form, "object", section, 1)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, form, strings.ReplaceAll(meaning(n.Fields, k), "|", "\\|"))
		if inner.Def == "" && section == "" {
			inner.rows(b, name+suffix)
		}
	}
}

// elsewhere lists the fields whose objects the page describes in a section of their own, with links to the sections.
var elsewhere = map[string]string{"tangent": "[tangent](#tangent)", "space": "[tangent](#tangent)",
	"calibration": "[calibration](#calibration)", "parts": "[part](#metamodel)", "table": "[table](#metamodel)"}

// meaning returns the description of a field for a table, without the name of the field at its beginning. If another
// field describes it, the meaning is a reference to that field.
func meaning(fields []Field, k int) string {
	f := fields[k]
	if f.Doc == "" && f.Const != nil {
		return "kind of the file"
	}
	if f.Doc == "" {
		for i := k - 1; i >= 0; i-- {
			if strings.Contains(fields[i].Doc, "`"+f.Name+"`") {
				return "see `" + fields[i].Name + "`"
			}
		}
	}
	text := f.Doc
	for _, begin := range []string{"`" + f.Name + "` is ", "`" + f.Name + "` are ", "`" + f.Name + "` "} {
		rest, ok := strings.CutPrefix(text, begin)
		if !ok || strings.HasPrefix(rest, "and `") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ", ") {
			continue
		}
		if strings.Count(rest, ". ") == 0 {
			rest = strings.TrimPrefix(strings.TrimSuffix(rest, "."), "the ")
		} else {
			rest = strings.ToUpper(rest[:1]) + rest[1:]
		}
		return rest
	}
	return text
}

func (n *Node) text() string {
	switch {
	case n.Array > 0:
		return []string{"", "vector", "matrix", "stack"}[n.Array]
	case n.Def != "":
		return n.Def
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case n.Words != nil:
		words := slices.DeleteFunc(slices.Clone(n.Words), func(w string) bool { return w == "" })
		return "one of `" + strings.Join(words, "`, `") + "`"
	case n.Length > 0:
		return fmt.Sprintf("%d × %s", n.Length, n.Items.text())
	case n.Items != nil:
		return "list of " + n.Items.text()
	case len(n.Any) > 0:
		return n.Any[0].text()
	}
	return n.Type
}
