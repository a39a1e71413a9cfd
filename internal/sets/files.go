package sets

import (
	"fmt"
	"os"
	"path/filepath"
	"rao/internal/format/regular"
	"strings"
)

// remoteFile is a file of a set, with its sources and its digest.
type remoteFile struct {
	name     string
	url      []string // tried in order
	sha256   string   // SHA-256 of the published file; empty if none is published
	size     int64    // size of the published file; 0 if unknown
	archive  string   // name of the file in the archive at url
	also     string   // pattern of other file names with the same content or a part of it
	optional bool     // the set can be used without it

	subject, run int // numbers of recordings, from 1; run is 0 for a file with all runs
}

// unknown reports whether neither the size nor the digest of the file is known in advance.
func (f *remoteFile) unknown() bool { return f.size == 0 && f.sha256 == "" }

// completePath returns the path of the complete file in dir, compressed or not, or "" if it does not exist.
func (f *remoteFile) completePath(dir string) string {
	for _, name := range []string{f.name, f.name + ".gz", strings.TrimSuffix(f.name, ".gz")} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Mode().IsRegular() {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// find returns the path in dir of the complete file, or else of a file that matches the pattern also, or "" if there is
// neither.
func (f *remoteFile) find(dir string) string {
	if path := f.completePath(dir); path != "" {
		return path
	}
	if f.also != "" {
		if list, _ := filepath.Glob(filepath.Join(regular.EscapeGlob(dir), f.also)); len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

const (
	mnistURL     = "https://storage.googleapis.com/cvdf-datasets/mnist/"
	mnistMirror  = "https://ossci-datasets.s3.amazonaws.com/mnist/"
	fashionURL   = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
	fashionAWS   = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
	cifarURL     = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
	svhnURL      = "http://ufldl.stanford.edu/housenumbers/"
	optdigitsURL = "https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits/"
)

// These are the digests of the published files. For mnist and optdigits, they were computed from the files. For the
// other sets, several independent projects use the same digests.
var (
	mnistFiles = []remoteFile{
		mnistFile("train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
			9912422),
		mnistFile("train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
			28881),
		mnistFile("t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
			1648877),
		mnistFile("t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
			4542),
	}
	fashionFiles = []remoteFile{
		fashionFile("train-images-idx3-ubyte.gz", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
			26421880),
		fashionFile("train-labels-idx1-ubyte.gz", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
			29515),
		fashionFile("t10k-images-idx3-ubyte.gz", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
			4422102),
		fashionFile("t10k-labels-idx1-ubyte.gz", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
			5148),
	}
	cifarFiles = []remoteFile{
		cifarFile("data_batch_1.bin"), cifarFile("data_batch_2.bin"), cifarFile("data_batch_3.bin"),
		cifarFile("data_batch_4.bin"), cifarFile("data_batch_5.bin"), cifarFile("test_batch.bin"),
	}
	svhnFiles = []remoteFile{
		{name: "train_32x32.mat", url: []string{svhnURL + "train_32x32.mat"},
			sha256: "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8", size: 182040794},
		{name: "test_32x32.mat", url: []string{svhnURL + "test_32x32.mat"},
			sha256: "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b", size: 64275384},
	}
	optdigitsFiles = []remoteFile{
		{name: "optdigits.tra", url: []string{optdigitsURL + "optdigits.tra"},
			sha256: "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd", size: 563639},
		{name: "optdigits.tes", url: []string{optdigitsURL + "optdigits.tes"},
			sha256: "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8", size: 264712},
	}
	uspsFiles = []remoteFile{{name: "zip.train.gz"}, {name: "zip.test.gz"}}
	ethFiles  = []remoteFile{{name: "images-gray128-idx3-ubyte.gz"}, {name: "category-idx1-ubyte.gz"},
		{name: "object-idx1-ubyte.gz"}}
	bciFiles = bciSubjects()
)

func mnistFile(name, digest string, size int64) remoteFile {
	return remoteFile{name: name, url: []string{mnistURL + name, mnistMirror + name}, sha256: digest, size: size}
}

func fashionFile(name, digest string, size int64) remoteFile {
	return remoteFile{name: name, url: []string{fashionURL + name, fashionAWS + name}, sha256: digest, size: size}
}

// cifarFile returns one batch. All batches are in one archive with the given digest and size.
func cifarFile(name string) remoteFile {
	return remoteFile{name: name, archive: "cifar-10-batches-bin/" + name, url: []string{cifarURL},
		sha256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", size: 170052171,
		also: strings.TrimSuffix(name, ".bin") + "_*.bin*"}
}

func bciSubjects() []remoteFile {
	var out []remoteFile
	for i := 1; i <= 9; i++ {
		out = append(out, remoteFile{name: fmt.Sprintf("A%02d.mat", i), optional: true})
	}
	return out
}
