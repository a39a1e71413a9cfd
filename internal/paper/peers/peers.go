// Package peers trains the methods with which ours are compared: the deep networks of the papers, and classifiers with
// differential privacy. The methods are small Python programs, which need torch or other public libraries. Nothing else
// in the project needs these libraries.
package peers

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
)

//go:embed deep.py
var deepScript []byte

// Part is a set of labeled images (height × width × channels) or signals (channels × samples).
type Part struct {
	Shape  []int // shape of one observation
	Data   []float32
	Labels []int
}

// PartOf returns the rows of a set as observations of the given shape. Every value is divided by scale.
func PartOf(d *dataset.Data, scale float64, shape ...int) Part {
	n, values := d.X.Dims()
	p := Part{Shape: shape, Labels: d.Labels, Data: make([]float32, 0, n*values)}
	for i := range n {
		for j := range values {
			p.Data = append(p.Data, float32(d.X.At(i, j)/scale))
		}
	}
	return p
}

// Task is a network, its training settings, and its data.
type Task struct {
	Net        string  `json:"net"` // vgg11, shallow, wasf or eegnet
	Epochs     int     `json:"epochs"`
	Batch      int     `json:"batch"`
	Rate       float64 `json:"rate"`  // learning rate of the first epoch
	Decay      float64 `json:"decay"` // factor of the learning rate from epoch to epoch
	Seed       uint64  `json:"seed"`
	Classes    int     `json:"classes"`
	SampleRate float64 `json:"sample_rate"` // sampling rate of signals, in Hz
	Threads    int     `json:"threads"`     // number of threads; 0 for GOMAXPROCS
	Train      Part    `json:"-"`
	Test       Part    `json:"-"`
}

// Result contains the accuracy, size and times of a trained network.
type Result struct {
	Accuracy     float64 `json:"accuracy"` // fraction of correct decisions on the test data
	Parameters   int     `json:"parameters"`
	TrainSeconds float64 `json:"train_seconds"`
	TestSeconds  float64 `json:"test_seconds"`
}

// Python returns a Python interpreter that has torch: the one in RAO_PYTHON, or otherwise python3. The error names what
// is missing.
var Python = sync.OnceValues(func() (string, error) {
	return pythonWith("networks need numpy and torch", "numpy", "torch")
})

// pythonWith returns the Python interpreter in RAO_PYTHON, or otherwise python3. It returns an error if the modules are
// not installed.
func pythonWith(need string, modules ...string) (string, error) {
	python := cmp.Or(os.Getenv("RAO_PYTHON"), "python3")
	const look = "import sys, importlib.util as u; exit(not all(map(u.find_spec, sys.argv[1:])))"
	if err := exec.Command(python, append([]string{"-c", look}, modules...)...).Run(); err != nil {
		return "", fmt.Errorf("%s, which %s does not have; name a Python interpreter that has them in "+
			"RAO_PYTHON", need, python)
	}
	return python, nil
}

// Device returns the device on which a Python interpreter trains networks: the name of its GPU, or "the CPU".
func Device(python string) string {
	const look = "import torch as t; print(t.cuda.get_device_name() if t.cuda.is_available() else 'the CPU')"
	out, err := exec.Command(python, "-c", look).Output()
	if err != nil {
		return "an unknown device"
	}
	return strings.TrimSpace(string(out))
}

// Train trains the network of a task and scores it on the test data. It calls epoch, which may be nil, after every
// epoch. It returns an error if the length of the data does not match the shape, if the Python program fails, or if ctx
// is canceled.
func Train(ctx context.Context, python string, t Task, epoch func(done int)) (*Result, error) {
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	var r *Result
	err := runScript(ctx, python, deepScript, t, t.Train, t.Test, func(b []byte) error {
		var line struct {
			Epoch    int      `json:"epoch"`
			Accuracy *float64 `json:"accuracy"`
		}
		if err := json.Unmarshal(b, &line); err != nil {
			return err
		}
		if line.Accuracy != nil {
			r = &Result{}
			return json.Unmarshal(b, r)
		}
		if epoch != nil {
			epoch(line.Epoch)
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("network %s: %w", t.Net, err)
	case r == nil:
		return nil, fmt.Errorf("network %s ended without a result", t.Net)
	}
	return r, nil
}

// runScript runs a Python program on a task and its data, and calls line for each line that the program prints.
func runScript(ctx context.Context, python string, program []byte, task any, train, test Part,
	line func([]byte) error) error {
	dir, err := os.MkdirTemp("", "rao-peer-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "program.py")
	b, err := json.Marshal(task)
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(script, program, 0o600),
		os.WriteFile(filepath.Join(dir, "task.json"), b, 0o600),
		train.write(dir, "train"), test.write(dir, "test"))
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, python, script, dir)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if err = line(lines.Bytes()); err != nil {
			break
		}
	}
	if err != nil { // otherwise the program would wait until its output is read
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	if err := cmd.Wait(); err != nil {
		text := strings.Split(strings.TrimSpace(messages.String()), "\n")
		return fmt.Errorf("%w: %s", err, text[len(text)-1])
	}
	return lines.Err()
}

// write writes the data of a part and their labels as npy files.
func (p Part) write(dir, name string) error {
	labels := make([]int64, len(p.Labels))
	for i, l := range p.Labels {
		labels[i] = int64(l)
	}
	write := func(name string, a *ndarray.Array) error {
		return archive.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { return npy.Write(w, a) })
	}
	shape := append([]int{len(labels)}, p.Shape...)
	return errors.Join(write(name+".npy", &ndarray.Array{Shape: shape, Float32: p.Data}),
		write(name+"_labels.npy", &ndarray.Array{Shape: shape[:1], Int64: labels}))
}
