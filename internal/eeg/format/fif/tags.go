package fif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"rao/internal/format/ndarray"
)

var be = binary.BigEndian

// These are the kinds of blocks and tags, and the types of data (the FIFF constants of the Neuromag and MNE
// specifications).
const (
	blockInfo        = 101
	blockProcessed   = 103
	blockChannel     = 113
	blockReference   = 118
	blockProjection  = 314
	blockBad         = 359
	blockEvents      = 361
	blockEpochs      = 373
	blockAnnotations = 3810

	tagBlockStart  = 104
	tagBlockEnd    = 105
	tagRole        = 115
	tagNextName    = 118
	tagChannels    = 200
	tagRate        = 201
	tagChannel     = 203
	tagDate        = 204
	tagText        = 206
	tagFirst       = 208
	tagLast        = 209
	tagLongName    = 258
	tagBuffer      = 300
	tagSkip        = 301
	tagEpochs      = 302
	tagSkipSamples = 303
	tagProjection  = 3411
	tagNames       = 3507
	tagActive      = 3560
	tagEventList   = 3561
	tagBegin       = 3568
	tagEnd         = 3569

	typeShort, typeInt, typeFloat, typeDouble, typePacked = 2, 3, 4, 5, 16
	typeMatrix                                            = 1 << 30
)

// averageReference is the kind of projector that subtracts the average of the channels.
const averageReference = 10

const (
	maxTags = 1 << 22
	maxDeep = 64
	maxText = 1 << 26 // bytes of a tag that is read into memory
)

// tag is the header of a piece of the file: 16 bytes, followed by its data.
type tag struct {
	kind, typ int32
	size      int64
	at        int64 // offset of the data
}

type walker struct {
	r      io.ReaderAt
	size   int64
	blocks []int32
}

// in reports whether the walker is inside a block of this kind.
func (w *walker) in(kind int32) bool { return slices.Contains(w.blocks, kind) }

// directly reports whether the innermost block is of this kind.
func (w *walker) directly(kind int32) bool {
	return len(w.blocks) > 0 && w.blocks[len(w.blocks)-1] == kind
}

// walk calls visit for every tag except those that begin or end a block.
func (w *walker) walk(visit func(t tag) error) error {
	var head [16]byte
	for at, n := int64(0), 0; at+16 <= w.size; n++ {
		if n == maxTags {
			return fmt.Errorf("the file has more than %d tags; the file is corrupt, so copy it again", maxTags)
		}
		if _, err := w.r.ReadAt(head[:], at); err != nil && err != io.EOF {
			return err
		}
		t := tag{int32(be.Uint32(head[:])), int32(be.Uint32(head[4:])), int64(int32(be.Uint32(head[8:]))), at + 16}
		if t.size < 0 || t.size > w.size-t.at {
			return fmt.Errorf("the tag at byte %d declares %d bytes, but only %d remain; the file is truncated, so "+
				"copy it again", at, t.size, w.size-t.at)
		}
		if err := w.block(t); err != nil {
			return err
		}
		if t.kind != tagBlockStart && t.kind != tagBlockEnd {
			if err := visit(t); err != nil {
				return err
			}
		}
		switch next := int64(int32(be.Uint32(head[12:]))); {
		case next == 0:
			at = t.at + t.size
		case next > at:
			at = next
		case next == -1:
			return nil
		default:
			return fmt.Errorf("the tag at byte %d refers back to byte %d; the file is corrupt, so copy it again", at,
				next)
		}
	}
	return nil
}

// block updates the stack of open blocks.
func (w *walker) block(t tag) error {
	switch t.kind {
	case tagBlockStart:
		kind, err := w.integer(t)
		if err != nil {
			return err
		}
		if len(w.blocks) == maxDeep {
			return errors.New("blocks are nested too deeply; the file is corrupt, so copy it again")
		}
		w.blocks = append(w.blocks, int32(kind))
	case tagBlockEnd:
		if len(w.blocks) > 0 {
			w.blocks = w.blocks[:len(w.blocks)-1]
		}
	}
	return nil
}

// bytes reads the data of a tag other than samples.
func (w *walker) bytes(t tag) ([]byte, error) {
	if t.size > maxText {
		return nil, fmt.Errorf("a tag of kind %d has %d bytes; the file is corrupt, so copy it again", t.kind, t.size)
	}
	return ndarray.ReadSection(w.r, w.size, t.at, t.size, "a tag")
}

// integer reads a tag with a single integer.
func (w *walker) integer(t tag) (int, error) {
	b, err := w.bytes(t)
	if err == nil && len(b) < 4 {
		err = fmt.Errorf("a tag of kind %d has %d bytes, not a number; the file is corrupt, so copy it again", t.kind,
			t.size)
	}
	if err != nil {
		return 0, err
	}
	return int(int32(be.Uint32(b))), nil
}

// floats reads a tag with an array of numbers.
func (w *walker) floats(t tag) ([]float64, error) {
	b, err := w.bytes(t)
	if err != nil {
		return nil, err
	}
	e, known := types[t.typ]
	if !known {
		return nil, fmt.Errorf("a tag of kind %d has numbers of the unknown type %d; the file is "+
			"corrupt, so copy it again", t.kind, t.typ)
	}
	out := make([]float64, len(b)/e.Size)
	e.DecodeFloat64(out, b)
	return out, nil
}

// types are the supported types of numbers.
var types = map[int32]ndarray.Elem{typeShort: {Kind: 'i', Size: 2, Big: true},
	typePacked: {Kind: 'i', Size: 2, Big: true}, typeInt: {Kind: 'i', Size: 4, Big: true},
	typeFloat: {Kind: 'f', Size: 4, Big: true}, typeDouble: {Kind: 'f', Size: 8, Big: true}}
