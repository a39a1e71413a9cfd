package parquet

import (
	"fmt"
	"math"
	"time"

	"github.com/parquet-go/parquet-go/format"

	"rao/dataset"
)

// leaf is a column of the file that has values.
type leaf struct {
	name     string
	index    int // index among the columns of a row group
	kind     format.Type
	size     int // number of bytes of a value of fixed length
	width    int // values per row; 0 for text
	repeated bool
	maxDef   byte // definition level of a value that is not missing
	element  byte // a list has an element at this definition level and above

	unsigned bool
	half     bool          // values are float16
	floats   int           // values are bytes with floats of this many bytes
	scale    float64       // power of ten by which decimals are divided; 0 for others
	single   bool          // float32 represents the values exactly
	text     bool          // values are text
	tick     time.Duration // unit of times; 24 hours for dates; 0 for others
	utc      bool          // times are in UTC
}

// maxRep returns the largest repetition level.
func (l *leaf) maxRep() byte {
	if l.repeated {
		return 1
	}
	return 0
}

// largestWidth limits the length of vectors.
const largestWidth = 1 << 20

// pandasIndex is the prefix of the columns in which pandas stores the index of its rows.
const pandasIndex = "__index_level_"

func (f *file) append(l *leaf, c dataset.Column) {
	f.leaves = append(f.leaves, l)
	f.list = append(f.list, c)
}

// addVectors adds the columns of floats that a binary column may represent.
func (f *file) addVectors(l *leaf) error {
	size := l.size
	if l.kind == format.ByteArray {
		var err error
		if size, err = f.binarySize(l); err != nil {
			return nil // without a value, the length of vectors is unknown
		}
	}
	for _, bytes := range []int{4, 8} {
		if size == 0 || size%bytes != 0 || size/bytes > largestWidth {
			continue
		}
		v := *l
		v.floats, v.text, v.size, v.single = bytes, false, size, bytes == 4
		v.width = size / bytes
		v.name = fmt.Sprintf("%s:f%d", l.name, 8*bytes)
		f.append(&v, dataset.Column{Name: v.name, Width: v.width, Single: v.single, OnRequest: true})
	}
	return nil
}

// instant returns a date or a time as text, in ISO 8601.
func (l *leaf) instant(ticks int64) string {
	if l.tick == 24*time.Hour {
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(ticks)).Format("2006-01-02")
	}
	perSecond := int64(time.Second / l.tick)
	seconds, rest := ticks/perSecond, ticks%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	text := time.Unix(seconds, rest*int64(l.tick)).UTC().Format("2006-01-02T15:04:05.999999999")
	if l.utc {
		text += "Z"
	}
	return text
}

// typed sets the fields that depend on the type of a leaf. It returns the reason why the leaf cannot be read, and
// whether it has integers.
func (l *leaf) typed(e *format.SchemaElement) (why string, whole bool) {
	if l.kind == format.FixedLenByteArray {
		if l.size = int(e.TypeLength.V); l.size < 1 {
			return "its physical and logical types contradict each other", false
		}
	}
	switch t := logicalType(e).(type) {
	case *format.DateType:
		if l.kind != format.Int32 {
			return "its physical and logical types contradict each other", false
		}
		l.tick = 24 * time.Hour
	case *format.TimestampType:
		if l.kind != format.Int64 || t.Unit.Value == nil {
			return "its physical and logical types contradict each other", false
		}
		l.tick, l.utc = t.Unit.Value.Duration(), t.IsAdjustedToUTC
	case *format.TimeType:
		return "it contains times of day", false
	case *format.Float16Type:
		if l.kind == format.FixedLenByteArray && l.size == 2 {
			l.half, l.single = true, true
			return "", false
		}
		return "its physical and logical types contradict each other", false
	case *format.UUIDType:
		return "it contains UUIDs", false
	case *format.BsonType:
		return "it contains BSON", false
	case *format.GeometryType, *format.GeographyType:
		return "it contains geometric shapes", false
	case *format.NullType:
		return "it contains no values", false
	case *format.DecimalType:
		l.scale = math.Pow(10, float64(t.Scale))
	case *format.IntType:
		l.unsigned = !t.IsSigned
		l.single = t.BitWidth <= 16
	}
	switch l.kind {
	case format.Boolean:
		l.single = true
		return "", true
	case format.Int32, format.Int64:
		return "", l.scale == 0 && l.tick == 0
	case format.Float:
		l.single = true
		return "", false
	case format.Double:
		return "", false
	case format.ByteArray, format.FixedLenByteArray:
		if l.scale == 0 {
			l.text = true
		}
		return "", false
	}
	return fmt.Sprintf("it contains values of type %s", l.kind), false
}
