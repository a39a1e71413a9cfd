package dataset

import (
	"bufio"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/format/picturesize"
	"rao/internal/format/regular"
	"rao/internal/par"
)

type imageFile struct {
	path, class string
}

// listImages lists the images in a folder of class folders, or links to folders, in lexical order, and the files that
// it skips. It ignores hidden files.
func listImages(path string) ([]imageFile, []Left, error) {
	classes, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, err
	}
	var files []imageFile
	var left leftFiles
	names := map[string]string{}
	for _, c := range classes {
		if strings.HasPrefix(c.Name(), ".") {
			continue
		}
		folder := filepath.Join(path, c.Name())
		st, err := os.Stat(folder)
		switch {
		case err != nil:
			left.add("links", "their targets do not exist")
			continue
		case !st.IsDir():
			left.add("files next to the class folders", "every image must be in the folder of its class")
			continue
		}
		class := labelText(c.Name())
		if other, ok := names[class]; ok {
			return nil, nil, fmt.Errorf("%s: the class folders %s and %s name the same class %s; rename one",
				path, other, c.Name(), class)
		}
		names[class] = c.Name()
		list, err := os.ReadDir(folder)
		if err != nil {
			return nil, nil, err
		}
		before := len(files)
		for _, f := range list {
			switch name := f.Name(); {
			case isPicture(name) && regular.Is(filepath.Join(folder, name), f):
				files = append(files, imageFile{filepath.Join(folder, name), class})
			case !strings.HasPrefix(name, "."):
				left.addFile(f)
			}
		}
		if len(files) == before {
			left.add("class folders without an image", "such as "+c.Name())
		}
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("%s: the folder has no images; it needs one sub-folder per class, with PNG or "+
			"JPEG files%s", path, left.String())
	}
	return files, left, nil
}

func isPicture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg":
		return true
	}
	return false
}

// leftFiles counts the skipped files by reason.
type leftFiles []Left

func (l *leftFiles) add(what, why string) {
	for i := range *l {
		if (*l)[i].What == what {
			(*l)[i].Count++
			return
		}
	}
	*l = append(*l, Left{What: what, Why: because(why), Count: 1})
}

// addFile counts a file of a class folder that is not an image.
func (l *leftFiles) addFile(f os.DirEntry) {
	switch ext := strings.ToLower(filepath.Ext(f.Name())); {
	case f.IsDir():
		l.add("folders inside class folders", "they are not searched")
	case isPicture(f.Name()):
		l.add("pipes, devices and broken links", "only files are read")
	case slices.Contains([]string{".tif", ".tiff", ".gif", ".bmp", ".webp", ".heic", ".ppm", ".pgm"}, ext):
		l.add(ext[1:]+" images", "only PNG and JPEG are read")
	default:
		l.add("other files", "only PNG and JPEG are read")
	}
}

// String lists the skipped files for an error message.
func (l leftFiles) String() string {
	var s strings.Builder
	for _, f := range l {
		fmt.Fprintf(&s, "; left out: %s (%s)", f.counted(), f.Why)
	}
	return s.String()
}

// counted returns the number of files and what they are.
func (l *Left) counted() string {
	what := l.What
	if l.Count == 1 && !strings.Contains(what, ",") {
		words := strings.Fields(what)
		for i, word := range words {
			if slices.Contains([]string{"folders", "files", "images", "links"}, word) {
				words[i] = strings.TrimSuffix(word, "s")
				break
			}
		}
		what = strings.Join(words, " ")
	}
	return fmt.Sprintf("%d %s", l.Count, what)
}

// folderReading reports the skipped files, or returns nil if there are none.
func folderReading(path string, left []Left) *Reading {
	if left == nil {
		return nil
	}
	return &Reading{Source: path, LeftOut: left}
}

// readImages reads images of one size into dst, one after the other.
func readImages(dst []float32, files []imageFile, shape [3]int) error {
	pixels := shape[0] * shape[1] * shape[2]
	return par.Try(len(files), 1, func(_, i, _ int) error {
		return readImage(dst[i*pixels:(i+1)*pixels], files[i].path, shape)
	})
}

// commonShape returns the size of the images, or an error if their sizes differ.
func commonShape(files []imageFile) ([3]int, error) {
	var shape [3]int
	for i, f := range files {
		s, err := picturesize.Shape(f.path)
		if err != nil {
			return shape, err
		}
		if i == 0 {
			shape = s
			continue
		}
		if s[0] != shape[0] || s[1] != shape[1] {
			return shape, fmt.Errorf("%s is %d×%d pixels and %s is %d×%d; make all images the same size",
				f.path, s[0], s[1], files[0].path, shape[0], shape[1])
		}
		shape[2] = max(shape[2], s[2])
	}
	return shape, nil
}

// readImage decodes an image of the given size to dst, with values 0-255.
func readImage(dst []float32, path string, shape [3]int) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("%s: the image is damaged (%w); replace or remove it", path, err)
	}
	if b := m.Bounds(); b.Dy() != shape[0] || b.Dx() != shape[1] {
		return fmt.Errorf("%s: the size of the image differs from the size in its header; replace or remove the file",
			path)
	}
	if shape[2] == 1 {
		grayPixels(dst, m)
	} else {
		rgbPixels(dst, m)
	}
	return nil
}
