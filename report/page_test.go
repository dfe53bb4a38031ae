package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// hostile is what a session may call things.
const hostile = `</style></svg><script>alert(1)</script><img src=x onerror=alert(1)>"'{{.}}`

// measuredPage is a page about one session whose names are all hostile.
func measuredPage(t *testing.T) string {
	t.Helper()
	m := NewMeter(tokens.Builtin(),
		Session{ID: hostile, Agent: "x", Title: hostile, Project: hostile, Compacts: true})
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	usage := tokens.Used{Input: 100, CacheRead: 5_000, CacheWrite: 500, Output: 50}
	call := func(id string) Piece {
		return Piece{Class: Assistant, Tokens: 20, Call: id,
			Action: &Action{Tool: hostile, Read: hostile, Command: hostile}, Names: []string{hostile}}
	}
	m.Add(Entry{ID: "1", Time: at, Prompt: true, Pieces: []Piece{{Class: User, Tokens: 10, Text: hostile}}})
	m.Add(Entry{ID: "2", Time: at, Request: asked("a", hostile, usage, "other"),
		Pieces: []Piece{call("c1")}})
	m.Add(Entry{ID: "3", Time: at, Pieces: []Piece{{Class: Result, Call: "c1", Tokens: 400, Text: "x"}}})
	m.Add(Entry{ID: "4", Time: at.AddDate(0, 0, 2), Compaction: &Compaction{Trigger: hostile, Before: 9_000}})
	m.Add(Entry{ID: "5", Time: at, Request: asked("b", "claude-sonnet-4-5", usage),
		Pieces: []Piece{call("c2")}})
	m.Add(Entry{ID: "6", Time: at.AddDate(0, 0, 3),
		Request: asked("c", "claude-sonnet-4-5", usage, "fast")})
	var b bytes.Buffer
	if err := Page(&b, Merge([]*Measured{m.End()}, time.UTC), time.UTC); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPageHoldsNothingThatRunsOrLoads(t *testing.T) {
	page := measuredPage(t)
	for _, bad := range []string{
		"<script", "onerror=alert(1)>", "<img", "http:", "https:", "//", "url(", "@import", " style=", "ZgotmplZ",
	} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("%q stands in the page: …%s…", bad, page[max(0, i-60):min(len(page), i+60)])
		}
	}
	if n := strings.Count(page, "alert(1)"); n < 8 {
		t.Errorf("only %d of the names are shown", n)
	}
	if strings.Count(page, "</style>") != 1 {
		t.Error("a name ends the style sheet")
	}
}

// TestWhatWasNotMeasuredIsNo0: what no measured request carried took 0 tokens in the page, and $0.00.
func TestWhatWasNotMeasuredIsNo0(t *testing.T) {
	r := Report{Files: 1, Sessions: 1, Total: Spent{Requests: 1}, Reads: File{Reads: 1},
		Read:  []File{{Path: "/p/a.go", Reads: 1}},
		Tools: []Tool{{Name: "Read", Calls: 1}}, Compacted: 1, Compactions: []Loss{{Before: 9_000}}}
	var b bytes.Buffer
	if err := Page(&b, r, time.UTC); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if found := regexp.MustCompile(`.{0,40}(\$0\.00|[>≈]0×).{0,20}`).FindAllString(page, -1); found != nil {
		t.Errorf("the page has %q", found)
	}
	if n := strings.Count(page, ">–<"); n < 6 {
		t.Errorf("the page has %d dashes:\n%s", n, page)
	}
}

// TestWhatHasNoPriceHasNoShare: the page and the audit said 0% beside a question mark.
func TestWhatHasNoPriceHasNoShare(t *testing.T) {
	p := page{Report: Report{Total: Spent{Dollars: 2}}}
	for want, got := range map[string]string{"?": p.Share(0, 9, 2), "–": p.Share(0, 0, 2), "50%": p.Share(1, 9, 2)} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestThePolicyOfAPageAllowsItsStyleSheetAlone(t *testing.T) {
	page := measuredPage(t)
	_, rest, _ := strings.Cut(page, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("there is no policy")
	}
	// In an attribute html/template writes a plus sign as a reference.
	got := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
	if got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	if !strings.Contains(css, "prefers-color-scheme: dark") {
		t.Error("there are no dark colours")
	}
}

func TestEveryPartOfTheRequestsHasAColour(t *testing.T) {
	page := measuredPage(t)
	for c := range classes {
		rule := regexp.MustCompile(`\.` + Filled{Class: c.String()}.Slug() + `\b.*background`)
		if !rule.MatchString(page) {
			t.Errorf("%s: the style sheet has no rule %s", c, rule)
		}
	}
}

// A replay is on the page with what it was of, and with its sign.
func TestAReplayIsOnThePage(t *testing.T) {
	play := func(dollars float64) Play { return Play{Dollars: dollars, Priced: true, Units: dollars} }
	for _, c := range []struct {
		of   int
		ours []float64
		want []string
	}{
		{1, []float64{75}, []string{"What sending the view would have saved",
			"The conversation, 40% of the cost, was replayed", "If its view had been sent: <b>25% less</b>",
			"$75.00 instead of $100.00"}},
		{9, []float64{100, 110}, []string{"What sending the view would have cost",
			"2 of 9 conversations, the most expensive,",
			"If their views had been sent: <b>5% more</b>", "1 of them would", "nothing of the others", "−10%"}},
		{9, nil, nil},
	} {
		r := Report{Replayed: &Replayed{Of: c.of, Part: 0.4}}
		for _, ours := range c.ours {
			r.Replayed.Add(PlayRow{ID: hostile, Title: hostile, Project: hostile, Recorded: play(100),
				Ours: play(ours)}, 0)
		}
		var b bytes.Buffer
		if err := Page(&b, r, time.UTC); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%v of %d: %q is missing", c.ours, c.of, want)
			}
		}
		if strings.Contains(page, "<script") || c.want == nil && strings.Contains(page, "solved tasks") {
			t.Errorf("%v of %d: too much stands in the page", c.ours, c.of)
		}
	}
}

func TestAPageOfNothingIsAPage(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, Merge(nil, time.UTC), time.UTC); err != nil || !strings.Contains(b.String(), "</html>") {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	if err := Page(broken{}, Merge(nil, time.UTC), time.UTC); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestDaysWithoutRequestsAreDrawn(t *testing.T) {
	p := page{Report: Report{Days: []Day{{Day: "2026-02-27"}, {Day: "2026-03-02"}, {Day: ""}}}}
	var got []string
	for _, d := range Calendar(p.Days) {
		got = append(got, d.Day)
	}
	if want := "2026-02-27 2026-02-28 2026-03-01 2026-03-02"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	p.Days = []Day{{Day: "0001-01-01"}, {Day: "2026-03-02"}}
	if n := len(Calendar(p.Days)); n > maxDays {
		t.Errorf("%d days are drawn", n)
	}
}

func TestStepsAreRound(t *testing.T) {
	for most, want := range map[float64]float64{0: 1, 0.9: 0.2, 7: 2, 10: 2, 11: 5, 139: 50, 21: 5, 4_000: 1_000} {
		if got := niceStep(most); !near(got, want) {
			t.Errorf("%g: a step of %g, want %g", most, got, want)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 999: "999", 999.5: "1.00 K", 1_234: "1.23 K", 9_994: "9.99 K", 9_996: "10.0 K", 99_940: "99.9 K",
		99_960: "100 K", 1.5e9: "1.50 G", 2e15: "2000 T",
	} {
		if got := Magnitude(n); got != want {
			t.Errorf("%g: %s, want %s", n, got, want)
		}
	}
}
