package vec

import (
	"testing"

	"rao/internal/linalg/cpu"
)

// Every path that the processor has passes the same tests.
func TestEveryPath(t *testing.T) {
	defer usePath(cpu.Use())
	for _, path := range cpu.Available() {
		usePath(path)
		t.Run(path.String(), func(t *testing.T) {
			t.Run("vectors", TestAgainstTheDefinitions)
			t.Run("columns", TestColumnsAgreeWithVectors)
			t.Run("single precision", TestNarrowAgreesWithTheDefinitions)
			t.Run("exponentials", TestExpAndTimesAgainstTheDefinitions)
			t.Run("exponentials at the ends", TestExpAtItsEnds)
			t.Run("larger", TestLargerAgainstTheDefinition)
			t.Run("standardize", TestStandardizeAgainstTheDefinition)
			t.Run("rows", TestAddRowsAgainstAxpy)
			t.Run("half squares", TestHalfSquaresAgainstTheDefinition)
			t.Run("rotations", TestRotateAgainstTheDefinition)
		})
	}
}
