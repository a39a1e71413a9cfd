package lsl

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"rao/internal/testkit"
)

func amplifier() Info {
	return Info{Name: "amp <1>", Type: "EEG", ChannelCount: 3, Format: Float32, Rate: 512.5, SourceID: "sn&42",
		Reference: "Cz",
		Channels: []Channel{{"C3", "microvolts", "EEG", ""}, {"C4", "microvolts", "EEG", "bad"},
			{"A\"1\"", "", "aux", ""}}}
}

func TestInfoSurvivesXML(t *testing.T) {
	want := amplifier()
	testkit.NoError(t, want.describe())
	want.UID, want.Host, want.Created, want.DataPort, want.ServicePort = "u", "h", 1.5, 16572, 16573
	got := testkit.Must(parseInfo(want.full()))(t)
	want.Desc = got.Desc
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
	short, err := parseInfo(want.short())
	if err != nil || short.Channels != nil || short.ChannelCount != 3 {
		t.Errorf("%+v, %v", short, err)
	}
	if names := got.Labels(); len(names) != 3 || names[1] != "C4" {
		t.Errorf("labels %v", names)
	}
	again := *got // the description is kept as it is
	if err := again.describe(); err != nil || again.Desc != got.Desc {
		t.Error(err)
	}
}

// The description of a stream by the reference library, liblsl 1.18, is parsed (testdata/make.py).
func TestInfoOfTheReference(t *testing.T) {
	text := testkit.Must(os.ReadFile("testdata/fullinfo.xml"))(t)
	info := testkit.Must(parseInfo(text))(t)
	if info.Name != "golden float32" || info.Type != "EEG" || info.Rate != 100 || info.ChannelCount != 3 ||
		info.Format != Float32 || info.SourceID != "golden-float32" || info.Session != "default" ||
		info.DataPort == 0 || info.ServicePort == 0 || info.UID == "" {
		t.Errorf("%+v", info)
	}
	if names := info.Labels(); len(names) != 3 || names[0] != "C3" || info.Channels[0].Unit != "microvolts" ||
		info.Channels[2].Type != "EOG" || info.Reference != "Cz" {
		t.Errorf("channels %+v, reference %q", info.Channels, info.Reference)
	}
	reply := testkit.Must(os.ReadFile("testdata/shortinfo.bin"))(t)
	short, id, err := parseReply(reply)
	if err != nil || id != "4711" || short.UID != info.UID || short.Channels != nil {
		t.Errorf("%q %+v %v", id, short, err)
	}
	for _, bad := range []string{"", "4711", "4711\n", "47\r11\n" + string(text)} {
		if _, _, err := parseReply([]byte(bad)); err == nil {
			t.Errorf("%.20q is an answer", bad)
		}
	}
}

func TestInfosAreRefused(t *testing.T) {
	good := amplifier()
	testkit.NoError(t, good.describe())
	text := string(good.full())
	for old, replacement := range map[string]string{
		"<channel_count>3<":        "<channel_count>0<",
		"<channel_count>3":         "<channel_count>99999999",
		"float32":                  "float16",
		"<nominal_srate>512.5<":    "<nominal_srate>-1<",
		"<nominal_srate>512":       "<nominal_srate>nan",
		"<version>1.1<":            "<version>2.0<",
		"<name>amp &lt;1&gt;<":     "<name> <",
		"<v4data_port>0<":          "<v4data_port>70000<",
		"<created_at>0</created_a": "<created_at>soon</created_a",
		"</info>":                  "",
	} {
		bad := strings.Replace(text, old, replacement, 1)
		if bad == text {
			t.Fatalf("%q is not in %s", old, text)
		}
		testkit.Fails(t, testkit.ErrorOf(parseInfo([]byte(bad))), fmt.Sprintf("%q passes", replacement))
	}
	for what, change := range map[string]func(*Info){
		"line break":   func(i *Info) { i.SourceID = "a\r\nb" },
		"no name":      func(i *Info) { i.Name = "" },
		"channels":     func(i *Info) { i.ChannelCount = 4 },
		"description":  func(i *Info) { i.Desc = "<a>" },
		"two elements": func(i *Info) { i.Desc = "</desc><desc>" },
	} {
		i := good
		change(&i)
		if err := i.Validate(); err == nil && i.describe() == nil {
			t.Errorf("%s passes", what)
		}
	}
}

func TestQueries(t *testing.T) {
	info := amplifier()
	info.Session = "default"
	for text, want := range map[string]bool{
		"":                                    true,
		"type='EEG'":                          true,
		"session_id='default' and type='EEG'": true,
		"type=\"EEG\" and name='other'":       false,
		"name='other' or channel_count=3":     true,
		"channel_count>3 or nominal_srate>=512.5":               true,
		"channel_count='3'":                                     true,
		"channel_count!='3'":                                    false,
		"not(type='EEG')":                                       false,
		"not ( type!='EEG' )":                                   true,
		"starts-with(name,'amp') and contains(source_id, '42')": true,
		"(type='x' or type='EEG') and channel_format='float32'": true,
		"type='EEG' and name='amp <1>' and source_id='sn&42'":   true,
		"nominal_srate<512.5":                                   false,
	} {
		q := testkit.Must(ParseQuery(text))(t, text)
		if got := q.Match(&info); got != want || q.String() != text {
			t.Errorf("%s: %v, %q", text, got, q.String())
		}
	}
	for text, want := range map[string]string{
		"EEG":                      `a query cannot use`,
		"type":                     "a comparison is missing",
		"type='EEG":                "a quote is not closed",
		"type=EEG":                 "a text in quotes or a number",
		"type>'EEG'":               "> compares only numbers",
		"(type='EEG'":              "a parenthesis is not closed",
		"type='EEG' name='a'":      "at the end",
		"desc/channels='3'":        `"desc/"`,
		"not type='EEG'":           `"not" must be followed by parentheses`,
		"type='a'\r\nLSL:fullinfo": "one short line",
		strings.Repeat("(", 4000):  "too many parentheses",
		"starts-with(name 'a')":    "needs a field and a text",
		"contains(name,amp)":       "a text in quotes is missing",
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseQuery(text)), want, text)
	}
	for _, c := range []struct {
		text, want string
		ok         bool
	}{{"a", "'a'", true}, {"a'b", "\"a'b\"", true}, {"'\"", "", false}} {
		if got, ok := quoted(c.text); got != c.want || ok != c.ok {
			t.Errorf("%s: %s %v", c.text, got, ok)
		}
	}
}
