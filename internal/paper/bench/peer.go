package bench

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed peers.py
var peersScript []byte

// params are the parameters of a case for the script of the peers.
type params map[string]any

// peer is a running Python process that measures one case after another.
type peer struct {
	label string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	info  struct{ Numpy, Torch string }
}

// startPeer starts Python with the given number of threads and BLAS. It writes the script to dir. The error explains
// why this is not possible.
func startPeer(python, dir string, b library, threads int) (*peer, error) {
	env, err := b.env()
	if err != nil {
		return nil, err
	}
	p := &peer{label: b.label}
	script := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(script, peersScript, 0o600); err != nil {
		return nil, err
	}
	t := strconv.Itoa(threads)
	p.cmd = exec.Command(python, script, t, strconv.FormatFloat(turn.Seconds(), 'g', -1, 64))
	p.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+t, "OMP_NUM_THREADS="+t)
	p.cmd.Env = append(p.cmd.Env, env...)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &p.info) != nil {
		p.close()
		return nil, fmt.Errorf("%s cannot import numpy; install numpy", python)
	}
	return p, nil
}

func (p *peer) close() {
	p.in.Close()
	_ = p.cmd.Wait() // its exit status adds no information
}

// time runs a case once and returns its seconds.
func (p *peer) time(name string, c params) (float64, error) {
	c["name"] = name
	line, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return 0, err
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("%s ended: %w", p.label, err)
	}
	var a struct {
		Seconds float64
		Absent  string
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return 0, err
	}
	if a.Absent != "" {
		return 0, fmt.Errorf("%s", a.Absent)
	}
	return a.Seconds, nil
}
