package bench

import (
	"errors"
	"path/filepath"
)

// library is the BLAS that numpy is to use.
type library struct {
	label    string
	coreType string // of OpenBLAS; empty: it chooses
	plain    bool   // the reference BLAS
}

// found is the BLAS that numpy finds by itself; reference is the one that Debian's
// python3-numpy brings when no other is installed.
var (
	found     = library{label: "numpy"}
	reference = library{label: "numpy with Debian's libblas3", plain: true}
)

// openBLAS is OpenBLAS with the kernels of a processor: by itself it takes those of
// the newest one that it knows.
func openBLAS(coreType string) library {
	return library{label: "OpenBLAS " + coreType, coreType: coreType}
}

// env returns the variables that choose it.
func (b library) env() ([]string, error) {
	switch {
	case b.coreType != "":
		return []string{"OPENBLAS_CORETYPE=" + b.coreType}, nil
	case b.plain:
		// Debian keeps the alternatives of a library apart, by name.
		files, err := filepath.Glob("/usr/lib/*/blas/libblas.so.3")
		if err != nil || len(files) == 0 {
			return nil, errors.New("the libblas3 of Debian is not installed")
		}
		return []string{"LD_LIBRARY_PATH=" + filepath.Dir(files[0])}, nil
	}
	return nil, nil
}
