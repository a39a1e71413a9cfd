package experiment

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rao"
	"rao/internal/format/archive"
)

//go:embed recorded
var recorded embed.FS

// Recorded returns the recorded result of the experiment, or nil if there is none. The pages of results show it.
func (e *Experiment) Recorded() (*Result, error) {
	b := e.record
	if b == nil {
		var err error
		b, err = recorded.ReadFile("recorded/" + e.ID + ".json")
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := decode(b, "recorded/"+e.ID+".json")
	if err != nil {
		return nil, err
	}
	r.Paper, r.Item, r.Title = e.Paper, e.Item, e.Title
	if r.Version == e.Version {
		r.Protocol = e.Protocol
	}
	return r, nil
}

// Recordable returns an error if a run cannot be recorded, because it is short, its commit is unknown, or its code has
// uncommitted changes.
func (r Run) Recordable() error {
	commit, modified := r.Commit, false
	if commit == "" {
		commit, modified = Build()
	}
	switch {
	case r.Short:
		return rao.Optionf("short", "a short run is not recorded; leave {short} out")
	case commit == "":
		return rao.Optionf("commit", "the build does not record its commit, which a recorded result needs: build with "+
			"go build in a checkout, or give {commit}")
	case modified:
		return errors.New("the build has uncommitted changes, so nobody could repeat the result; commit them and " +
			"build again")
	}
	return nil
}

// Record writes the result to dir/ID.json, completely or not at all. It returns an error if the result could not be
// reproduced; see [Run.Recordable].
func (r *Result) Record(dir string) error {
	if err := (Run{Short: r.Form == "short", Commit: r.Commit}).Recordable(); err != nil {
		return fmt.Errorf("record %s: %w", r.ID, err)
	}
	if r.Modified {
		return fmt.Errorf("record %s: the code had uncommitted changes; commit them and run the experiment "+
			"again", r.ID)
	}
	return archive.WriteFile(filepath.Join(dir, r.ID+".json"), r.writeJSON)
}

func (r *Result) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

func decode(b []byte, name string) (*Result, error) {
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, nil
}
