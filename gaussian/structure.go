package gaussian

import "slices"

// Structure describes the covariances in statistics.
type Structure string

const (
	// StructureFull statistics have a covariance for each class. It is the default.
	StructureFull Structure = "full"
	// StructurePooled statistics have one covariance, which is used for every class.
	StructurePooled Structure = "pooled"
	// StructureDiagonal statistics have the variances of the columns in each class, and treat columns as uncorrelated.
	StructureDiagonal Structure = "diagonal"
)

// kindNamed returns the kind with the given name. ok is false for another name.
func kindNamed(name string) (k Structure, ok bool) {
	k = Structure(name)
	return k, slices.Contains([]Structure{StructureFull, StructurePooled, StructureDiagonal}, k)
}
