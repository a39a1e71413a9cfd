package dataset

import (
	"context"
	"testing"
	"time"

	"rao/internal/testkit"
)

func open(t testing.TB, spec string, opt OpenOptions) *Data {
	t.Helper()
	start := time.Now()
	d, err := Open(context.Background(), spec, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s in %v", spec, time.Since(start))
	return d
}

func TestMnist(t *testing.T) {
	d := open(t, testkit.External(t, "data", "mnist", "train-images-idx3-ubyte.gz"), OpenOptions{})
	if r, c := d.X.Dims(); r != 60000 || c != 784 || !d.X.Single() {
		t.Errorf("%d×%d, single %v", r, c, d.X.Single())
	}
	if d.Image != [3]int{28, 28, 1} || len(d.Classes) != 10 || d.Counts()[1] != 6742 {
		t.Errorf("image %v, classes %v, counts %v", d.Image, d.Classes, d.Counts())
	}
}

func TestBciSession(t *testing.T) {
	d := open(t, testkit.External(t, "data", "bci-iv-2a", "A01.mat"), OpenOptions{X: "P", Y: "Label", Where: []string{"testIdx=0"}})
	if d.Stack == nil || d.Stack.Count != 288 || d.Stack.Dim != 22 || len(d.Classes) != 4 {
		t.Errorf("%+v", d)
	}
}

func TestDigits(t *testing.T) {
	d := open(t, "digits:train", OpenOptions{})
	t.Log(d.N(), d.Classes, d.Counts())
	d = open(t, testkit.External(t, "data", "cifar10", "data_batch_1_first1017.bin.gz"), OpenOptions{})
	t.Log(d.N(), d.Classes, d.Counts())
	d = open(t, testkit.External(t, "data", "optdigits", "optdigits.tra"), OpenOptions{})
	t.Log(d.N(), d.Classes, d.Counts())
	d = open(t, testkit.External(t, "data", "eth80", "images-gray128-idx3-ubyte.gz"), OpenOptions{Labels: testkit.External(t, "data", "eth80", "category-idx1-ubyte.gz")})
	t.Log(d.N(), d.Classes, d.Counts(), d.Image)
}
