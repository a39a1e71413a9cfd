package bench

import (
	"errors"
	"path/filepath"
)

// library is a BLAS for numpy.
type library struct {
	label    string
	coreType string // of OpenBLAS; empty: OpenBLAS chooses
	plain    bool   // the reference BLAS
}

// found is the BLAS that numpy uses by default. reference is the BLAS that Debian installs with python3-numpy if no
// other BLAS is installed.
var (
	found     = library{label: "numpy"}
	reference = library{label: "numpy with Debian's libblas3", plain: true}
)

// openBLAS returns OpenBLAS with the kernels of the given processor. By default, OpenBLAS uses the kernels of the
// newest processor that it supports.
func openBLAS(coreType string) library {
	return library{label: "OpenBLAS " + coreType, coreType: coreType}
}

// env returns the environment variables that select the library.
func (b library) env() ([]string, error) {
	switch {
	case b.coreType != "":
		return []string{"OPENBLAS_CORETYPE=" + b.coreType}, nil
	case b.plain:
		// Debian keeps the alternatives of a library in folders by name.
		files, err := filepath.Glob("/usr/lib/*/blas/libblas.so.3")
		if err != nil || len(files) == 0 {
			return nil, errors.New("the Debian package libblas3 is missing; install it")
		}
		return []string{"LD_LIBRARY_PATH=" + filepath.Dir(files[0])}, nil
	}
	return nil, nil
}
