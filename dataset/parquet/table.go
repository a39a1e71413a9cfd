package parquet

// table holds the different texts of a column, the empty one first. Blocks of rows share it: it only grows, until it
// is replaced.
type table struct {
	texts []string
	at    map[string]int32
	whole map[int64]int32 // of texts of integers
	base  int             // texts that it has for sure: those of the dictionary
}

// mostTexts is how many texts a table has at most next to those of the dictionary.
const mostTexts = 1 << 14

// full reports whether the table is to be replaced.
func (t *table) full() bool { return len(t.texts) > t.base+mostTexts }

// reset replaces the table by one of the empty text.
func (t *table) reset() {
	t.texts, t.at, t.whole, t.base = []string{""}, map[string]int32{"": 0}, map[int64]int32{}, 0
}

// place returns the place of a text, which is added if it is new.
func (t *table) place(text string) int32 {
	at, ok := t.at[text]
	if !ok {
		at = t.add(text)
	}
	return at
}

// bytes is place of a text of bytes.
func (t *table) bytes(text []byte) int32 {
	at, ok := t.at[string(text)]
	if !ok {
		at = t.add(string(text))
	}
	return at
}

func (t *table) add(text string) int32 {
	at := int32(len(t.texts))
	t.texts = append(t.texts, text)
	t.at[text] = at
	return at
}
