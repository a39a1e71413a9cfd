package provenance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rao/internal/rowhash"
	"rao/internal/testkit"
)

func keyOf(t *testing.T, text string) Hashing {
	t.Helper()
	return testkit.Must(KeyedHashes([]byte(text)))(t)
}

func hashedBy(h Hashing, rows [][]float64) Part {
	b := Builder{Hashing: h}
	b.AddAll(testkit.Dense(rows))
	return b.Part()
}

// Only parts with the same key show their common rows, and the key is not stored in the part.
func TestKeyedHashes(t *testing.T) {
	secret := "correct horse battery staple"
	a, b := testkit.MixedRows(1, 200), testkit.MixedRows(2, 100)
	copy(b, a[:25])
	mine, other := keyOf(t, secret), keyOf(t, secret+"!")
	p, q := hashedBy(mine, a), hashedBy(keyOf(t, secret+"\r\n"), b)
	testkit.Equal(t, q.overlap(&p), 0.25, "by one key the overlap")
	for _, h := range []Hashing{other, {}, NoHashes()} {
		r := hashedBy(h, a)
		if got := r.overlap(&p) + p.overlap(&r); got != 0 || r.Digest == p.Digest || r.Key == p.Key {
			t.Errorf("with another key the overlap is %g: %v", got, r)
		}
		testkit.NoError(t, CheckPart(r))
	}
	if p.Key == "" || strings.Contains(p.Key, fmt.Sprintf("%016x", mine.key[0])) {
		t.Errorf("the key of a part is %q", p.Key)
	}
	testkit.Fails(t, testkit.ErrorOf(KeyedHashes([]byte("  short  "))), "a key of 5 bytes is taken")
	testkit.Equal(t, hashedBy(NoHashes(), a), (Part{Rows: 200}), "without hashes the part")
}

// The digest is not a sum. Subtracting the hashes of all other rows from a word of the digest does not give the hash of
// the last row.
func TestDigestIsNotASum(t *testing.T) {
	rows := testkit.MixedRows(3, 50)
	p := partOf(rows)
	var sum [2]uint64
	var last [2]uint64
	for _, r := range rows {
		var h [1]uint64
		rowhash.Rows(h[:], nil, r, 0, len(r))
		last[0], last[1] = rowhash.Spread(h[0])
		sum[0] += last[0]
		sum[1] += last[1]
	}
	if p.Digest == fmt.Sprintf("%016x%016x", sum[0], sum[1]) {
		t.Error("the digest is the sum of the hashes")
	}
	var digest [2]uint64
	testkit.Must(fmt.Sscanf(p.Digest, "%016x%016x", &digest[0], &digest[1]))(t)
	for _, w := range digest {
		for k := range sum {
			if w-(sum[k]-last[k]) == last[k] {
				t.Error("the hash of the last row remains")
			}
		}
	}
}

// Rows of classes that are left out leave no trace: the part equals the part of the other rows.
func TestPartsOfSomeClasses(t *testing.T) {
	rows, labels := testkit.MixedRows(5, 700), make([]int, 700)
	var kept [][]float64
	for i := range labels {
		labels[i] = i % 7
		if labels[i] != 2 && labels[i] != 6 {
			kept = append(kept, rows[i])
		}
	}
	for _, h := range []Hashing{{}, keyOf(t, "0123456789abcdef"), NoHashes()} {
		c := Classes{Hashing: h}
		x := testkit.Dense(rows)
		c.AddAll(x.Slice(0, 300, 0, 3), labels[:300])
		c.AddAll(x.Slice(300, 700, 0, 3), labels[300:])
		testkit.Equal(t, c.Part(func(k int) bool { return k != 2 && k != 6 }), hashedBy(h, kept), "without two classes")
		testkit.Equal(t, c.Part(nil), hashedBy(h, rows), "part of all classes")
	}
}

// Small pieces become one part with the sketch of all their rows.
func TestJoinParts(t *testing.T) {
	rows := testkit.MixedRows(7, 900)
	var pieces []Part
	for i := 0; i < len(rows); i += 9 {
		pieces = append(pieces, partOf(rows[i:i+9]))
	}
	all := partOf(rows)
	joined := Join(pieces)
	if len(joined) != 1 || joined[0].Rows != 900 || joined[0].Sketch != all.Sketch || CheckPart(joined[0]) != nil {
		t.Errorf("the pieces become %v", joined)
	}
	testkit.EqualSlices(t, Join(append(pieces, Part{Rows: 5})), []Part{{Rows: 905}},
		"with rows that are not known they become")
}

func TestWhatCountsReveal(t *testing.T) {
	classes, counts := []string{"a", "b", "c", "d"}, []int{1, 0, 10, 11}
	var single *SingleRowError
	if err := CheckSingles(classes, counts); !errors.As(err, &single) || !slices.Equal(single.Classes, []string{"a"}) {
		t.Errorf("single rows: %v", err)
	}
	testkit.NoError(t, CheckSingles(classes[1:], counts[1:]))
	testkit.EqualSlices(t, Spanned(classes, counts, 10), []string{"a", "c"}, "spanned of 10 columns")
}
