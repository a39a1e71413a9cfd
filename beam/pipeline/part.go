package pipeline

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"

	"rao/gaussian"
)

// part is the result for some shards. It is sent as bytes, because Beam would encode a structure field by field.
type part struct {
	shards []int // in ascending order; after the first merge, numbers of groups of shards
	body   []byte
}

// encode writes the numbers of the shards before the body.
func (p part) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(p.shards)))
	for _, s := range p.shards {
		b = binary.AppendUvarint(b, uint64(s))
	}
	return append(b, p.body...)
}

func decodePart(b []byte) (part, error) {
	next := func() (int, error) {
		v, k := binary.Uvarint(b)
		if k <= 0 || v > math.MaxInt32 {
			return 0, errors.New("a part does not list the numbers of its shards; run the pipeline again")
		}
		b = b[k:]
		return int(v), nil
	}
	var p part
	n, err := next()
	for err == nil && len(p.shards) < n {
		var shard int
		shard, err = next()
		p.shards = append(p.shards, shard)
	}
	p.body = b
	return p, err
}

// inOrder decodes parts and sorts them by their shards. It returns an error if a shard occurs twice. It omits parts
// without a body, which come from shards without rows.
func inOrder(encoded [][]byte) (parts []part, err error) {
	for _, b := range encoded {
		p, err := decodePart(b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int { return slices.Compare(a.shards, b.shards) })
	if _, err := shardsOfAll(parts); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.body) == 0 }), nil
}

// shardsOfAll returns the sorted shards of all parts. It returns an error if a shard occurs twice.
func shardsOfAll(parts []part) ([]int, error) {
	var all []int
	for _, p := range parts {
		all = append(all, p.shards...)
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return nil, fmt.Errorf("shard %d was counted more than once; run the pipeline again, or use another "+
				"runner", all[i])
		}
	}
	return all, nil
}

// packStatistics encodes statistics. It stores one triangle of each covariance, because covariances are exactly
// symmetric.
func packStatistics(s *gaussian.Statistics) ([]byte, error) {
	head := *s
	head.Covariances = nil
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&head); err != nil {
		return nil, err
	}
	n := s.Dim
	out := make([]byte, 0, 8+b.Len()+4*n*(n+1)*s.NumClasses())
	out = binary.LittleEndian.AppendUint64(out, uint64(b.Len()))
	out = append(out, b.Bytes()...)
	for c := range s.NumClasses() {
		cov := s.Covariances[c*n*n : (c+1)*n*n]
		for i := range n {
			for _, v := range cov[i*n+i : (i+1)*n] {
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
			}
		}
	}
	return out, nil
}

func unpackStatistics(b []byte) (*gaussian.Statistics, error) {
	damaged := errors.New("the statistics of a shard are damaged; run the pipeline again")
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return nil, damaged
	}
	size := int(binary.LittleEndian.Uint64(b))
	s := &gaussian.Statistics{}
	if err := gob.NewDecoder(bytes.NewReader(b[8 : 8+size])).Decode(s); err != nil {
		return nil, err
	}
	b = b[8+size:]
	n, c := s.Dim, s.NumClasses()
	if n < 1 || len(b) != 4*n*(n+1)*c {
		return nil, damaged
	}
	s.Covariances = make([]float64, c*n*n)
	for k := range c {
		cov := s.Covariances[k*n*n : (k+1)*n*n]
		for i := range n {
			for j := i; j < n; j++ {
				v := math.Float64frombits(binary.LittleEndian.Uint64(b))
				cov[i*n+j], cov[j*n+i] = v, v
				b = b[8:]
			}
		}
	}
	return s, nil
}

// packed encodes values other than statistics with gob.
func packed(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func unpacked[T any](b []byte) (*T, error) {
	v := new(T)
	return v, gob.NewDecoder(bytes.NewReader(b)).Decode(v)
}
