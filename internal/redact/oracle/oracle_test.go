package oracle

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lucasjones/reggen"
	"github.com/zricethezav/gitleaks/v8/detect"

	"ctxledger.dev/internal/redact"
)

// samples is how many texts are made from the expression of each rule.
const samples = 10

// leastShare is how many of the samples with a shape of their own ours has to find, in percent: a floor below
// what was measured, so that a change for the worse shows.
const leastShare = 80

// byName is how the expressions begin that look for the name of a service before any value. Texts made from
// them look like nothing that exists; they are counted apart.
const byName = `[\w.-]{0,50}?`

// TestGitleaksSamples makes texts that fit the rules of gitleaks. What gitleaks finds in them, ours should mask.
func TestGitleaksSamples(t *testing.T) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	ours := redact.New(nil)
	found, all, named, allNamed := 0, 0, 0, 0
	for _, r := range d.Config.GetOrderedRules() {
		if r.Regex == nil {
			continue
		}
		g, err := reggen.NewGenerator(strings.ReplaceAll(r.Regex.String(), "(?i)", ""))
		if err != nil {
			t.Fatal(err)
		}
		g.SetSeed(1)
		hits, of, missed := 0, 0, ""
		for range samples {
			text := "a\n" + g.Generate(20) + "\n"
			for _, f := range d.DetectString(text) {
				at := strings.Index(text, f.Secret)
				if f.RuleID != r.RuleID || at < 0 {
					continue
				}
				if of++; covered(ours.Find([]byte(text)), at, at+len(f.Secret)) {
					hits++
				} else {
					missed = text
				}
				break
			}
		}
		if strings.Contains(r.Regex.String(), byName) {
			named, allNamed = named+hits, allNamed+of
			continue
		}
		found, all = found+hits, all+of
		if hits < of {
			t.Logf("%-35s %2d of %2d, such as %.160q", r.RuleID, hits, of, missed)
		}
	}
	t.Logf("%d of %d samples with a shape of their own, %.1f%%", found, all, 100*float64(found)/float64(max(all, 1)))
	t.Logf("%d of %d samples with the name of a service and any value, %.1f%%", named, allNamed,
		100*float64(named)/float64(max(allNamed, 1)))
	if found*100 < all*leastShare {
		t.Errorf("too little of what gitleaks finds")
	}
}

// covered reports whether finds cover text[start:end].
func covered(found []redact.Secret, start, end int) bool {
	for _, s := range found {
		if s.Start <= start && s.End > start {
			start = s.End
		}
	}
	return start >= end
}

// TestGitleaksOnASession compares both on a recorded session: what they find, and how long it takes.
func TestGitleaksOnASession(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	theirs := d.DetectBytes(text)
	slow := time.Since(began)
	began = time.Now()
	found := redact.New(nil).Find(text)
	fast := time.Since(began)
	t.Logf("%d bytes: gitleaks %d finds in %v, ours %d in %v: %.0f times as fast", len(text), len(theirs), slow,
		len(found), fast, slow.Seconds()/fast.Seconds())
	for _, f := range theirs {
		at := bytes.Index(text, []byte(f.Secret))
		if !covered(found, at, at+len(f.Secret)) {
			t.Logf("only gitleaks: %s %.80q", f.RuleID, f.Secret)
		}
	}
	for _, s := range found {
		t.Logf("ours: %s %.80q", s.Kind, text[s.Start:s.End])
	}
}
