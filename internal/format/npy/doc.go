// Package npy is numpy's file format: it reads and writes npy files, and reads npz archives.
//
// All numeric types but complex and long double are read, in either byte order,
// in C or Fortran order, format versions 1 to 3, and text (U and S). Headers are
// parsed by a small parser of the literal that numpy writes; nothing is evaluated
// and pickled objects are refused. A header that promises more than the input
// holds costs no memory.
//
//	z, err := npy.OpenZip("data.npz")
//	defer z.Close()
//	x, err := z.Read("X")
package npy
