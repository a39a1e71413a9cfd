package asmwriter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// File is the name and the contents of a generated file.
type File struct {
	Name string
	Data []byte
}

// File returns the file written so far: constants, then functions. The file is named after prefix and the instruction
// set.
func (s *Source) File(prefix string) File {
	s.closeTable()
	text := fmt.Sprintf("%s\n\n#include \"textflag.h\"\n%s%s", s.header, s.data.Bytes(), s.text.Bytes())
	return File{prefix + "_" + strings.ToLower(s.Name) + "_" + s.Arch + ".s", []byte(text)}
}

// Write writes files to a folder.
func Write(folder string, files []File) error {
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if a file in folder differs from what Write would write there. It accepts Windows line
// endings.
func Check(folder string, files []File) error {
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(folder, f.Name))
		if err != nil {
			return err
		}
		if !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), f.Data) {
			return fmt.Errorf("%s differs from the output of its generator; run go generate in its package", f.Name)
		}
	}
	return nil
}
