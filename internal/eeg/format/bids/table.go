package bids

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rao/internal/format/regular"
	"rao/internal/linalg/vec"
)

// maxTable limits the size of a table in bytes.
const maxTable = 1 << 26

// Channel is a row of channels.tsv.
type Channel struct {
	Name   string
	Type   string // in lower case, such as "eeg"
	Unit   string
	Status string // in lower case, such as "bad"; empty if missing
}

// ReadChannels reads a channels.tsv file.
func ReadChannels(path string) ([]Channel, error) {
	rows, err := readTable(path, "name", "type", "units", "status")
	if err != nil {
		return nil, err
	}
	var out []Channel
	for _, row := range rows {
		out = append(out, Channel{row[0], strings.ToLower(row[1]), row[2], strings.ToLower(row[3])})
	}
	return out, nil
}

// ReadElectrodes reads an electrodes.tsv file and returns the known positions by electrode name.
func ReadElectrodes(path string) (map[string][3]float64, error) {
	rows, err := readTable(path, "name", "x", "y", "z")
	if err != nil {
		return nil, err
	}
	places := map[string][3]float64{}
	for _, row := range rows {
		var p [3]float64
		known := true
		for i := range p {
			v, err := strconv.ParseFloat(row[1+i], 64)
			p[i], known = v, known && err == nil && vec.Finite(v)
		}
		if known {
			places[row[0]] = p
		}
	}
	return places, nil
}

// readTable reads columns of a tab-separated table. The first column is required; a value of a missing column is "".
func readTable(path string, columns ...string) ([][]string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := parseTable(io.LimitReader(f, maxTable), columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

func parseTable(in io.Reader, columns []string) ([][]string, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	src := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	src.Comma, src.FieldsPerRecord, src.LazyQuotes = '\t', -1, true
	head, err := src.Read()
	if err != nil {
		return nil, fmt.Errorf("the line of column names cannot be read (%w); correct the table", err)
	}
	place := make([]int, len(columns))
	for i, c := range columns {
		place[i] = slices.IndexFunc(head, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), c) })
	}
	if place[0] < 0 {
		return nil, fmt.Errorf("the table has no column %q; it has %s", columns[0], strings.Join(head, ", "))
	}
	var out [][]string
	for {
		line, err := src.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		row := make([]string, len(columns))
		for i, c := range place {
			if c >= 0 && c < len(line) {
				if v := strings.TrimSpace(line[c]); v != "n/a" {
					row[i] = v
				}
			}
		}
		out = append(out, row)
	}
}
