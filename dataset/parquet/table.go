package parquet

// table contains the different texts of a column, starting with the empty text. Blocks of rows share it. It only grows,
// until it is replaced.
type table struct {
	texts    []string
	at       map[string]int32
	integers map[int64]int32 // index of the text of each integer
	base     int             // number of texts from the dictionary
}

// mostTexts is the largest number of texts that a table may have in addition to the texts of the dictionary.
const mostTexts = 1 << 14

// full reports whether the table must be replaced.
func (t *table) full() bool { return len(t.texts) > t.base+mostTexts }

// reset replaces the table with one that has only the empty text.
func (t *table) reset() {
	t.texts, t.at, t.integers, t.base = []string{""}, map[string]int32{"": 0}, map[int64]int32{}, 0
}

// place returns the index of a text, which it adds if it is new.
func (t *table) place(text string) int32 {
	at, ok := t.at[text]
	if !ok {
		at = t.add(text)
	}
	return at
}

// bytes is like place, for a text given as bytes.
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
