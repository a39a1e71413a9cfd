package lsl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// protocolVersion is 1.10, in hundredths.
const protocolVersion = 110

// maxChannels limits the number of channels in a description.
const maxChannels = 1 << 16

// Info describes a stream.
type Info struct {
	Name         string // for example, the name of the device
	Type         string // type of content: EEG, Markers, ...
	ChannelCount int    // values per sample
	Format       Format
	Rate         float64 // samples per second; 0 for an irregular stream, such as markers
	SourceID     string  // identifies the source after a restart; may be empty

	// Channels are the names, units and kinds of the channels. It is nil if the stream does not describe them.
	// [Resolve] never returns channels; an [Inlet] does.
	Channels []Channel
	// Reference is the reference electrode of an EEG, if known.
	Reference string
	// Desc is the full description, the XML in the element desc. If it is empty, [NewOutlet] creates it from Channels
	// and Reference.
	Desc string

	UID     string  // unique to this start of the stream
	Session string  // name of the session; "default" unless changed
	Host    string  // name of the sender's machine
	Created float64 // time of creation on the sender's clock

	Address     netip.Addr // address at which it was found
	DataPort    uint16     // TCP
	ServicePort uint16     // UDP
}

// Channel is one channel of a stream.
type Channel struct {
	Label  string `xml:"label"`            // name, such as C3
	Unit   string `xml:"unit"`             // such as microvolts
	Type   string `xml:"type"`             // kind, such as EEG
	Status string `xml:"status,omitempty"` // "bad" if the channel should not be used
}

// Labels returns the names of the channels, or nil if a channel has no name.
func (i *Info) Labels() []string {
	var names []string
	for _, c := range i.Channels {
		if c.Label == "" {
			return nil
		}
		names = append(names, c.Label)
	}
	return names
}

// Validate returns an error unless the fields describe a valid stream.
func (i *Info) Validate() error {
	switch {
	case strings.TrimSpace(i.Name) == "":
		return errors.New("the stream has no name; name the stream")
	case strings.ContainsAny(i.Name+i.Type+i.SourceID+i.UID+i.Session+i.Host, "\r\n"):
		return fmt.Errorf("the stream %q has a line break in its name, type, source, UID, session or host; remove the "+
			"line break", i.Name)
	case i.ChannelCount < 1 || i.ChannelCount > maxChannels:
		return fmt.Errorf("the stream %q has %d channels; the number must be from 1 to %d", i.Name, i.ChannelCount,
			maxChannels)
	case !i.Format.valid():
		return fmt.Errorf("the stream %q has values of the unknown format %v; choose from %s", i.Name, i.Format,
			strings.Join(formatNames[:], ", "))
	case !(i.Rate >= 0) || i.Rate > 1e9:
		return fmt.Errorf("the stream %q has %g samples per second; the rate must be from 0 to 1e9", i.Name, i.Rate)
	case i.Channels != nil && len(i.Channels) != i.ChannelCount:
		return fmt.Errorf("the stream %q has %d channels, but the number of their descriptions is %d", i.Name,
			i.ChannelCount, len(i.Channels))
	}
	return nil
}

// document is the XML description of a stream.
type document struct {
	XMLName      xml.Name `xml:"info"`
	Name         string   `xml:"name"`
	Type         string   `xml:"type"`
	ChannelCount string   `xml:"channel_count"`
	Format       string   `xml:"channel_format"`
	SourceID     string   `xml:"source_id"`
	Rate         string   `xml:"nominal_srate"`
	Version      string   `xml:"version"`
	Created      string   `xml:"created_at"`
	UID          string   `xml:"uid"`
	Session      string   `xml:"session_id"`
	Host         string   `xml:"hostname"`
	DataPort     string   `xml:"v4data_port"`
	ServicePort  string   `xml:"v4service_port"`
	Desc         struct {
		Inner     string    `xml:",innerxml"`
		Channels  []Channel `xml:"channels>channel"`
		Reference string    `xml:"reference>label"`
	} `xml:"desc"`
}

// parseInfo parses the description of a stream. Channels is nil unless the description lists all of them.
func parseInfo(text []byte) (*Info, error) {
	d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(string(text), "\ufffd")))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("its description is not valid XML (%w); restart the program that sends the stream", err)
	}
	info := &Info{Name: doc.Name, Type: doc.Type, SourceID: doc.SourceID, UID: doc.UID, Session: doc.Session,
		Host: doc.Host, Desc: strings.TrimSpace(doc.Desc.Inner), Reference: strings.TrimSpace(doc.Desc.Reference)}
	p := fieldParser{name: doc.Name}
	info.ChannelCount = int(p.number("channel_count", doc.ChannelCount, 1, maxChannels))
	info.Rate = p.number("nominal_srate", doc.Rate, 0, 1e9)
	info.Created = p.number("created_at", doc.Created, -math.MaxFloat64, math.MaxFloat64)
	info.DataPort = uint16(p.number("v4data_port", doc.DataPort, 0, math.MaxUint16))
	info.ServicePort = uint16(p.number("v4service_port", doc.ServicePort, 0, math.MaxUint16))
	version := p.number("version", doc.Version, 1, 1e6)
	if p.err != nil {
		return nil, p.err
	}
	var err error
	if info.Format, err = parseFormat(doc.Format); err != nil {
		return nil, fmt.Errorf("the stream %.80q: %w", info.Name, err)
	}
	if version >= 2 {
		return nil, fmt.Errorf("the stream %.80q uses version %g of the protocol; send it with version 1.10", info.Name,
			version)
	}
	if len(doc.Desc.Channels) == info.ChannelCount {
		info.Channels = doc.Desc.Channels
		for k := range info.Channels {
			c := &info.Channels[k]
			c.Label, c.Unit, c.Type = strings.TrimSpace(c.Label), strings.TrimSpace(c.Unit), strings.TrimSpace(c.Type)
		}
	}
	return info, info.Validate()
}

// fieldParser parses numbers and stores the first error.
type fieldParser struct {
	name string
	err  error
}

func (p *fieldParser) number(field, text string, low, high float64) float64 {
	text = strings.TrimSpace(text)
	if text == "" && low <= 0 {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if (err != nil || !(v >= low && v <= high)) && p.err == nil {
		p.err = fmt.Errorf("the description of the stream %.80q has the invalid value %.40q for %s", p.name, text,
			field)
	}
	return v
}

// XML returns the full description in the format of the protocol and of XDF files.
func (i *Info) XML() ([]byte, error) {
	own := *i
	if err := own.describe(); err != nil {
		return nil, err
	}
	return own.full(), nil
}

// short returns the description without desc, for the reply to a query.
func (i *Info) short() []byte { return i.document("") }

func (i *Info) full() []byte { return i.document(i.Desc) }

func (i *Info) document(desc string) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<info>\n")
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, f := range [...][2]string{
		{"name", i.Name}, {"type", i.Type}, {"channel_count", strconv.Itoa(i.ChannelCount)},
		{"channel_format", i.Format.String()}, {"source_id", i.SourceID}, {"nominal_srate", number(i.Rate)},
		{"version", number(protocolVersion / 100.)}, {"created_at", number(i.Created)}, {"uid", i.UID},
		{"session_id", i.Session}, {"hostname", i.Host}, {"v4address", ""},
		{"v4data_port", strconv.Itoa(int(i.DataPort))}, {"v4service_port", strconv.Itoa(int(i.ServicePort))},
		{"v6address", ""}, {"v6data_port", "0"}, {"v6service_port", "0"},
	} {
		b.WriteString("\t")
		element(&b, f[0], f[1])
	}
	b.WriteString("\t<desc>" + desc + "</desc>\n</info>\n")
	return b.Bytes()
}

// element writes an XML element with the given text.
func element(b *bytes.Buffer, name, text string) {
	b.WriteString("<" + name + ">")
	_ = xml.EscapeText(b, []byte(text)) // a buffer never fails
	b.WriteString("</" + name + ">\n")
}

// describe sets Desc from the channels and the reference, unless Desc is already set.
func (i *Info) describe() error {
	if i.Desc != "" {
		if err := wellFormed(i.Desc); err != nil {
			return fmt.Errorf("the description of the stream %q: %w", i.Name, err)
		}
		return nil
	}
	var b bytes.Buffer
	if i.Channels != nil {
		b.WriteString("<channels>\n")
		for _, c := range i.Channels {
			b.WriteString("<channel>")
			element(&b, "label", c.Label)
			element(&b, "unit", c.Unit)
			element(&b, "type", c.Type)
			if c.Status != "" {
				element(&b, "status", c.Status)
			}
			b.WriteString("</channel>\n")
		}
		b.WriteString("</channels>\n")
	}
	if i.Reference != "" {
		b.WriteString("<reference>")
		element(&b, "label", i.Reference)
		b.WriteString("</reference>\n")
	}
	i.Desc = b.String()
	return nil
}

// wellFormed returns an error unless the text is valid XML content for an element.
func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader("<desc>" + text + "</desc>"))
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 0 && d.InputOffset() != int64(len(text)+len("<desc></desc>")) {
				return errors.New("it has more closing tags than opening tags")
			}
		}
	}
}
