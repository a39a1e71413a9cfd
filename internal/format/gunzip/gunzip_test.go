package gunzip

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"rao/internal/testkit"
)

func pack(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// noise returns data that can be compressed by a factor of a few.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i >> 3 & 15)
		if i%16 == 0 {
			b[i] = byte(rng.Uint32())
		}
	}
	return b
}

func TestReadsPlainAndCompressed(t *testing.T) {
	for _, n := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 7*blockSize + 5} {
		data := noise(n)
		// Two members one after the other are one file.
		twice := append(pack(data[:n/2]), pack(data[n/2:])...)
		for what, file := range map[string][]byte{"plain": data, "gzip": pack(data), "two members": twice} {
			f := testkit.Must(Open(testkit.TempFile(t, "f", file)))(t)
			got, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(got, data) || f.Compressed != (what != "plain") {
				t.Errorf("%s of %d bytes: %d came, %v", what, n, len(got), err)
			}
			if n, err := f.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("%s: after the end %d, %v", what, n, err)
			}
			testkit.NoError(t, f.Close())
		}
	}
}

func TestDamage(t *testing.T) {
	good := pack(noise(3 * blockSize))
	flip := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 0x40
		return b
	}
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"cut in the middle", "truncated", good[:len(good)/2]},
		{"cut in the checksum", "truncated", good[:len(good)-3]},
		{"wrong checksum", "corrupt", flip(len(good) - 6)},
		{"wrong byte", "corrupt", flip(len(good) / 2)},
		{"header", "corrupt", append([]byte{0x1f, 0x8b, 99, 0}, good[4:]...)},
		{"cut header", "truncated", good[:5]},
	} {
		path := testkit.TempFile(t, "f", c.data)
		f, err := Open(path)
		if err == nil {
			_, err = io.ReadAll(f)
			f.Close()
		}
		testkit.ErrorContains(t, err, c.want, c.what)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Open(t.TempDir())), "is a folder", "folder")
}

func TestCloseEndsTheGoroutine(t *testing.T) {
	path := testkit.TempFile(t, "f", pack(noise(8*blockSize)))
	before := runtime.NumGoroutine()
	for range 20 {
		f := testkit.Must(Open(path))(t)
		_, _ = f.Read(make([]byte, 10))
		f.Close()
		f.Close()
	}
	for range 20000 { // a busy machine lets them wait
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func FuzzGunzip(f *testing.F) {
	f.Add(pack([]byte("hello")))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "f")
		testkit.NoError(t, os.WriteFile(path, append([]byte{0x1f, 0x8b}, data...), 0o600))
		g, err := Open(path)
		if err != nil {
			return
		}
		defer g.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(g, 1<<22))
	})
}
