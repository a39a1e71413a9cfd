package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/model"
	"rao/serve"
)

//go:embed serve_peer.py
var servePeer []byte

// webPeer is the same model behind FastAPI and uvicorn, in processes of their own, as many
// as there are processors.
type webPeer struct {
	url  string
	cmd  *exec.Cmd
	said bytes.Buffer
	dir  string
}

// affine is what a model makes of its input before it decides, as x·filters + offset; an
// error when that is not what it does.
func affine(ctx context.Context, m *model.Model, x *mat.Dense) (filters [][]float64, offset []float64, err error) {
	n := m.Input.Dim
	probe := mat.NewDense(n+1, n, nil) // the origin, and one step along each axis
	for j := range n {
		probe.Set(j+1, j, 1)
	}
	z, err := m.Transform(ctx, model.Vectors(probe))
	if err != nil {
		return nil, nil, err
	}
	offset = mat.Row(nil, 0, z.X)
	for j := range n {
		row := mat.Row(nil, j+1, z.X)
		for k := range row {
			row[k] -= offset[k]
		}
		filters = append(filters, row)
	}
	want, err := m.Transform(ctx, model.Vectors(x))
	if err != nil {
		return nil, nil, err
	}
	rows, _ := x.Dims()
	for i := range rows {
		for k := range offset {
			got := offset[k]
			for j := range n {
				got += x.At(i, j) * filters[j][k]
			}
			if d := math.Abs(got - want.X.At(i, k)); d > 1e-9*(1+math.Abs(got)) {
				return nil, nil, fmt.Errorf("feature %d of row %d is off by %g: the model is not linear", k, i, d)
			}
		}
	}
	return filters, offset, nil
}

// startWebPeer starts the peer with what the model has learned, and waits until it answers.
// The data check that what comes before its classifier is linear.
func startWebPeer(ctx context.Context, python string, m *model.Model, d *dataset.Data) (p *webPeer, err error) {
	q, ok := m.Classifier.(*classify.QDA)
	if !ok {
		return nil, fmt.Errorf("--peer: the model decides by %T", m.Classifier)
	}
	filters, offset, err := affine(ctx, m, mat.DenseCopyOf(d.X))
	if err != nil {
		return nil, err
	}
	var means, covariances [][]float64
	for i := range q.Classes {
		means, covariances = append(means, q.Means.RawRowView(i)), append(covariances, q.Covariances.At(i))
	}
	given, err := json.Marshal(map[string]any{"filters": filters, "offset": offset, "classes": q.Classes,
		"priors": q.Priors, "means": means, "covariances": covariances})
	if err != nil {
		return nil, err
	}
	p = &webPeer{}
	if p.dir, err = os.MkdirTemp("", "rao-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	data := filepath.Join(p.dir, "model.json")
	write := func(path string, b []byte) error {
		return archive.WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err := errors.Join(write(data, given), write(filepath.Join(p.dir, "serve_peer.py"), servePeer)); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		return nil, err
	}
	p.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	p.cmd = exec.CommandContext(ctx, python, "-m", "uvicorn", "--app-dir", p.dir, "--port", strconv.Itoa(port),
		"--workers", strconv.Itoa(runtime.NumCPU()), "--log-level", "warning", "--no-access-log", "serve_peer:app")
	p.cmd.Env = append(os.Environ(), "RAO_PEER="+data, "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	p.cmd.Stderr = &p.said
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) } // its workers end with it
	p.cmd.WaitDelay = 10 * time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("--peer: %w", err)
	}
	return p, p.wait(ctx)
}

// wait returns when the peer answers.
func (p *webPeer) wait(ctx context.Context) error {
	for range 240 {
		resp, err := http.Get(p.url + "/v2/health/ready")
		if err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.stop()
	return fmt.Errorf("--peer: the peer does not answer: %s", strings.TrimSpace(p.said.String()))
}

// stop ends the peer and its workers.
func (p *webPeer) stop() {
	if p.cmd != nil && p.cmd.Process != nil {
		p.cmd.Process.Signal(os.Interrupt)
		p.cmd.Wait()
	}
	os.RemoveAll(p.dir)
}

// agree returns the largest difference between the posteriors of two servers.
func agree(ctx context.Context, l serve.Load, other string) (float64, error) {
	var posterior [2][]float64
	for i, url := range []string{l.URL, other} {
		l.URL, l.Rows, l.Binary = url, 256, false
		b, err := l.Once(ctx)
		if err != nil {
			return 0, err
		}
		var a struct {
			Outputs []struct {
				Name string
				Data json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &a); err != nil {
			return 0, err
		}
		for _, o := range a.Outputs {
			if o.Name != "posterior" {
				continue
			}
			if err := json.Unmarshal(o.Data, &posterior[i]); err != nil {
				return 0, err
			}
		}
	}
	if len(posterior[0]) == 0 || len(posterior[0]) != len(posterior[1]) {
		return 0, fmt.Errorf("%d probabilities here, %d from the peer", len(posterior[0]), len(posterior[1]))
	}
	worst := 0.0
	for i, v := range posterior[0] {
		worst = max(worst, math.Abs(v-posterior[1][i]))
	}
	return worst, nil
}
