package live

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// A page receives the newest state at once, and then every new state. It loads nothing from other servers.
func TestFeedbackIsShown(t *testing.T) {
	f := NewFeedback()
	addr, stop, err := f.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer stop()
	f.Show([]string{"left", "right"}, []float64{0.4, 0.6}, "3 windows", false, -1)
	answer := testkit.Must(http.Get("http://" + addr.String() + "/feedback/events"))(t)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	next := func() string {
		for lines.Scan() {
			if text := lines.Text(); text != "" {
				return text
			}
		}
		return ""
	}
	want := `data: {"labels":["left","right"],"posterior":[0.4,0.6],"evidence":"3 windows","ended":false,"decided":-1}`
	testkit.Equal(t, next(), want)
	f.Show([]string{"left", "right"}, []float64{0.01, 0.99}, "9 windows", true, 1)
	testkit.Contains(t, next(), `"ended":true,"decided":1`)
	page := testkit.Must(http.Get("http://" + addr.String() + "/feedback"))(t)
	defer page.Body.Close()
	b, err := io.ReadAll(page.Body)
	if err != nil || strings.Contains(string(b), "http://") || !strings.Contains(string(b), "feedback.js") ||
		!strings.Contains(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%v: %s", err, b)
	}
	var none *Feedback
	none.Show(nil, nil, "", true, 0)
}

// In a browser the decision is in large letters.
func TestFeedbackInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if testing.Short() || err != nil {
		t.Skip("needs chromium")
	}
	f := NewFeedback()
	addr, stop, err := f.Serve(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer stop()
	f.Show([]string{"left", "right"}, []float64{0.02, 0.98}, "9 flashes", true, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out []byte
	for range 5 { // the page may be written out before its first message
		out, err = exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--timeout=4000",
			"--dump-dom", "http://"+addr.String()+"/feedback").Output()
		if err != nil {
			t.Skip("the browser does not run here: ", err)
		}
		if strings.Contains(string(out), "9 flashes") {
			break
		}
	}
	for _, want := range []string{`class="decided">right<`, "9 flashes", "width: 98%"} {
		testkit.Contains(t, string(out), want)
	}
}
