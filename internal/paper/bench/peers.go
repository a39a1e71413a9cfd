package bench

import (
	"cmp"
	"fmt"
	"strings"
)

// peers starts Python processes when they are first needed, one for each number of threads and BLAS.
type peers struct {
	python  string
	dir     string // folder for the script
	running map[string]*peer
	failed  map[string]error
	order   []string
}

func newPeers(python, dir string) *peers {
	return &peers{python: python, dir: dir, running: map[string]*peer{}, failed: map[string]error{}}
}

func (p *peers) close() {
	for _, key := range p.order {
		p.running[key].close()
	}
}

func (p *peers) get(threads int, b library) (*peer, error) {
	key := fmt.Sprint(threads, " ", b.label)
	if err, ok := p.failed[key]; ok {
		return nil, err
	}
	if _, ok := p.running[key]; !ok {
		started, err := startPeer(p.python, p.dir, b, threads)
		if err != nil {
			p.failed[key] = err
			return nil, err
		}
		p.running[key] = started
		p.order = append(p.order, key)
	}
	return p.running[key], nil
}

// packages are the packages that run the cases of the peers' script. Other cases are run by numpy.
var packages = map[string]string{"eigh-torch": "torch", "statistics-torch": "torch", "distances": "pyRiemann",
	"mean": "pyRiemann", "classifier-fit": "pyRiemann", "classifier-predict": "pyRiemann",
	"sqfa": "public Python package"}

// of returns the Python contenders of a case. Products are measured with several BLAS libraries, because the default
// BLAS of numpy depends on the machine.
func (p *peers) of(s *spec, out *Case) []contender {
	var all []contender
	for _, name := range s.peer {
		list := []library{found}
		if strings.HasPrefix(name, "syrk") {
			list = append(list, openBLAS("SkylakeX"), openBLAS("Haswell"))
			if s.reference {
				list = append(list, reference)
			}
		}
		for _, b := range list {
			q, err := p.get(s.threads, b)
			if err != nil {
				out.Absent = append(out.Absent, err.Error())
				continue
			}
			all = append(all, contender{cmp.Or(packages[name], q.label),
				func() (float64, error) { return q.time(name, s.params) }})
		}
	}
	return all
}
