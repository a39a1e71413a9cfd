// Package archive is the container of everything that is saved: a zip file that numpy
// opens as npz, with the arrays as npy entries. One more entry, rao.json, holds the
// format version, the caller's metadata and the SHA-256 of every array.
//
//	err := archive.Write("model.rao", meta, []archive.Array{
//		{Name: "filters", Shape: []int{n, m}, Float64: filters},
//	})
//	arrays, err := archive.Read("model.rao", &meta)
//
// Write goes to a temporary file that is synced and renamed, so that a crash or a
// full disk leaves the old file or none. Read refuses a file of a newer format, a
// truncated one and one whose bytes do not match their digests.
//
// [WriteFile] gives the same guarantee to writers of any other kind of file.
package archive
