package predict

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"rao/internal/format/parquetwriter"
	"rao/internal/linalg/vec"
	"rao/internal/predictions"
	"rao/internal/text"
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
	keys  []string // column names in JSON, after a brace or comma and before a colon
	ids   bool
	rows  int
	text  []byte
}

func (j *jsonPredictions) Begin(names []string, ids bool) error {
	j.ids = ids
	for i, name := range names {
		j.keys = append(j.keys, string(append(text.AppendString([]byte{"{,"[min(i, 1)]}, name), ':')))
	}
	if !j.lines {
		return j.out.WriteByte('[')
	}
	return nil
}

func (j *jsonPredictions) Row(id, label string, rejected, outlier bool, probabilities []float64) error {
	b, keys := j.text[:0], j.keys
	if j.rows++; j.rows > 1 && !j.lines {
		b = append(b, ",\n"...)
	}
	if j.ids {
		b, keys = text.AppendString(append(b, keys[0]...), id), keys[1:]
	}
	b = text.AppendString(append(b, keys[0]...), label)
	b = strconv.AppendBool(append(b, keys[1]...), rejected)
	b = strconv.AppendBool(append(b, keys[2]...), outlier)
	for k, p := range probabilities {
		if b = append(b, keys[3+k]...); vec.Finite(p) {
			b = strconv.AppendFloat(b, p, 'g', 8, 64)
		} else {
			b = append(b, "null"...)
		}
	}
	if b = append(b, '}'); j.lines {
		b = append(b, '\n')
	}
	j.text = b
	_, err := j.out.Write(b)
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
