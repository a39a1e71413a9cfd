package bench

import (
	"fmt"
	"strings"
)

// peers starts Python processes when a case first asks for them: one for each
// number of threads and core type.
type peers struct {
	python  string
	running map[string]*peer
	failed  map[string]error
	order   []string
}

func newPeers(python string) *peers {
	return &peers{python: python, running: map[string]*peer{}, failed: map[string]error{}}
}

func (p *peers) close() {
	for _, key := range p.order {
		p.running[key].close()
	}
}

func (p *peers) get(threads int, coreType string) (*peer, error) {
	key := fmt.Sprint(threads, " ", coreType)
	if err, ok := p.failed[key]; ok {
		return nil, err
	}
	if _, ok := p.running[key]; !ok {
		label := "numpy"
		if coreType != "" {
			label = "OpenBLAS " + coreType
		}
		started, err := startPeer(p.python, label, threads, coreType)
		if err != nil {
			p.failed[key] = err
			return nil, err
		}
		p.running[key] = started
		p.order = append(p.order, key)
	}
	return p.running[key], nil
}

// of returns the contenders of a case from Python. Products are timed with the core
// types of OpenBLAS by name, since Debian's build picks one by itself.
func (p *peers) of(s *spec, out *Case) []contender {
	var list []contender
	for _, name := range s.peer {
		cores := []string{""}
		if strings.HasPrefix(name, "syrk") {
			cores = []string{"", "SkylakeX", "Haswell"}
		}
		for _, core := range cores {
			q, err := p.get(s.threads, core)
			if err != nil {
				out.Absent = append(out.Absent, err.Error())
				continue
			}
			who := q.label
			switch {
			case strings.HasSuffix(name, "-torch"):
				who = "torch"
			case name == "distances" || name == "mean":
				who = "pyRiemann"
			case name == "sqfa":
				who = "public Python package"
			}
			list = append(list, contender{who, func() (float64, error) { return q.time(name, s.params) }})
		}
	}
	return list
}

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
