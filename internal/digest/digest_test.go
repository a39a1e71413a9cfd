package digest_test

import (
	"testing"

	"rao/internal/digest"
	"rao/internal/testkit"
)

// Digests are computed from the bytes, least significant first, and do not depend on how the bytes were added.
func TestDigest(t *testing.T) {
	// printf '\000\000\000\000\000\000\360\077\002\000\000\000\000\000\000\000"a\\n"' | sha256sum
	const want = "1d8e7388bb6a388344e3da85fecd99254ce60ce9975b399168df12cefcc1fffc"
	d := digest.New()
	d.Floats([]float64{1})
	d.Floats(nil)
	d.Ints([]int{2})
	d.Text(`"a\n"`)
	for range 2 { // asking changes nothing
		testkit.Equal(t, d.String(), want, "digest", d, "want")
	}
}
