package window

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// readsOf writes a log of n reads.
func readsOf(n, size int) string {
	var b strings.Builder
	b.WriteString("ask 9")
	for i := range n {
		fmt.Fprintf(&b, "\nread f%d %d", i, size)
	}
	return b.String()
}

func TestEviction(t *testing.T) {
	for _, c := range []struct {
		name string
		max  int
		log  string
		want int // results that go
	}{
		{"under the maximum", 300_000, readsOf(30, 10_000), 0},
		{"a step of eight", 290_000, readsOf(30, 10_000), 8},
		{"until under the maximum", 210_000, readsOf(30, 10_000), 10},
		{"a hard maximum: few go as well", 245_000, readsOf(25, 10_000), 5},
		{"one goes", 300_000, "ask 9\nread big 200000" +
			strings.TrimPrefix(readsOf(20, 10_000), "ask 9"), 1},
		{"the window alone is too large", 100_000, readsOf(20, 10_000), 11},
		{"the newest three stay", 10_000, readsOf(5, 10_000), 2},
		{"three results are never too many", 10_000, readsOf(3, 10_000), 0},
		{"a call in flight at the end", 290_000, readsOf(30, 10_000) + "\nread z 9 open", 8},
		{"what is smaller than its marker stays", 100, readsOf(30, 20), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l, edits := Default(), script(t, c.log), []Edit(nil)
			p.Evict.MaxTokens, p.Clear.Trigger, p.BatchChars = c.max, 0, 1<<30
			d := l.decide(t, &edits, p, always)
			if got := strings.Count(listEdits(d.Edits), "evict result"); got != c.want {
				t.Fatalf("%d went, want %d:\n%s", got, c.want, listEdits(d.Edits))
			}
			if again := l.decide(t, &edits, p, always); len(again.Edits) > 0 {
				t.Errorf("a second step: %s", listEdits(again.Edits))
			}
		})
	}
}

// The replacement of an evicted result says what it was and how it began; the manifest follows what was
// there, and goes when there is a newer one.
func TestAManifestTellsWhatIsEvicted(t *testing.T) {
	p := Default()
	p.Evict, p.Clear.Trigger = EvictPolicy{MaxTokens: 3_900, Window: 2}, 0
	log := "ask 9\nread a.go 3000\nshell go_test_./... 2000"
	l, edits := script(t, log), []Edit(nil)
	l.entries[2].ID = "0123456789abcdef"
	if l.decide(t, &edits, p, always); len(edits) > 0 {
		t.Fatalf("the newest three went: %s", listEdits(edits))
	}
	log += "\nread b.go 900\nread c.go 900\nask 9"
	l = script(t, log)
	l.entries[2].ID = "0123456789abcdef"
	l.entries[4].ID = "abcdef0123456789"
	l.decide(t, &edits, p, always)
	view := l.render(t, Plan(Input{Entries: l.entries, Edits: edits}))
	want := `[tool result — evicted: read(a.go). Preview: \"` + strings.Repeat("w", 300) +
		`…\". Re-read with targeted ranges if needed.]\nArtifact: 0123456789ab`
	if !bytes.Contains(view[2], []byte(want)) {
		t.Errorf("the result is shown as %s, want %s", view[2], want)
	}
	manifest := `{"role":"user","content":"[Context Manifest]\n\nActive tool results (2):\n- read(b.go)\n- ` +
		`read(c.go)\n\n` +
		`Superseded (2) — evicted from context. Re-read with targeted ranges if needed:\n- read(a.go)\n- ` +
		`shell(go test ./...)"}`
	if at := slices.IndexFunc(view, func(m []byte) bool { return string(m) == manifest }); at != 9 || len(view) != 11 {
		t.Errorf("the manifest is message %d of %d, want 9 of 11: %s", at, len(view), bytes.Join(view, []byte("\n")))
	}

	l = script(t, log+"\nread d.go 2000\nread e.go 2000\nsay 9\nask 9")
	l.entries[2].ID = "0123456789abcdef"
	l.decide(t, &edits, p, always)
	view = l.render(t, Plan(Input{Entries: l.entries, Edits: edits}))
	if n := bytes.Count(bytes.Join(view, nil), []byte("[Context Manifest]")); n != 1 {
		t.Errorf("%d manifests are shown", n)
	}
	if got := string(view[len(view)-2]); !strings.Contains(got, `Superseded (3)`) {
		t.Errorf("the manifest is not in front of the request: %s", got)
	}
}

// Requests are prefixes of later ones but for the steps, which are few.
func TestEvictionMovesInSteps(t *testing.T) {
	p := Default()
	p.Evict, p.Clear.Trigger = EvictPolicy{MaxTokens: 60_000, Window: 10}, 0
	var edits []Edit
	log, steps := "ask 9", 0
	var before [][]byte
	for i := range 48 {
		log += fmt.Sprintf("\nread f%d 4000", i)
		l := script(t, log)
		d := l.decide(t, &edits, p, always)
		now := l.render(t, Plan(Input{Entries: l.entries, Edits: edits}))
		if len(d.Edits) > 0 {
			steps++
		} else if len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
			t.Fatalf("round %d: what was sent changed without a step", i)
		}
		before = now
	}
	if steps < 2 || steps > 48/evictStep {
		t.Errorf("%d steps in 48 rounds", steps)
	}
}

func TestLabelsFallBackToTheCall(t *testing.T) {
	l := script(t, readsOf(1, 9))
	l.entries[1].Calls[0].Target = ""
	if a := newScene(Input{Entries: l.entries}, Default(), always).acts[0]; a.label() != "read(read-1-0)" {
		t.Errorf("label %s", a.label())
	}
	l.entries[1].Calls[0].Target = "src/" + strings.Repeat("x", 60)
	if a := newScene(Input{Entries: l.entries}, Default(), always).acts[0]; a.label() != "read(src/"+
		strings.Repeat("x", 46)+"…)" {
		t.Errorf("label %s", a.label())
	}
}

func TestPreviewsAreOneLine(t *testing.T) {
	e := Edit{Quote: 12, Text: "[{PREVIEW}: name.{PREVIEW} Again.]"}
	for text, want := range map[string]string{
		"a\nb\t c" + strings.Repeat(" d", 9): `[{PREVIEW}: name. Preview: "a b c d d d…". Again.]`,
		strings.Repeat(" ", 60):              `[{PREVIEW}: name. Again.]`,
		strings.Repeat("é", 12) + "!":        "",
	} {
		got, changed := e.cut(text, 0)
		if want == "" {
			if changed {
				t.Errorf("%q became longer: %q", text, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
