package privacy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

// The noise of a known source, the lattice and the sums of rows have the same bits with every kernel of the processor.
func TestSameIntegersWithAllKernels(t *testing.T) {
	if os.Getenv("RAO_INTEGERS") != "" {
		fmt.Printf("integers %s\n", integersOfKernel(t))
		return
	}
	found := map[string][]cpu.Path{}
	line := regexp.MustCompile(`integers ([0-9a-f]{64})`)
	for _, path := range cpu.Available() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSameIntegersWithAllKernels$")
		cmd.Env = append(os.Environ(), "RAO_INTEGERS=1", "RAO_KERNEL="+path.String())
		out, err := cmd.CombinedOutput()
		m := line.FindSubmatch(out)
		if err != nil || m == nil {
			t.Fatalf("%s: %v, %s", path, err, out)
		}
		found[string(m[1])] = append(found[string(m[1])], path)
	}
	testkit.Equal(t, len(found), 1, "the kernels differ", found)
}

func integersOfKernel(t *testing.T) string {
	h := sha256.New()
	noise := make([]int64, 2000)
	testSampler(5).add(noise, 1<<34+12345)
	write := func(v []int64) {
		testkit.NoError(t, binary.Write(h, binary.LittleEndian, v))
	}
	write(noise)
	x, labels := randomRows(3, 3000, 37)
	for _, p := range testPlans(t, 37)[:2] { // the third maps rows in floating point, where kernels may differ
		s := exactSums(p, x, labels, 700)
		write(s.counts)
		write(s.first)
		write(s.second)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
