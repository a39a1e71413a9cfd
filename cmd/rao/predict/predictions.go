package predict

import (
	"bufio"
	"context"
	"io"
	"path/filepath"
	"slices"
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
	rows  int
	text  []byte
}

func (j *jsonPredictions) Begin(names []string, _ int) error {
	for i, name := range names {
		j.keys = append(j.keys, string(append(text.AppendString([]byte{"{,"[min(i, 1)]}, name), ':')))
	}
	if !j.lines {
		return j.out.WriteByte('[')
	}
	return nil
}

func (j *jsonPredictions) Row(texts []string, rejected, outlier bool, probabilities []float64) error {
	b, keys := j.text[:0], j.keys
	if j.rows++; j.rows > 1 && !j.lines {
		b = append(b, ",\n"...)
	}
	for _, t := range texts {
		b, keys = text.AppendString(append(b, keys[0]...), t), keys[1:]
	}
	b = strconv.AppendBool(append(b, keys[0]...), rejected)
	b = strconv.AppendBool(append(b, keys[1]...), outlier)
	for k, p := range probabilities {
		if b = append(b, keys[2+k]...); vec.Finite(p) {
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
}

func (p *parquetPredictions) Begin(names []string, texts int) (err error) {
	kinds := append(slices.Repeat([]parquetwriter.Kind{parquetwriter.Text}, texts), parquetwriter.Flag,
		parquetwriter.Flag)
	kinds = append(kinds, slices.Repeat([]parquetwriter.Kind{parquetwriter.Number}, len(names)-len(kinds))...)
	p.out, err = parquetwriter.NewWriter(p.buffer, names, kinds)
	return err
}

func (p *parquetPredictions) Row(texts []string, rejected, outlier bool, probabilities []float64) error {
	for i, t := range texts {
		p.out.Text(i, t)
	}
	at := len(texts)
	p.out.Flag(at, rejected)
	p.out.Flag(at+1, outlier)
	for k, v := range probabilities {
		p.out.Number(at+2+k, v)
	}
	return p.out.End()
}

func (p *parquetPredictions) Close() error {
	if err := p.out.Close(); err != nil {
		return err
	}
	return p.buffer.Flush()
}
