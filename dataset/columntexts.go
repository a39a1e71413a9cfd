package dataset

import (
	"fmt"
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/recipes"
)

// processTexts processes the texts of the selected rows: it learns the form, or counts texts that are not in the form.
func (c *columnSource) processTexts() error {
	for k, at := range c.coded {
		if at < 0 {
			continue
		}
		texts := &c.block.Texts[at]
		if c.learning == nil {
			if !c.plan.codes[k].column.Date {
				c.code(k, texts, c.keep)
			}
			continue
		}
		column := c.learning[k]
		for _, i := range c.keep {
			if text := texts.at(i); !column.decided && !isMissing(text) {
				if err := column.decide(true, text); err != nil {
					return fmt.Errorf("%s: %w", c.path, err)
				}
			}
		}
		if column.date {
			days, err := c.date(k, texts)
			if err != nil {
				return err
			}
			for _, i := range c.keep {
				if v := days[texts.Index[i]]; v == v {
					column.n++
					column.sum += v
				} else {
					column.missing++
				}
			}
			continue
		}
		vec.Room(&c.counts, len(texts.Values))
		clear(c.counts)
		for _, i := range c.keep {
			c.counts[texts.Index[i]]++
		}
		for v, n := range c.counts {
			if n == 0 {
				continue
			}
			if err := column.addTexts(texts.Values[v], n); err != nil {
				return fmt.Errorf("%s: %w", c.path, err)
			}
		}
	}
	return nil
}

// code returns the codes of the texts of feature k, and counts missing and unknown texts in the rows. A file of columns
// lists each text once, so it does not use [AppendRow]: for 8192 rows of 20 texts, codes of texts took 16 µs and rows
// 3.8 ms.
func (c *columnSource) code(k int, texts *Texts, rows []int) []int {
	coding := c.plan.codes[k]
	codes := c.codes[k].of(texts.Values, func(text string) int { return codeOf(coding.column, text) })
	for _, i := range rows {
		if code := codes[texts.Index[i]]; code < baseText {
			coding.count(code, texts.at(i))
		}
	}
	return codes
}

// date returns the days of the texts of feature k. It returns an error if a text in a selected row is not a date.
func (c *columnSource) date(k int, texts *Texts) ([]float64, error) {
	days := c.days[k].of(texts.Values, func(text string) float64 {
		if v, ok := daysOf(text); ok {
			return v
		}
		return math.Inf(1)
	})
	for _, i := range c.keep {
		if math.IsInf(days[texts.Index[i]], 1) {
			return nil, fmt.Errorf("%s: %w", c.path, noDate(c.plan.name(c.plan.features[k]), texts.at(i)))
		}
	}
	return days, nil
}

// run is the part of an observation that is from one text or from adjacent numbers.
type run struct {
	at    int    // its first column
	width int    // 1 for a text
	texts *Texts // nil for numbers
	codes []int
	days  []float64 // days of dates, used instead of the codes
}

// write appends the selected rows to the observations of b.
func (c *columnSource) write(b *rowBlock) error {
	x, to := c.block.Numbers, b.x
	if c.coded == nil {
		to.setRows(b.filled, x, c.keep)
		return nil
	}
	var runs []run
	column := 0
	for k, at := range c.coded {
		if n := len(runs); at < 0 && n > 0 && runs[n-1].texts == nil {
			runs[n-1].width++
			column++
		} else if at < 0 {
			runs = append(runs, run{at: column, width: 1})
			column++
		} else {
			r := run{at: column, width: 1, texts: &c.block.Texts[at]}
			column += recipes.Width(c.plan.codes[k].column)
			if !c.plan.codes[k].column.Date {
				r.codes = c.code(k, r.texts, c.keep)
			} else if days, err := c.date(k, r.texts); err != nil {
				return err
			} else {
				r.days = days
			}
			runs = append(runs, r)
		}
	}
	for n, i := range c.keep {
		out := to.f64[(b.filled+n)*to.cols:][:to.cols]
		var numbers []float64
		if x != nil {
			numbers = x.f64[i*x.cols:][:x.cols]
		}
		clear(out)
		for k := range runs {
			r := &runs[k]
			if r.texts == nil {
				numbers = numbers[copy(out[r.at:r.at+r.width], numbers):]
			} else if text := r.texts.Index[i]; r.days != nil {
				out[r.at] = r.days[text]
			} else if code := r.codes[text]; code >= 0 {
				out[r.at+code] = 1
			}
		}
	}
	return nil
}
