package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"rao/dataset"
	"rao/internal/testkit"
)

// stored packs levels of the given number of bits, in runs and groups of eight at random.
func stored(rng *rand.Rand, v []byte, width int) levels {
	var src []byte
	for at := 0; at < len(v); {
		same := 1
		for at+same < len(v) && v[at+same] == v[at] {
			same++
		}
		if rng.IntN(2) == 0 || at+8 > len(v) && same == len(v)-at {
			m := 1 + rng.IntN(same)
			src = append(binary.AppendUvarint(src, uint64(m)<<1), v[at])
			at += m
			continue
		}
		groups := 1 + rng.IntN(30)
		packed := make([]byte, groups*width)
		for i, x := range v[at:min(len(v), at+8*groups)] {
			for k := range width {
				packed[(i*width+k)/8] |= x >> k & 1 << ((i*width + k) % 8)
			}
		}
		src = append(binary.AppendUvarint(src, uint64(groups)<<1|1), packed...)
		at += 8 * groups
	}
	return levels{src, width, len(v)}
}

// Properties of stored levels equal the properties of the expanded levels.
func TestStoredLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		width, length, n := 1+rng.IntN(3), 1+rng.IntN(90), rng.IntN(600)
		before := rng.IntN(length + 1)
		reps, defs := make([]byte, n), bytes.Repeat([]byte{byte(rng.IntN(1 << width))}, n)
		for i := range reps {
			if (before+i)%length != 0 {
				reps[i] = 1
			}
		}
		even := true
		if n > 0 && rng.IntN(2) == 0 {
			even = false
			reps[rng.IntN(n)] ^= 1
			defs[rng.IntN(n)] ^= 1
		}
		r, d := stored(rng, reps, 1), stored(rng, defs, width)
		testkit.EqualSlices(t, testkit.Must(r.expand(nil))(t), reps)
		testkit.Equal(t, r.rows(length, before), even, "lists of", length, "after", before, "values,", reps)
		if n > 0 {
			all := bytes.Count(defs, defs[:1]) == n
			testkit.Equal(t, d.all(defs[0]), all, defs, "are all the first")
			if cut := (levels{r.src[:1], 1, n}); cut.rows(length, before) {
				t.Fatal("levels that end early are said to be all")
			}
		}
	}
}

// A page that is decompressed while it is read has the same bytes as one that is decompressed at once. A page that ends
// early or refers to missing bytes is an error.
func TestPagesAsTheyAreRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 59, 60, 61, 300, 70000, 1 << 18} {
		for _, kinds := range []int{1, 2, 256} {
			plain := make([]byte, n)
			for i := range plain {
				if plain[i] = byte(rng.IntN(kinds)); i > 100 && rng.IntN(50) == 0 {
					copy(plain[i-20:i], plain[i-90:])
				}
			}
			packed := snappy.Encode(nil, plain)
			r := testkit.Must(plainReader(format.Snappy, bytes.NewReader(packed), n))(t)
			testkit.EqualSlices(t, testkit.Must(io.ReadAll(r))(t), plain, n, "bytes of", kinds, "kinds")
			testkit.Fails(t, testkit.ErrorOf(plainReader(format.Snappy, bytes.NewReader(packed), n+1)),
				"a wrong size was taken")
		}
	}
	for _, b := range [][]byte{{8, 0x01, 0}, {8, 0, 1, 0x05, 2}, {200, 1, 0xf4, 99}, {8, 0xff, 1, 2}} {
		r, err := plainReader(format.Snappy, bytes.NewReader(b), int(b[0]&0x7f)|int(b[0]>>7)<<7)
		if err == nil {
			_, err = io.ReadFull(r, make([]byte, 8))
		}
		testkit.Fails(t, err, b, "was read")
	}
}

// A missing vector is a row of NaN, whether it is stored as a list or as bytes. A list of another length is an error
// that names its row.
func TestMissingVectors(t *testing.T) {
	type row struct {
		List  []float32 `parquet:"list,optional,list"`
		Bytes *[12]byte `parquet:"bytes,optional"`
	}
	write := func(change func(i int, r *row)) *file {
		t.Helper()
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, parquet.PageBufferSize(200), parquet.MaxRowsPerRowGroup(70))
		for i := range 100 {
			r := row{List: []float32{float32(i), 1, 2}, Bytes: &[12]byte{}}
			for k, v := range r.List {
				binary.LittleEndian.PutUint32(r.Bytes[4*k:], math.Float32bits(v))
			}
			change(i, &r)
			testkit.Must(w.Write([]row{r}))(t)
		}
		testkit.NoError(t, w.Close())
		return testkit.Must(openReader(bytes.NewReader(b.Bytes()), int64(b.Len()), "file"))(t)
	}
	read := func(f *file, name string) ([]float32, error) {
		k := slices.IndexFunc(f.Columns(), func(c dataset.Column) bool { return c.Name == name })
		next, stop, err := f.Read(context.Background(), []int{k}, nil, true)
		if err != nil {
			return nil, err
		}
		defer stop()
		var all []float32
		for {
			rows, err := next(7)
			if err == io.EOF {
				return all, nil
			} else if err != nil {
				return nil, err
			}
			_, x, _, _ := rows.Numbers.RawRows()
			all = append(all, x...)
		}
	}
	for _, missing := range [][]int{nil, {0}, {41, 42, 99}} {
		f := write(func(i int, r *row) {
			if slices.Contains(missing, i) {
				*r = row{}
			}
		})
		for _, name := range []string{"list", "bytes:f32"} {
			x, err := read(f, name)
			if err != nil || len(x) != 300 {
				t.Fatalf("%s without %v: %d values, %v", name, missing, len(x), err)
			}
			for i := range 100 {
				want := []float32{float32(i), 1, 2}
				if got := x[3*i : 3*i+3]; slices.Contains(missing, i) {
					if got[0] == got[0] || got[1] == got[1] || got[2] == got[2] {
						t.Errorf("%s: row %d, which is missing, is %v", name, i, got)
					}
				} else if !slices.Equal(got, want) {
					t.Errorf("%s: row %d is %v, want %v", name, i, got, want)
				}
			}
		}
	}
	f := write(func(i int, r *row) {
		if i == 83 {
			r.List = r.List[:2]
		}
	})
	if _, err := read(f, "list"); err == nil || !bytes.Contains([]byte(err.Error()), []byte("row 13 of its group")) {
		t.Errorf("a short list: %v", err)
	}
}

func TestAShortPageOfBooleansIsDamaged(t *testing.T) {
	c := &cursor{l: &leaf{name: "flag", kind: format.Boolean}}
	testkit.ErrorContains(t, testkit.ErrorOf(c.valuesOf(format.RLE, 1, []byte{0, 0})),
		"the file is damaged or truncated")
}
