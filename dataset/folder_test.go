package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// pattern returns the color of pixel (y,x) of the test images.
func pattern(y, x int) color.NRGBA {
	return color.NRGBA{uint8(40 * y), uint8(30 * x), uint8(10*y + x), 255}
}

func TestFolderOfColorImages(t *testing.T) {
	dir := t.TempDir()
	m := image.NewNRGBA(image.Rect(0, 0, 4, 3))
	gray := image.NewGray(image.Rect(0, 0, 4, 3))
	paletted := image.NewPaletted(image.Rect(0, 0, 4, 3), color.Palette{pattern(0, 0), pattern(1, 2)})
	for y := range 3 {
		for x := range 4 {
			m.SetNRGBA(x, y, pattern(y, x))
			gray.SetGray(x, y, color.Gray{uint8(50*y + x)})
			paletted.SetColorIndex(x, y, uint8((x+y)%2))
		}
	}
	writePNG(t, filepath.Join(dir, "b", "1.PNG"), m)
	writePNG(t, filepath.Join(dir, "a", "2.png"), gray)
	writePNG(t, filepath.Join(dir, "b", "3.png"), paletted)
	writeFile(t, filepath.Join(dir, "b", "notes.txt"), []byte("no image"))
	writeFile(t, filepath.Join(dir, ".hidden", "4.png"), []byte("no image"))
	d := open(t, dir, OpenOptions{})
	if !slices.Equal(d.Classes, []string{"a", "b"}) || !slices.Equal(d.Labels, []int{0, 1, 1}) ||
		d.Image != [3]int{3, 4, 3} || d.X.kind == float64s {
		t.Fatalf("%v %v %v", d.Classes, d.Labels, d.Image)
	}
	for y := range 3 {
		for x := range 4 {
			p := 3 * (y*4 + x)
			c, g, q := pattern(y, x), float64(50*y+x), paletted.Palette[(x+y)%2].(color.NRGBA)
			for channel, want := range []uint8{c.R, c.G, c.B} {
				if d.X.At(1, p+channel) != float64(want) || d.X.At(0, p+channel) != g ||
					d.X.At(2, p+channel) != float64([]uint8{q.R, q.G, q.B}[channel]) {
					t.Fatalf("pixel (%d,%d), channel %d: %g %g %g",
						y, x, channel, d.X.At(0, p+channel), d.X.At(1, p+channel), d.X.At(2, p+channel))
				}
			}
		}
	}
}

func TestFolderOfGrayImages(t *testing.T) {
	dir := t.TempDir()
	deep := image.NewGray16(image.Rect(0, 0, 2, 2))
	deep.SetGray16(1, 0, color.Gray16{257*100 + 128})
	plain := image.NewGray(image.Rect(0, 0, 2, 2))
	plain.SetGray(1, 0, color.Gray{100})
	writePNG(t, filepath.Join(dir, "1", "a.png"), deep)
	writePNG(t, filepath.Join(dir, "2", "a.png"), plain)
	d := open(t, dir, OpenOptions{})
	if d.Image != [3]int{2, 2, 1} || d.X.At(0, 1) != float64(float32(257*100+128)/257) || d.X.At(1, 1) != 100 {
		t.Errorf("%v %g %g", d.Image, d.X.At(0, 1), d.X.At(1, 1))
	}
}

func TestJpegColors(t *testing.T) {
	dir := t.TempDir()
	m := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range m.Pix {
		m.Pix[i] = []uint8{200, 60, 20, 255}[i%4]
	}
	var b bytes.Buffer
	testkit.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}))
	writeFile(t, filepath.Join(dir, "x", "a.jpeg"), b.Bytes())
	d := open(t, dir, OpenOptions{})
	for c, want := range []float64{200, 60, 20} {
		if got := d.X.At(0, 3*130+c); got < want-3 || got > want+3 {
			t.Errorf("channel %d is %g, want about %g", c, got, want)
		}
	}
}

// headerPNG returns the start of a PNG with the given number of rows and columns in its header.
func headerPNG(rows, cols uint32) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), cols)
	head = binary.BigEndian.AppendUint32(head, rows)
	head = append(head, 8, 0, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\r"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

func TestBadFolders(t *testing.T) {
	good := image.NewGray(image.Rect(0, 0, 4, 4))
	with := func(name string, data []byte) string {
		t.Helper()
		dir := t.TempDir()
		writePNG(t, filepath.Join(dir, "a", "1.png"), good)
		writeFile(t, filepath.Join(dir, "b", name), data)
		return dir
	}
	refused(t, "empty", t.TempDir(), OpenOptions{}, "the folder has no images; it needs one sub-folder per class")
	refused(t, "damaged", with("2.png", []byte("\x89PNG\r\n\x1a\nxxxx")), OpenOptions{}, "2.png|the image is damaged "+
		"or of another kind")
	refused(t, "huge", with("2.png", headerPNG(1, 1<<15)), OpenOptions{}, "2.png: the image has 1×32768 pixels")
	refused(t, "lying", with("2.png", headerPNG(1<<13, 1<<13)), OpenOptions{}, "2.png: its header declares 8192×8192 "+
		"pixels, but the file has 33 bytes")
	refused(t, "header only", with("2.png", headerPNG(4, 4)), OpenOptions{},
		"2.png: the image is damaged (|); replace or "+
			"remove it")
	dir := t.TempDir()
	writePNG(t, filepath.Join(dir, "a", "1.png"), good)
	writePNG(t, filepath.Join(dir, "a", "2.png"), image.NewGray(image.Rect(0, 0, 5, 4)))
	refused(t, "sizes", dir, OpenOptions{}, "2.png is 4×5 pixels and |1.png is 4×4; make all images the same size")
}
