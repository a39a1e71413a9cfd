package xdf

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// A file by Writer is read unchanged, with its breaks, and a truncated file up to its end.
func TestWrittenFilesAreRead(t *testing.T) {
	xml := func(name, kind, format, rate, channels string) []byte {
		return []byte("<info><name>" + name + "</name><type>" + kind + "</type><channel_count>" + channels +
			"</channel_count><nominal_srate>" + rate + "</nominal_srate><channel_format>" + format +
			"</channel_format></info>")
	}
	for _, format := range []string{Float32, Float64} {
		var b bytes.Buffer
		w := NewWriter(&b)
		signal := w.Stream(xml("amp", "EEG", format, "100", "2"), format, 2)
		words := w.Stream(xml("cues", "Markers", Text, "0", "1"), Text, 1)
		var want []float64
		var times []float64
		for k := range 300 {
			at := 1.7e9 + float64(k)/100
			if k >= 200 {
				at += 6
			}
			times = append(times, at)
			want = append(want, float64(k), -0.5*float64(k))
		}
		for lo := 0; lo < 300; lo += 30 {
			testkit.NoError(t, w.Samples(signal, times[lo:lo+30], want[2*lo:2*lo+60], nil))
		}
		long := strings.Repeat("ü", 200)
		testkit.NoError(t, w.Samples(words, []float64{times[50], times[250], times[260]}, nil,
			[]string{"left", long, "Gr\xfc\xdfe"}))
		testkit.Fails(t, w.Samples(words, []float64{1}, nil, []string{"a", "b"}), "two texts of one channel pass")
		testkit.NoError(t, w.Close())
		for _, end := range []int{b.Len(), b.Len() - 1} {
			f := testkit.Must(read(bytes.NewReader(b.Bytes()[:end])))(t)
			r := testkit.Must(f.recording(""))(t)
			info := r.Info()
			got := make([]float64, 600)
			if err := r.ReadSamples(got, 0, 300); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: other values, %v", format, err)
			}
			if !slices.Equal(info.Breaks, []int{200}) || len(info.Events) != 3 || info.Events[0].Sample != 50 ||
				info.Events[1].Sample != 250 || info.Events[1].Label != long ||
				info.Events[2].Label != "Grüße" {
				t.Errorf("%s: %+v", format, info)
			}
		}
	}
}
