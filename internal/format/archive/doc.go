// Package archive is the container for everything that rao saves: a zip file with the arrays as npy entries, which
// numpy opens as npz. One more entry, rao.json, has the format version, the caller's metadata and the SHA-256 of every
// array.
//
//	err := archive.Write("model.rao", meta, []archive.Array{
//		{Name: "filters", Shape: []int{n, m}, Float64: filters},
//	})
//	arrays, err := archive.Read("model.rao", &meta)
//
// Write writes to a temporary file, which it syncs and renames: after a crash or on a full disk, the old file is
// intact or there is none. Read rejects files of a newer format, truncated files, and files that do not match their
// digests.
//
// [WriteFile] gives the same guarantee to writers of any other kind of file.
package archive
