package testkit

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

// MatVar is a variable of unsigned bytes, column-major like all MATLAB arrays.
type MatVar struct {
	Name  string
	Shape []int
	Bytes []byte
}

// MatFile returns a MAT-file of version 5 (version 7 in MATLAB's terms: compressed) with the variables.
func MatFile(vars ...MatVar) []byte {
	var file bytes.Buffer
	head := make([]byte, 128)
	copy(head, "MATLAB 5.0 MAT-file, a test")
	copy(head[124:], []byte{0, 1, 'I', 'M'})
	file.Write(head)
	for _, v := range vars {
		var body, whole, z bytes.Buffer
		matElement(&body, 6, binary.LittleEndian.AppendUint64(nil, 9)) // flags: class uint8
		var dims []byte
		for _, d := range v.Shape {
			dims = binary.LittleEndian.AppendUint32(dims, uint32(d))
		}
		matElement(&body, 5, dims)
		matElement(&body, 1, []byte(v.Name))
		matElement(&body, 2, v.Bytes)
		matElement(&whole, 14, body.Bytes())
		w := zlib.NewWriter(&z)
		w.Write(whole.Bytes()) // writing to memory cannot fail
		w.Close()
		file.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 15), uint32(z.Len())))
		file.Write(z.Bytes())
	}
	return file.Bytes()
}

// matElement writes a data element, padded to eight bytes.
func matElement(b *bytes.Buffer, kind uint32, data []byte) {
	b.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, kind), uint32(len(data))))
	b.Write(data)
	b.Write(make([]byte, (8-len(data)%8)%8))
}
