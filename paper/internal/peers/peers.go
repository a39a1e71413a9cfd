// Package peers trains the deep networks that the papers compare with. The networks are small PyTorch programs,
// which run where Python has torch; nothing else of the project needs them.
package peers

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"rao/dataset"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
)

//go:embed deep.py
var deepScript []byte

// Part is a set of labeled images (height × width × channels) or signals (channels × samples).
type Part struct {
	Shape  []int // of one observation
	Data   []float32
	Labels []int
}

// PartOf returns the rows of a set as observations of the given shape, every value divided by scale.
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

// Task is a network, how it is trained, and its data.
type Task struct {
	Net        string  `json:"net"` // vgg11, shallow, wasf or eegnet
	Epochs     int     `json:"epochs"`
	Batch      int     `json:"batch"`
	Rate       float64 `json:"rate"`  // learning rate of the first epoch
	Decay      float64 `json:"decay"` // its factor from epoch to epoch
	Seed       uint64  `json:"seed"`
	Classes    int     `json:"classes"`
	SampleRate float64 `json:"sample_rate"` // of signals, in Hz
	Threads    int     `json:"threads"`     // 0: GOMAXPROCS
	Train      Part    `json:"-"`
	Test       Part    `json:"-"`
}

// Result is what became of a task.
type Result struct {
	Accuracy     float64 `json:"accuracy"` // share of correct decisions on the test data
	Parameters   int     `json:"parameters"`
	TrainSeconds float64 `json:"train_seconds"`
	TestSeconds  float64 `json:"test_seconds"`
}

// Python returns a Python that has torch: the one that RAO_PYTHON names, else python3. The error says what is
// missing.
var Python = sync.OnceValues(findPython)

func findPython() (string, error) {
	python := os.Getenv("RAO_PYTHON")
	if python == "" {
		python = "python3"
	}
	const look = "import importlib.util as u; exit(not (u.find_spec('numpy') and u.find_spec('torch')))"
	if err := exec.Command(python, "-c", look).Run(); err != nil {
		return "", fmt.Errorf("networks need numpy and torch, which %s lacks; "+
			"name a Python that has them in RAO_PYTHON", python)
	}
	return python, nil
}

// Device returns what a Python trains networks on: the name of its GPU, else "the processor".
func Device(python string) string {
	const look = "import torch as t; print(t.cuda.get_device_name() if t.cuda.is_available() else 'the processor')"
	out, err := exec.Command(python, "-c", look).Output()
	if err != nil {
		return "a device that is not known"
	}
	return strings.TrimSpace(string(out))
}

// Train trains the network of a task and scores it. It reports every finished epoch. Data of another size than their
// shape and a canceled context are errors.
func Train(ctx context.Context, python string, t Task, epoch func(done int)) (*Result, error) {
	dir, err := os.MkdirTemp("", "rao-peer-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if t.Threads == 0 {
		t.Threads = runtime.GOMAXPROCS(0)
	}
	script := filepath.Join(dir, "deep.py")
	task, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.WriteFile(script, deepScript, 0o600),
		os.WriteFile(filepath.Join(dir, "task.json"), task, 0o600),
		t.Train.write(dir, "train"), t.Test.write(dir, "test"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, script, dir)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var r *Result
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var line struct {
			Epoch    int      `json:"epoch"`
			Accuracy *float64 `json:"accuracy"`
		}
		if err = json.Unmarshal(lines.Bytes(), &line); err != nil {
			break
		}
		if line.Accuracy != nil {
			r = &Result{}
			err = json.Unmarshal(lines.Bytes(), r)
		} else if epoch != nil {
			epoch(line.Epoch)
		}
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended != nil:
		text := strings.Split(strings.TrimSpace(messages.String()), "\n")
		return nil, fmt.Errorf("network %s: %w: %s", t.Net, ended, text[len(text)-1])
	case err != nil:
		return nil, fmt.Errorf("network %s: %w", t.Net, err)
	case r == nil:
		return nil, fmt.Errorf("network %s ended without a result", t.Net)
	}
	return r, nil
}

// write writes the data of a part and their labels as npy files.
func (p Part) write(dir, name string) error {
	labels := make([]int64, len(p.Labels))
	for i, l := range p.Labels {
		labels[i] = int64(l)
	}
	shape := append([]int{len(labels)}, p.Shape...)
	return errors.Join(
		writeArray(filepath.Join(dir, name+".npy"), &ndarray.Array{Shape: shape, Float32: p.Data}),
		writeArray(filepath.Join(dir, name+"_labels.npy"), &ndarray.Array{Shape: shape[:1], Int64: labels}))
}

func writeArray(path string, a *ndarray.Array) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(npy.Write(f, a), f.Close())
}
