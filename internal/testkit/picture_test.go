package testkit

import "testing"

func TestSamePicture(t *testing.T) {
	const want = `<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/></svg>`
	for got, same := range map[string]bool{
		want: true,
		`<svg id="fffffabcd-t" width="10"><path d="M1.3,3 L-4,5.4"/></svg>`:          true,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,9.5"/></svg>`:         false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/><text/></svg>`:  false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5 6,7"/></svg>`:     false,
		`<svg id="f0123abcd-t" width="10"><line d="M1.25,3 L-4,5.5"/></svg>`:         false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/></svg><!-- -->`: false,
	} {
		if err := SamePicture([]byte(got), []byte(want)); (err == nil) != same {
			t.Errorf("%s: %v", got, err)
		}
	}
}
