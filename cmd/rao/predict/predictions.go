package predict

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"rao/internal/format/parquetwriter"
	"rao/internal/predictions"
	"rao/model"
)

// writePredictions writes predictions in the format that the file extension implies.
func writePredictions(ctx context.Context, path string, w io.Writer, m *model.Model,
	data predictions.Blocks) (*predictions.Summary, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return predictions.WriteTo(ctx, &jsonPredictions{out: bufio.NewWriter(w)}, m, data)
	case ".jsonl":
		return predictions.WriteTo(ctx, &jsonPredictions{out: bufio.NewWriter(w), lines: true}, m, data)
	case ".parquet":
		return predictions.WriteTo(ctx, &parquetPredictions{buffer: bufio.NewWriter(w)}, m, data)
	}
	return predictions.Write(ctx, w, m, data)
}

// jsonPredictions writes one object per row, with one member per column. The objects form an array, or there is one
// object per line.
type jsonPredictions struct {
	out   *bufio.Writer
	lines bool
	keys  [][]byte // quoted column names, each followed by a colon
	ids   bool
	rows  int
	text  []byte
}

func (j *jsonPredictions) Begin(names []string, ids bool) error {
	j.ids = ids
	for _, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		j.keys = append(j.keys, append(key, ':'))
	}
	if !j.lines {
		return j.out.WriteByte('[')
	}
	return nil
}

func (j *jsonPredictions) Row(id, label string, rejected, outlier bool, probabilities []float64) error {
	values := make([]any, 0, len(j.keys))
	if j.ids {
		values = append(values, id)
	}
	values = append(values, label, rejected, outlier)
	for _, p := range probabilities {
		if math.IsNaN(p) || math.IsInf(p, 0) {
			values = append(values, nil)
			continue
		}
		values = append(values, json.Number(strconv.FormatFloat(p, 'g', 8, 64)))
	}
	j.text = j.text[:0]
	if j.rows++; j.rows > 1 && !j.lines {
		j.text = append(j.text, ',', '\n')
	}
	for k, v := range values {
		j.text = append(j.text, "{,"[min(k, 1)])
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		j.text = append(append(j.text, j.keys[k]...), b...)
	}
	if j.text = append(j.text, '}'); j.lines {
		j.text = append(j.text, '\n')
	}
	_, err := j.out.Write(j.text)
	return err
}

func (j *jsonPredictions) Close() error {
	if !j.lines {
		j.out.WriteString("]\n") // Flush returns the error
	}
	return j.out.Flush()
}

type parquetPredictions struct {
	buffer *bufio.Writer
	out    *parquetwriter.Writer
	ids    bool
}

func (p *parquetPredictions) Begin(names []string, ids bool) (err error) {
	p.ids = ids
	kinds := []parquetwriter.Kind{parquetwriter.Text, parquetwriter.Flag, parquetwriter.Flag}
	if ids {
		kinds = append([]parquetwriter.Kind{parquetwriter.Text}, kinds...)
	}
	for len(kinds) < len(names) {
		kinds = append(kinds, parquetwriter.Number)
	}
	p.out, err = parquetwriter.NewWriter(p.buffer, names, kinds)
	return err
}

func (p *parquetPredictions) Row(id, label string, rejected, outlier bool, probabilities []float64) error {
	at := 0
	if p.ids {
		p.out.Text(0, id)
		at++
	}
	p.out.Text(at, label)
	p.out.Flag(at+1, rejected)
	p.out.Flag(at+2, outlier)
	for k, v := range probabilities {
		p.out.Number(at+3+k, v)
	}
	return p.out.End()
}

func (p *parquetPredictions) Close() error {
	if err := p.out.Close(); err != nil {
		return err
	}
	return p.buffer.Flush()
}
