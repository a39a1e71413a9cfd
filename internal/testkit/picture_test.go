package testkit

import "testing"

func TestSamePicture(t *testing.T) {
	const want = `<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/><title>4.1e-10</title></svg>`
	for got, same := range map[string]bool{
		want: true,
		`<svg id="fffffabcd-t" width="10"><path d="M1.3,3 L-4,5.4"/><title>9.2e-16</title></svg>`:          true,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/><title>4.1e+10</title></svg>`:         false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,9.5"/><title>4.1e-10</title></svg>`:         false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/><text/><title>4.1e-10</title></svg>`:  false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5 6,7"/><title>4.1e-10</title></svg>`:     false,
		`<svg id="f0123abcd-t" width="10"><line d="M1.25,3 L-4,5.5"/><title>4.1e-10</title></svg>`:         false,
		`<svg id="f0123abcd-t" width="10"><path d="M1.25,3 L-4,5.5"/><title>4.1e-10</title></svg><!-- -->`: false,
	} {
		if err := SamePicture([]byte(got), []byte(want)); (err == nil) != same {
			t.Errorf("%s: %v", got, err)
		}
	}
}
