package descriptors

import (
	"fmt"
	"strings"

	"rao"
)

// Feature is a quantity measured at every pixel of an image.
type Feature uint8

// These are the features for descriptors. Derivatives are derivatives of the intensity: the first is the central
// difference (I(x+1)−I(x−1))/2, one-sided on the border; the second is I(x+1)−2I(x)+I(x−1) with the border pixel
// repeated.
const (
	FeatureX     Feature = iota // column of the pixel, from 0
	FeatureY                    // row of the pixel, from 0
	Intensity                   // gray value; of a color image 0.299R+0.587G+0.114B
	Red                         // color images only
	Green                       // color images only
	Blue                        // color images only
	AbsIx                       // |∂I/∂x|
	AbsIy                       // |∂I/∂y|
	AbsIxx                      // |∂²I/∂x²|
	AbsIyy                      // |∂²I/∂y²|
	AbsIxy                      // |∂²I/∂x∂y|: the first difference along x, then along y
	Slope                       // length of the gradient
	Intensity4                  // intensity smoothed with a standard deviation of 4 pixels
	Slope3                      // length of the gradient of the intensity smoothed with 3 pixels
	Direction                   // orientation of the gradient: atan2(|∂I/∂y|, |∂I/∂x|), from 0 to π/2
	featureCount = iota
)

var featureNames = [featureCount]string{"x", "y", "I", "R", "G", "B", "|Ix|", "|Iy|", "|Ixx|", "|Iyy|", "|Ixy|", "|dI|",
	"I@4", "|dI|@3", "angle"}

// String returns the name of the feature, as accepted by [ParseFeatures].
func (f Feature) String() string {
	if int(f) >= len(featureNames) {
		return fmt.Sprintf("feature(%d)", uint8(f))
	}
	return featureNames[f]
}

// color reports whether the feature needs an image of three channels.
func (f Feature) color() bool { return f == Red || f == Green || f == Blue }

// Features5 returns the features of the 5×5 descriptors of gray images,
// x, y, I, |Ix|, |Iy| (Jayasumana et al., 2015; Tang et al., arXiv 2102.00667).
func Features5() []Feature { return []Feature{FeatureX, FeatureY, Intensity, AbsIx, AbsIy} }

// Features9 returns the features of the 9×9 descriptors of color images, x, y, R, G, B, |Ix|, |Iy|, |Ixx|, |Iyy|
// (Tuzel, Porikli and Meer, 2006; Tang et al., arXiv 2102.00667, following Vemulapalli and Jacobs, 2015).
func Features9() []Feature {
	return []Feature{FeatureX, FeatureY, Red, Green, Blue, AbsIx, AbsIy, AbsIxx, AbsIyy}
}

// Features11 returns x, y, I, |Ix|, |Iy|, |dI|, |Ixx|, |Iyy|, |Ixy|, I@4 and |dI|@3, a richer set for gray images. Use
// it with a slightly smoothed intensity (Options.Smooth 1).
func Features11() []Feature {
	return []Feature{FeatureX, FeatureY, Intensity, AbsIx, AbsIy, Slope, AbsIxx, AbsIyy, AbsIxy, Intensity4, Slope3}
}

// ParseFeatures reads a list of features: "5x5", "9x9" or "11x11" for the named sets, or names separated by commas,
// such as "x,y,I,|Ix|,|Iy|". The bars are optional (Ix is |Ix|), and case does not matter. Unknown and repeated names
// are errors.
func ParseFeatures(spec string) ([]Feature, error) {
	switch strings.TrimSpace(spec) {
	case "5x5", "5":
		return Features5(), nil
	case "11x11", "11":
		return Features11(), nil
	case "9x9", "9":
		return Features9(), nil
	}
	var list []Feature
	for _, word := range strings.Split(spec, ",") {
		f, err := parseFeature(word)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, checkFeatures(list)
}

func parseFeature(word string) (Feature, error) {
	bare := strings.ToLower(strings.Trim(strings.TrimSpace(word), "|"))
	for i, name := range featureNames {
		if strings.ToLower(strings.Trim(name, "|")) == bare {
			return Feature(i), nil
		}
	}
	return 0, &rao.UnknownError{Kind: "image feature", Name: word,
		Known: append(featureNames[:], "5x5", "9x9", "11x11")}
}

func checkFeatures(list []Feature) error {
	var seen [featureCount]bool
	for _, f := range list {
		if int(f) >= featureCount {
			return fmt.Errorf("there is no image feature %d; use the constants of this package, from 0 to %d", f,
				featureCount-1)
		}
		if seen[f] {
			return fmt.Errorf("the image feature %s is listed twice, so the descriptors would be singular; list it "+
				"once", f)
		}
		seen[f] = true
	}
	if len(list) == 0 {
		return fmt.Errorf("the list of image features is empty; give 5x5, 9x9, 11x11 or a list such as x,y,I,|Ix|,|Iy|")
	}
	return nil
}
