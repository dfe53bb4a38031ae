package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lab/shown"
)

// quoted matches what documents say that a compaction made of the recorded session.
var quoted = regexp.MustCompile(`≈57,758 → ≈[0-9,]+ tokens`)

// TestQuotedFiguresAreOfARunOfToday: what the documents say that a compaction makes of the recorded session is what the
// programs make of it: with the default budget, and where a line says so with one of 2,000. There were four figures, of
// other budgets and of earlier versions.
func TestQuotedFiguresAreOfARunOfToday(t *testing.T) {
	const small = "budget 2,000,"
	want := map[bool]string{false: compactedNow(t), true: compactedNow(t, "--budget", "2000")}
	files := []string{"../../README.md", "../../vscode-extension/README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	found := map[bool]int{}
	for _, file := range files {
		for line := range strings.Lines(string(read(t, file))) {
			for _, figure := range quoted.FindAllString(line, -1) {
				isSmall := strings.Contains(line, small)
				found[isSmall]++
				if figure != want[isSmall] {
					t.Errorf("%s says %s, the programs %s:\n%s", filepath.Base(file), figure, want[isSmall], line)
				}
			}
		}
	}
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("figures that were found: %v", found)
	}
}

// compactedNow returns what the programs say that they make of the recorded session in a fresh ledger.
func compactedNow(t *testing.T, flags ...string) string {
	t.Helper()
	s := newBox(t)
	run(t, s, "import", absolute(t, recording))
	run(t, s, append([]string{"compact"}, flags...)...)
	return quoted.FindString(string(run(t, s, "events")))
}

// TestTheExampleOfAResumedSessionIsTrue: what docs/resume.md says that a new session holds.
func TestTheExampleOfAResumedSessionIsTrue(t *testing.T) {
	s := newBox(t)
	run(t, s, "import", absolute(t, recording))
	holds := regexp.MustCompile(`(?m)^undo .*\nholds .*\n {10}.*$`)
	said := holds.FindString(string(read(t, "../../docs/resume.md")))
	out := regexp.MustCompile("`\\S*/ctxledger ").ReplaceAll(run(t, s, "resume", "--dir", s.Workspace), []byte("`ctxledger "))
	if made := holds.FindString(string(out)); said == "" || made != said {
		t.Errorf("the document says\n%s\nthe program\n%s", said, made)
	}
}

// TestThePictureOfTheAuditIsOfToday: the words that were to be seen when the picture of docs/audit.md was taken, which
// are noted in it, are those of the page that is written today. It showed the session at the prices of another model.
func TestThePictureOfTheAuditIsOfToday(t *testing.T) {
	s := newBox(t)
	session, page := filepath.Join(s.Workspace, "shop.jsonl"), filepath.Join(s.Top, "audit.html")
	write(t, session, string(shown.Priced(read(t, recording))))
	run(t, s, "audit", "--html", page, session)
	want, err := shown.Words(read(t, page), "Models")
	if err != nil {
		t.Fatal(err)
	}
	got, err := shown.Note(read(t, "../../docs/images/audit.png"))
	if err != nil || got != want {
		t.Errorf("the picture (make screenshots takes it) shows (%v)\n%s\nthe page\n%s", err, got, want)
	}
	cost := regexp.MustCompile(`\$[0-9.]+`).FindString(want)
	for _, document := range []string{"docs/start.md", "docs/audit.md"} {
		if !strings.Contains(string(read(t, "../../"+document)), cost) {
			t.Errorf("%s does not say %s", document, cost)
		}
	}
}

// TestThePicturesOfTheEditorAreOfTheRecordedSession: what its provider measured, and what it cost, is what the programs
// say of it. Estimates are not compared: they follow what was measured of the model meanwhile.
func TestThePicturesOfTheEditorAreOfTheRecordedSession(t *testing.T) {
	s := newBox(t)
	session := filepath.Join(s.Workspace, "shop.jsonl")
	write(t, session, string(shown.Priced(read(t, recording))))
	run(t, s, "import", session)
	var now struct {
		Session struct {
			Measured int
			Dollars  float64 `json:"cost_usd"`
		}
	}
	if err := json.Unmarshal(run(t, s, "status", "--json"), &now); err != nil {
		t.Fatal(err)
	}
	cost := fmt.Sprintf("$%.2f", now.Session.Dollars)
	pictures, err := filepath.Glob("../../vscode-extension/media/page/*.png")
	if err != nil || len(pictures) != 9 {
		t.Fatalf("%d pictures: %v", len(pictures), err)
	}
	for _, picture := range pictures {
		want := []string{cost}
		switch name := filepath.Base(picture); {
		case strings.HasPrefix(name, "panel-"), strings.HasPrefix(name, "window-"):
			want = append(want, chars.Commas(now.Session.Measured))
		case strings.HasPrefix(name, "file-"):
			want = []string{"tokens in every request"} // no session is in it
		}
		words, err := shown.Note(read(t, picture))
		for _, figure := range want {
			if err != nil || !strings.Contains(words, figure) {
				t.Errorf("%s (make screenshots takes it) does not show %s: %v\n%s", picture, figure, err, words)
			}
		}
	}
}
