package model

import (
	"fmt"
	"strings"

	"rao/internal/text"
)

// Part describes a stage or the classifier of a model.
type Part struct {
	Kind   string `json:"kind"`             // its name in the file
	Input  string `json:"input"`            // description of its input
	Output string `json:"output"`           // description of its output
	Detail string `json:"detail,omitempty"` // further settings in words
}

// String describes the part in one line.
func (p Part) String() string {
	s := p.Kind
	if p.Detail != "" {
		s += " (" + p.Detail + ")"
	}
	return fmt.Sprintf("%s: %s → %s", s, p.Input, p.Output)
}

// parts describes the stages and the classifier (nil if there is none) of a valid model.
func (m *Model) parts() (stages []Part, classifier *Part) {
	in := m.Input
	stages = []Part{}
	for _, s := range m.Stages {
		out, err := s.Out(in)
		if err != nil {
			break
		}
		part := Part{Kind: NameOf(s), Input: in.size(), Output: out.size()}
		if d, ok := s.(describing); ok {
			part.Detail = d.describe()
		}
		stages = append(stages, part)
		in = out
	}
	if m.Classifier != nil {
		classifier = &Part{Kind: NameOf(m.Classifier), Input: in.size(),
			Output: fmt.Sprintf("%d classes", len(m.Classes)), Detail: looksAt(m.Classifier)}
	}
	return stages, classifier
}

// size describes the shape of an observation in words.
func (s Schema) size() string {
	if s.Kind == KindMatrices {
		return fmt.Sprintf("%d×%d", s.Dim, s.Dim)
	}
	return text.Plural(s.Dim, "value", "values")
}

// looksAt describes which part of an observation a classifier uses, if it has learned that.
func looksAt(c Classifier) string {
	e, ok := c.(interface{ Ranks() ([]int, error) })
	if !ok {
		return ""
	}
	ranks, err := e.Ranks()
	if err != nil {
		return ""
	}
	return "spatial patterns per class: " + strings.Trim(fmt.Sprint(ranks), "[]")
}
