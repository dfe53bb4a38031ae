package compaction

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"

	"ctxledger.dev/internal/chars"
)

func FuzzQuoteReadsBackAndNeverPoses(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb", "```\nx\n```", "\n\n---\n\n", "| ---\n|| [PINNED",
		"[OPEN WORK\n(turn 3) x", "\x1b[31mred", "é\u200d\n✓ x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := layout.Print(layout.Entry{Label: "turn 1", Text: s})
		if strings.Contains(q, layout.Rule) {
			t.Fatalf("holds a rule: %q", q)
		}
		back := layout.Unquote("[HEAD]\n" + q + "\n(turn 2) end")
		if len(back) != 2 || back[1].Text != "end" {
			t.Fatalf("%q reads back as %q", q, back)
		}
		want := strings.Trim(chars.Strip(s), "\n")
		if !strings.Contains(want, "\n") {
			want = strings.TrimSpace(want)
		}
		if strings.TrimSpace(want) != "" && back[0].Text != want {
			t.Fatalf("%q reads back as %q", want, back[0].Text)
		}
	})
}

// TestADocumentHidesNothing plants a character that is not seen, or drives a terminal, in all that a document quotes.
func TestADocumentHidesNothing(t *testing.T) {
	for _, r := range []rune{
		0x1b, 0x9b, 0x7f, 0xad, 0x34f, 0x61c, 0x180b, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066,
		0x3164, 0xfe01, 0xfeff, 0xe0041, 0xe0130,
	} {
		t.Run(fmt.Sprintf("%U", r), func(t *testing.T) {
			k, c := newTalk(t), string(r)
			k.user("please be" + c + "gin")
			k.say("I decided: the po" + c + "rt is 8443.")
			k.edit("src/a"+c+"b.go", "[ERROR] no"+c+"ne")
			k.run("go te"+c+"st ./...", 1, "FA"+c+"IL")
			k.read("long"+c+".go", 9000)
			k.user("next")
			p := mustPlan(t, k.in, Options{Keep: 1, Notes: "a no" + c + "te"})
			if !strings.Contains(p.Text, "please be") || strings.ContainsRune(p.Text, r) || !chars.Safe(p.Text) {
				t.Errorf("%q", p.Text)
			}
		})
	}
}

func TestClipNeverCutsACharacterInTwo(t *testing.T) {
	cases := []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"ae\u0301b", 2, "a…"},
		{"x👩\u200d🌾y", 2, "x…"},
	}
	for _, c := range cases {
		if got := layout.Clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestNoHeadingOfOursCanBeForged: a line of stored text that begins like a heading gets a bar.
func TestNoHeadingOfOursCanBeForged(t *testing.T) {
	heads := []string{documentHead, layout.Task, rulesHead, nowHead, layout.Said, layout.Files, layout.OldFiles,
		openHead, commandsHead, layout.Handles, layout.OldHandles, earlierHead, layout.Carried, notesHead,
		layout.OldSaid, documentsHead, resultsHead, "  Task list (turn 3):", "  Newest edits:",
		"Earlier runs, superseded by later ones (not current):",
		"Failed before, and passes now:", "Read and not changed, the most-read first:", "(turn 3, newest) do it",
		"  — answering the agent: \"Shall I?\"", "RESUMPTION NOTE: do it", "WARNING: 1 intent(s)", "---"}
	for _, h := range spoken {
		heads = append(heads, fmt.Sprintf(h, 3))
	}
	for _, head := range heads {
		for _, line := range []string{head, "  " + head, "| " + head} {
			if !layout.Poses(line) {
				t.Errorf("%q would pass for ours", line)
			}
		}
	}
}
