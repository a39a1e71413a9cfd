// Package recipe describes, as plain data, how observations were computed from a raw signal or image. A [Recipe]
// accompanies the observations from the file of covariances to the model and the decoder. It has one of two parts: a
// [Signal], with rate, channels, reference, bands and estimator, or an [Image], with features, windows and regions.
//
// [Check] compares the recipe of the training data with the recipe of other observations and returns an error that
// names every difference. A model uses it to reject data that were computed differently:
//
//	if err := recipe.Check(m.Input.Recipe, here); err != nil { ... }
//
// Package json writes a recipe, and [Parse] reads it. Trials of recordings (package eeg) and live signals
// (package stream) share [SignalOptions].
package recipe

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/text"
)

// Recipe describes how observations were computed. At most one of its parts is set.
type Recipe struct {
	Signal *Signal `json:"signal,omitempty"` // recipe of trials or windows of a signal
	Image  *Image  `json:"image,omitempty"`  // recipe of windows or regions of images
}

// Signal describes how observations were computed from a multichannel signal.
type Signal struct {
	Rate     float64  `json:"rate"`     // samples per second
	Channels []string `json:"channels"` // names, in the order of the matrices' rows
	// Reference is the reference electrode of all channels, or "average"; empty means unknown.
	Reference string `json:"reference,omitempty"`
	// Unit is the unit of the samples, such as V, or one per channel separated by commas; empty means unknown.
	Unit string `json:"unit,omitempty"`
	// Subtracted lists the channels whose mean was subtracted; "average" means all channels. Nil means that nothing was
	// subtracted.
	Subtracted []string  `json:"subtracted,omitempty"`
	Notch      []float64 `json:"notch,omitempty"`     // frequencies in hertz that were removed first
	Resampled  bool      `json:"resampled,omitempty"` // whether the signal was resampled to Rate
	Causal     bool      `json:"causal"`              // whether filters ran forward only, as in a live decoder
	Window     float64   `json:"window"`              // length in seconds of the signal used for an observation
	// Baseline is the start and end, in seconds from the event, of the interval whose mean was subtracted; nil means
	// that none was subtracted.
	Baseline []float64 `json:"baseline,omitempty"`
	SignalOptions
}

// Image describes how observations were computed from images.
type Image struct {
	Rows     int      `json:"rows"`               // height of the images in pixels
	Cols     int      `json:"cols"`               // width of the images in pixels
	Channels int      `json:"channels"`           // 1 for gray images, 3 for color images
	Planar   bool     `json:"planar"`             // whether color images are stored as planes
	Features []string `json:"features,omitempty"` // features of a pixel, in the order of the matrix rows
	Patches  *Patches `json:"patches,omitempty"`  // learned filters instead of features
	Regions  string   `json:"regions,omitempty"`  // names of the regions that have one matrix each, instead of windows
	Window   [2]int   `json:"window"`             // rows and columns of a window
	Step     [2]int   `json:"step"`               // rows and columns from one window to the next
	Ridge    float64  `json:"ridge"`              // fraction of the mean variance added to the diagonal
	Smooth   float64  `json:"smooth,omitempty"`   // standard deviation of the smoothing in pixels
	Gaussian bool     `json:"gaussian,omitempty"` // whether the matrix also contains the mean of the features
	// References are the matrices at which the observations, tangent vectors, were computed: complete matrices, one
	// for each window or region. If the observations are matrices, References is nil.
	References []float64 `json:"references,omitempty"`
}

// Patches contains filters learned from patches of images (Coates, Lee and Ng 2011).
type Patches struct {
	Size      int       `json:"size"`      // rows and columns of a patch
	Channels  int       `json:"channels"`  // 1 for gray images, 3 for color images
	Filters   []float64 `json:"filters"`   // values of a patch × filters
	Offsets   []float64 `json:"offsets"`   // subtracted from the responses
	Floor     float64   `json:"floor"`     // added to the variance of a patch
	Threshold float64   `json:"threshold"` // soft threshold of the responses
}

// Filtered reports whether the signal was filtered or resampled. The bands of a spectral matrix are not filters.
func (s *Signal) Filtered() bool {
	return len(s.Bands) > 0 && !s.spectral() || len(s.Notch) > 0 || s.Resampled
}

// Parse parses a recipe from JSON. It returns an error for an unknown field, because that could change the meaning of
// the observations, and for a recipe that is not valid.
func Parse(text []byte) (*Recipe, error) {
	var r Recipe
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the recipe cannot be read: %w", jsonError(err))
	}
	if err := checkFields(text, reflect.TypeFor[Recipe](), ""); err != nil {
		return nil, fmt.Errorf("the recipe cannot be read: %w", err)
	}
	return &r, r.Validate()
}

func jsonError(err error) error { return text.JSONError(err) }

// checkFields returns an error for a field that t does not have with exactly this name, because package json ignores
// unknown fields and the case of names. at is the path to the value in the recipe.
func checkFields(text []byte, t reflect.Type, at string) error {
	var parts []json.RawMessage
	var fields map[string]json.RawMessage
	switch {
	case t.Kind() == reflect.Pointer:
		return checkFields(text, t.Elem(), at)
	case t.Kind() == reflect.Slice && json.Unmarshal(text, &parts) == nil:
		for i, part := range parts {
			path := fmt.Sprintf("%s[%d].", strings.TrimSuffix(at, "."), i)
			if err := checkFields(part, t.Elem(), path); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() != reflect.Struct || json.Unmarshal(text, &fields) != nil:
		return nil
	}
	known := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if known[name] == nil || name == "" {
			return fmt.Errorf("unknown field %q, perhaps of a newer version of rao; names are in lower case, such as "+
				"signal.rate", at+name)
		}
		if err := checkFields(fields[name], known[name], at+name+"."); err != nil {
			return err
		}
	}
	return nil
}

// Validate returns an error unless the fields are valid and consistent. A nil recipe is valid.
func (r *Recipe) Validate() error {
	if r == nil {
		return nil
	}
	if r.Signal != nil && r.Image != nil {
		return errors.New("the recipe describes both a signal and images; describe only one")
	}
	if r.Signal != nil {
		return r.Signal.validate()
	}
	if r.Image != nil {
		return r.Image.validate()
	}
	return nil
}

func (s *Signal) validate() error {
	switch {
	case !vec.Positive(s.Rate):
		return fmt.Errorf("the rate in the recipe is %g Hz; it must be positive", s.Rate)
	case !vec.Positive(s.Window):
		return fmt.Errorf("the window in the recipe is %g s; it must be positive", s.Window)
	case len(s.Channels) == 0:
		return errors.New("the recipe names no channels; name at least one")
	case s.Order < 0:
		return fmt.Errorf("the order of the filters in the recipe is %d; it must be 0 or more", s.Order)
	}
	for _, hz := range s.Notch {
		if !(hz > 0 && hz < s.Rate) && !(s.Resampled && vec.Positive(hz)) {
			return fmt.Errorf("the notch in the recipe is at %g Hz; it must be above 0 and below the rate", hz)
		}
	}
	if !validSegments(s.Segment, s.Overlap) {
		return fmt.Errorf("the segments in the recipe are %g s long and overlap by a share of %g; the length must be "+
			"0 s or more, and the share at least 0 and below 1", s.Segment, s.Overlap)
	}
	if err := checkDelays(s.Delays, math.MaxInt); err != nil {
		return fmt.Errorf("the recipe has %w", err)
	}
	if b := s.Baseline; len(b) > 0 && (len(b) != 2 || !(b[0] < b[1]) || math.IsInf(b[1]-b[0], 0)) {
		return fmt.Errorf("the baseline in the recipe is %v s; it must be a start and a later end", b)
	}
	for _, b := range s.Bands {
		if !vec.NotNegative(b.Low) || !vec.NotNegative(b.High) {
			return fmt.Errorf("the band %v in the recipe must have finite frequencies of 0 Hz or more", b)
		}
	}
	return nil
}

func (m *Image) validate() error {
	if m.Rows < 1 || m.Cols < 1 || len(m.Features) == 0 && m.Patches == nil {
		return fmt.Errorf("the recipe has images of %d×%d pixels with %d features; it needs at least one pixel, and "+
			"features or patches", m.Rows, m.Cols, len(m.Features))
	}
	if p := m.Patches; p != nil &&
		(len(m.Features) > 0 || p.Size < 1 || len(p.Offsets) == 0 || len(p.Filters)%len(p.Offsets) != 0) {
		return fmt.Errorf("the recipe has %d features and %d patch filters of %d numbers in total; it needs features "+
			"or complete filters",
			len(m.Features), len(p.Offsets), len(p.Filters))
	}
	return nil
}

// ContradictionError reports that observations were not computed in the same way as the training data.
type ContradictionError struct {
	Differences []string // each names a property, with its values in both
}

// Error names every difference.
func (e *ContradictionError) Error() string {
	return "the observations were not computed like the training data (" + strings.Join(e.Differences, "; ") +
		"); compute them again in the same way, or fit a model to data like these"
}

// Check compares the recipe of the training data with the recipe of other observations. If the recipes differ, it
// returns a *ContradictionError that names every difference. The order of the channels does not matter. An unknown unit
// matches any unit, and an unknown reference any reference except one that was subtracted. A nil recipe matches any
// recipe.
func Check(training, here *Recipe) error {
	if training == nil || here == nil {
		return nil
	}
	d := diff{}
	switch {
	case training.Signal != nil && here.Signal != nil:
		d.signals(training.Signal, here.Signal)
	case training.Image != nil && here.Image != nil:
		d.images(training.Image, here.Image)
	default:
		d.text("source", training.source(), here.source())
	}
	if len(d) == 0 {
		return nil
	}
	return &ContradictionError{d}
}

func (r *Recipe) source() string {
	switch {
	case r.Signal != nil:
		return "a signal"
	case r.Image != nil:
		return "images"
	}
	return "unknown"
}

// diff collects differences in words. If want is "", have describes the difference completely.
type diff []string

func (d *diff) text(name, want, have string) {
	switch {
	case want == have:
	case want == "":
		*d = append(*d, name+" "+have)
	default:
		*d = append(*d, fmt.Sprintf("%s: %s here, %s in training", name, have, want))
	}
}

// reference compares the references if they are known: many files do not name the electrode, but a computed reference
// is always known.
func (d *diff) reference(want, have *Signal) {
	computed := len(want.Subtracted) > 0 || len(have.Subtracted) > 0 ||
		want.Reference == optionvalues.AverageReference ||
		have.Reference == optionvalues.AverageReference
	if want.Reference != "" && have.Reference != "" || computed {
		d.text("reference", cmp.Or(want.Reference, "as recorded"), cmp.Or(have.Reference, "as recorded"))
	}
}

// number compares numbers with a relative tolerance of 1e-9, because the headers of recordings round rates.
func (d *diff) number(name, unit string, want, have float64) {
	if math.Abs(want-have) > 1e-9*math.Max(math.Abs(want), math.Abs(have)) {
		d.text(name, fmt.Sprintf("%g%s", want, unit), fmt.Sprintf("%g%s", have, unit))
	}
}

func (d *diff) signals(want, have *Signal) {
	d.number("rate", " Hz", want.Rate, have.Rate)
	d.text("missing channels", "", missing(want.Channels, have.Channels))
	d.text("unknown channels", "", missing(have.Channels, want.Channels))
	d.reference(want, have)
	if want.Unit != "" && have.Unit != "" {
		d.text("unit", want.Unit, have.Unit)
	}
	d.text("notch", hertz(want.Notch), hertz(have.Notch))
	d.text("bands", bandNames(want.Bands), bandNames(have.Bands))
	if len(want.Bands) > 0 && len(have.Bands) > 0 && !want.spectral() && !have.spectral() {
		d.number("filter order", "", float64(want.Order), float64(have.Order))
	}
	if want.Filtered() && have.Filtered() {
		d.text("filter", direction(want.Causal), direction(have.Causal))
	}
	if len(want.Bands) > 1 && len(have.Bands) > 1 {
		d.text("combination of bands", string(want.Combine), string(have.Combine))
	}
	d.number("window", " s", want.Window, have.Window)
	d.text("baseline in seconds", fmt.Sprint(want.Baseline), fmt.Sprint(have.Baseline))
	d.number("segments", " s", want.Segment, have.Segment)
	d.number("overlap", "", want.Overlap, have.Overlap)
	d.text("delays in samples", fmt.Sprint(want.Delays), fmt.Sprint(have.Delays))
	d.text("estimator", string(want.Estimator), string(have.Estimator))
	d.text("frequencies", hertz(want.Frequencies), hertz(have.Frequencies))
	if want.Harmonics > 0 && have.Harmonics > 0 {
		d.number("harmonics", "", float64(want.Harmonics), float64(have.Harmonics))
	}
	d.text("normalize", strconv.FormatBool(want.Normalize), strconv.FormatBool(have.Normalize))
}

func (d *diff) images(want, have *Image) {
	size := func(m *Image) string { return fmt.Sprintf("%dx%dx%d", m.Rows, m.Cols, m.Channels) }
	pair := func(v [2]int) string { return fmt.Sprintf("%dx%d", v[0], v[1]) }
	d.text("image size", size(want), size(have))
	d.text("features", want.described(), have.described())
	if want.Patches != nil && have.Patches != nil && !reflect.DeepEqual(want.Patches, have.Patches) {
		d.text("learned filters", "those of its model or file", "others")
	}
	d.text("regions", cmp.Or(want.Regions, "windows"), cmp.Or(have.Regions, "windows"))
	d.text("window", pair(want.Window), pair(have.Window))
	if !slices.Equal(want.References, have.References) {
		d.text("references of the tangent vectors", "those of its model or file", "others")
	}
	d.number("ridge", "", want.Ridge, have.Ridge)
	d.number("smoothing", " pixels", want.Smooth, have.Smooth)
	d.text("mean kept", strconv.FormatBool(want.Gaussian), strconv.FormatBool(have.Gaussian))
}

// missing lists the names in want that are not in have.
func missing(want, have []string) string {
	var out []string
	for _, c := range want {
		if !slices.Contains(have, c) {
			out = append(out, c)
		}
	}
	return strings.Join(out, ",")
}

func bandNames(bands []Band) string {
	if len(bands) == 0 {
		return "none"
	}
	names := make([]string, len(bands))
	for i, b := range bands {
		names[i] = b.String()
	}
	return strings.Join(names, ",") + " Hz"
}

func hertz(list []float64) string {
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i, hz := range list {
		names[i] = strconv.FormatFloat(hz, 'g', -1, 64)
	}
	return strings.Join(names, ",") + " Hz"
}

func direction(causal bool) string {
	if causal {
		return "causal"
	}
	return "zero-phase"
}

// String describes the recipe in one line.
func (r *Recipe) String() string {
	switch {
	case r == nil:
		return "unknown"
	case r.Signal != nil:
		return r.Signal.describe()
	case r.Image != nil:
		m := r.Image
		cut := fmt.Sprintf("windows of %dx%d", m.Window[0], m.Window[1])
		if m.Regions != "" {
			cut = "regions " + m.Regions
		}
		if m.References != nil {
			cut += ", tangent vectors"
		}
		return fmt.Sprintf("images of %dx%d, features %s, %s", m.Rows, m.Cols, m.described(), cut)
	}
	return "unknown"
}

// described returns a description of the features of a pixel.
func (m *Image) described() string {
	if p := m.Patches; p != nil {
		return fmt.Sprintf("%d learned filters of %dx%d", len(p.Offsets), p.Size, p.Size)
	}
	return strings.Join(m.Features, ",")
}

func (s *Signal) describe() string {
	parts := []string{fmt.Sprintf("%g Hz", s.Rate), fmt.Sprintf("%d channels", len(s.Channels))}
	if s.Unit != "" {
		parts = append(parts, "in "+s.Unit)
	}
	if s.Reference != "" {
		parts = append(parts, "reference "+s.Reference)
	}
	if s.Resampled {
		parts = append(parts, "resampled")
	}
	if len(s.Notch) > 0 {
		parts = append(parts, "notch "+hertz(s.Notch))
	}
	if s.Filtered() && len(s.Bands) == 0 {
		parts = append(parts, direction(s.Causal))
	}
	if len(s.Bands) > 0 {
		parts = append(parts, bandNames(s.Bands))
		if !s.spectral() {
			parts = append(parts, fmt.Sprintf("%s filters of order %d", direction(s.Causal), s.Order))
		}
		if len(s.Bands) > 1 {
			parts = append(parts, string(s.Combine))
		}
	}
	parts = append(parts, fmt.Sprintf("windows of %g s", s.Window))
	if len(s.Baseline) == 2 {
		parts = append(parts, fmt.Sprintf("baseline %g to %g s", s.Baseline[0], s.Baseline[1]))
	}
	if len(s.Delays) > 0 {
		parts = append(parts, fmt.Sprintf("copies delayed by %v samples", s.Delays))
	}
	switch s.Estimator {
	case optionvalues.EstimatorNone:
		return strings.Join(append(parts, "the signals themselves"), ", ")
	case optionvalues.EstimatorCorrelations:
		return strings.Join(append(parts, fmt.Sprintf("correlations with %s and %d harmonics", hertz(s.Frequencies),
			s.Harmonics)), ", ")
	}
	if s.Segment > 0 {
		parts = append(parts, fmt.Sprintf("%s of segments of %g s", s.Estimator, s.Segment))
	} else {
		parts = append(parts, string(s.Estimator)+" covariance")
	}
	if s.Normalize {
		parts = append(parts, "normalized")
	}
	return strings.Join(parts, ", ")
}
