// Package npy reads and writes numpy's npy files, and reads npz archives.
//
// It reads all numeric types except complex and long double, and text (U and S), in either byte order, in C or Fortran
// order, and in format versions 1 to 3. A small parser reads the literal that numpy writes as header; nothing is
// evaluated, and pickled objects are rejected. A header that claims more data than the input contains does not allocate
// memory for it.
//
//	z, err := npy.OpenZip("data.npz")
//	defer z.Close()
//	x, err := z.Read("X")
package npy
