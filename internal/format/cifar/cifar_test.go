package cifar

import (
	"bytes"
	"io"
	"testing"

	"rao/internal/format/gunzip"
	"rao/internal/testkit"
)

// record makes a record whose red, green and blue values encode their position.
func record(label byte) []byte {
	b := make([]byte, Record)
	b[0] = label
	for i := range Side * Side {
		b[1+i], b[1+Side*Side+i], b[1+2*Side*Side+i] = byte(i), byte(i+1), byte(i/Side)
	}
	return b
}

// readAll reads all records of r.
func readAll(r io.Reader) (images []float32, labels []int, err error) {
	records := NewReader(r)
	image := make([]float32, Pixels)
	for {
		label, err := records.Next(image)
		if err == io.EOF {
			return images, labels, nil
		}
		if err != nil {
			return nil, nil, err
		}
		images, labels = append(images, image...), append(labels, label)
	}
}

func TestColorsOfAPixelStandTogether(t *testing.T) {
	images, labels := testkit.Must2(readAll(bytes.NewReader(append(record(3), record(9)...))))(t)
	if len(images) != 2*Pixels || labels[0] != 3 || labels[1] != 9 {
		t.Fatalf("%d values, labels %v", len(images), labels)
	}
	for i := range Side * Side {
		p := images[Pixels+3*i:]
		if p[0] != float32(byte(i)) || p[1] != float32(byte(i+1)) || p[2] != float32(byte(i/Side)) {
			t.Fatalf("pixel %d is %v", i, p[:3])
		}
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"cut", "record 1 has 100 of 3073 bytes; the file is truncated", append(record(1), record(2)[:100]...)},
		{"label", "record 1 has the label 10, but labels are 0 to 9", append(record(1), record(10)...)},
	} {
		_, _, err := readAll(bytes.NewReader(c.data))
		testkit.ErrorContains(t, err, c.want, c.what)
	}
}

func TestOfficialRecords(t *testing.T) {
	f := testkit.Must(gunzip.Open(testkit.External(t, "data", "cifar10", "data_batch_1_first1017.bin.gz")))(t)
	defer f.Close()
	images, labels := testkit.Must2(readAll(f))(t)
	// The first image of the set is a frog, the second a truck.
	if len(labels) != 1017 || len(images) != 1017*Pixels || Names[labels[0]] != "frog" || Names[labels[1]] != "truck" {
		t.Errorf("%d labels, the first %s, %s", len(labels), Names[labels[0]], Names[labels[1]])
	}
}

func FuzzCifar(f *testing.F) {
	f.Add(record(1))
	f.Add(record(11)[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for {
			if label, err := r.Next(nil); err != nil {
				if err != io.EOF && err.Error() == "" {
					t.Error("an error without words")
				}
				return
			} else if label < 0 || label >= Classes {
				t.Fatalf("label %d", label)
			}
		}
	})
}
