// Package archive is the container for everything that rao saves: a zip file with the arrays as npy entries, which
// numpy can open as npz. Another entry, rao.json, contains the format version, the caller's metadata and the SHA-256 of
// every array.
//
//	err := archive.Write("model.rao", meta, []archive.Array{
//		{Name: "filters", Shape: []int{n, m}, Float64: filters},
//	})
//	arrays, err := archive.Read("model.rao", &meta)
//
// Write writes a temporary file, syncs it and renames it. After a crash or on a full disk, an existing file is
// therefore intact, and no incomplete file exists. Read rejects files of a newer format, truncated files, and files
// that do not match their digests.
//
// [WriteFile] gives the same guarantee for any other kind of file.
package archive
