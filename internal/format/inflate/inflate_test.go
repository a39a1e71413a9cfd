package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"rao/internal/testkit"
)

// samples are data of kinds that exercise every path: literals, short and long
// matches near and far, runs, and bytes that do not compress.
func samples() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 80000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	skewed := make([]byte, 150000) // long codes
	for i := range skewed {
		skewed[i] = byte(min(255, int(rng.ExpFloat64()*9)))
	}
	periodic := make([]byte, 100000)
	for i := range periodic {
		periodic[i] = byte(i % (1 + i/5000%11))
	}
	far := append(bytes.Clone(random[:32768]), random[:32768]...) // distance 32768
	sparse := make([]byte, 200000)
	for range 9000 {
		sparse[rng.IntN(len(sparse))] = byte(rng.Uint32())
	}
	return map[string][]byte{
		"empty": nil, "one": {7}, "zeros": make([]byte, 400000), "random": random, "skewed": skewed,
		"periodic": periodic, "far": far, "sparse": sparse,
		"text": []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 3000)),
	}
}

func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	// Several blocks, with flushes between.
	for len(data) > 0 {
		n := min(len(data), 70001)
		_, _ = w.Write(data[:n])
		_ = w.Flush()
		data = data[n:]
	}
	_ = w.Close()
	return b.Bytes()
}

func TestSameBytesAsFlate(t *testing.T) {
	for what, data := range samples() {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9} {
			got, err := io.ReadAll(NewReader(bytes.NewReader(deflated(t, data, level))))
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s, level %d: %d of %d bytes, %v", what, level, len(got), len(data), err)
			}
		}
	}
}

func TestSourcesThatGiveLittle(t *testing.T) {
	data := samples()["skewed"][:50000]
	packed := deflated(t, data, 6)
	for what, src := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(bytes.NewReader(packed)),
		"half":     iotest.HalfReader(bytes.NewReader(packed)),
		"data+EOF": iotest.DataErrReader(bytes.NewReader(packed)),
	} {
		got, err := io.ReadAll(iotest.OneByteReader(NewReader(src)))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d of %d bytes, %v", what, len(got), len(data), err)
		}
	}
	boom := errors.New("boom")
	if _, err := io.ReadAll(NewReader(io.MultiReader(bytes.NewReader(packed[:1000]), iotest.ErrReader(boom)))); err != boom {
		t.Errorf("the source's error became %v", err)
	}
}

func TestCutStreams(t *testing.T) {
	data := samples()["skewed"][:1500]
	for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 9} {
		packed := deflated(t, data, level)
		for n := range packed {
			got, err := io.ReadAll(NewReader(bytes.NewReader(packed[:n])))
			if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(data, got) {
				t.Fatalf("level %d cut to %d of %d bytes: %d bytes, %v", level, n, len(packed), len(got), err)
			}
		}
	}
}

// agree compares with compress/flate: the same bytes when it accepts a stream, an
// error when it does not.
func agree(t *testing.T, packed []byte) {
	t.Helper()
	const limit = 1 << 20
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), limit))
	got, err := io.ReadAll(io.LimitReader(NewReader(bytes.NewReader(packed)), limit))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: error %v, flate's %v (%d and %d bytes)", packed, err, wantErr, len(got), len(want))
	}
	if err == nil && !bytes.Equal(got, want) {
		t.Fatalf("%x: %d bytes differ from flate's %d", packed, len(got), len(want))
	}
}

func TestDamagedStreamsAreRefusedAsFlateDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, data := range samples() {
		data = data[:min(len(data), 2000)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
			packed := deflated(t, data, level)
			for range 60 {
				bad := bytes.Clone(packed)
				for range 1 + rng.IntN(3) {
					bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
				}
				agree(t, bad)
			}
		}
	}
}

func FuzzAgree(f *testing.F) {
	for _, data := range samples() {
		f.Add(deflated(f, data[:min(len(data), 300)], 9))
	}
	f.Add([]byte{3, 0})
	f.Fuzz(agree)
}

func TestGzip(t *testing.T) {
	data := samples()["text"]
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Name, w.Comment, w.Extra = "name", "a comment", []byte{1, 2, 3}
		_, _ = w.Write(data)
		_ = w.Close()
		return b.Bytes()
	}
	read := func(packed []byte) ([]byte, error) {
		g, err := NewGzip(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(g)
	}
	twice := append(pack(data[:100]), pack(data[100:])...)
	if got, err := read(twice); err != nil || !bytes.Equal(got, data) {
		t.Errorf("two members: %d of %d bytes, %v", len(got), len(data), err)
	}
	good := pack(data)
	for n := range good {
		if _, err := read(good[:n]); err != io.ErrUnexpectedEOF {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	for what, c := range map[string]struct {
		at   int
		want error
	}{
		"magic": {0, ErrHeader}, "method": {2, ErrHeader}, "flags": {3, ErrHeader},
		"sum": {len(good) - 8, ErrChecksum}, "size": {len(good) - 1, ErrChecksum},
	} {
		bad := bytes.Clone(good)
		bad[c.at] ^= 0x80
		if _, err := read(bad); err != c.want {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	if _, err := read(append(bytes.Clone(good), "more"...)); err == nil {
		t.Error("bytes after the end are accepted")
	}
	head := []byte{0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 0, 0, 0}
	if _, err := read(head); err != ErrHeader {
		t.Errorf("wrong header checksum: %v", err)
	}
}

func BenchmarkMnist(b *testing.B) {
	packed, err := os.ReadFile(testkit.External(b, "data", "mnist", "train-images-idx3-ubyte.gz"))
	if err != nil {
		b.Fatal(err)
	}
	for name, open := range map[string]func(io.Reader) (io.Reader, error){
		"inflate": func(r io.Reader) (io.Reader, error) { return NewGzip(r) },
		"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := open(bytes.NewReader(packed))
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, struct{ io.Reader }{r})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(n)
			}
		})
	}
}

func ExampleNewGzip() {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte("hello"))
	_ = w.Close()
	r, err := NewGzip(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(r)
	fmt.Println(string(text), err)
	// Output: hello <nil>
}
