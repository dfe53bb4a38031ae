package anyfile

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// TestALensFitsItsLineAndItsHoverSaysAll: what is not known is not said, and what does not fit is in the hover.
func TestALensFitsItsLineAndItsHoverSaysAll(t *testing.T) {
	saved := func(words int) *Disk {
		return &Disk{Text: text.New(tokens.O200kBase, []byte(strings.Repeat(" word", words)))}
	}
	took := tokens.Count{N: 6}
	for _, c := range []struct {
		name  string
		words int
		use   live.File
		disk  *Disk
		want  string
		hover string // its last line
	}{
		{"nobody read it", 3, live.File{}, nil, "≈3 tokens in file · ≈6 when read",
			"rough estimate for claude-opus-4-6, not calibrated yet"},
		{"known to be as it was", 3, live.File{Reads: 1, Window: took, Left: took, Fresh: true}, nil,
			"read once, ≈6 tokens in window · unchanged since", "unchanged since"},
		{"changed", 3, live.File{Reads: 1, Window: took, Left: took, Stale: true, By: changes.External}, nil,
			"read once, ≈6 tokens in window · changed since", "changed since, outside the session"},
		{"changed by a subagent", 3,
			live.File{Reads: 1, Window: took, Left: took, Stale: true, By: "s", Sub: true}, nil,
			"read once, ≈6 tokens in window · changed since", "changed since, by its subagent s"},
		{"read in part, and changed elsewhere", 3,
			live.File{Reads: 1, Window: took, Left: took, Part: true}, nil,
			"read once, ≈6 in window · unchanged where read", "unchanged where read"},
		{"read in part, and changed above", 3,
			live.File{Reads: 1, Window: took, Left: took, Part: true, Moved: true}, nil,
			"read once, ≈6 in window · unchanged where read", "unchanged where read, lines moved"},
		{"changed, nobody knows by whom", 3,
			live.File{Reads: 1, Window: took, Left: took, Stale: true, By: changes.After}, nil,
			"read once, ≈6 tokens in window · changed since", "changed since, by the agent or after its call"},
		{"compacted away in part", 3,
			live.File{Reads: 2, Dropped: true, Window: tokens.Count{N: 4}, Left: tokens.Count{N: 4}, Fresh: true},
			nil,
			"read twice, ≈4 tokens in window · unchanged since", "unchanged since"},
		{"too large for one read", 30_000, live.File{}, nil, "≈34,800 tokens in file",
			"rough estimate for claude-opus-4-6, not calibrated yet"},
		{"nobody knows", 3,
			live.File{Reads: 2, Window: took, Left: took}, nil, "read twice, ≈6 tokens in window",
			"not known whether it has changed since"},
		{"compacted away", 3, live.File{Reads: 2, Took: took, Dropped: true}, nil,
			"read twice · not in its window now", "not in its window now"},
		{"written after that, and changed", 3,
			live.File{Reads: 2, Took: took, Dropped: true, Stale: true, By: "s"},
			nil,
			"≈3 tokens in file · read twice · changed since", "changed since, by session s"},
		{"much of everything", 900_000, live.File{Reads: 12, Window: tokens.Count{N: 10_440_000},
			Left: tokens.Count{N: 10_440_000}, Fresh: true}, nil,
			"≈10,440,000 tokens in window · unchanged since", "unchanged since"},
		{"with edits that are not saved", 3,
			live.File{Reads: 1, Window: took, Left: took, Fresh: true}, saved(2),
			"read once, ≈6 tokens in window · unchanged on disk", "unchanged on disk"},
		{"with edits that are not saved, as long as what they replace", 3,
			live.File{Reads: 1, Window: took, Left: took, Fresh: true},
			&Disk{Text: text.New(tokens.O200kBase, []byte(" word word words"))},
			"read once, ≈6 tokens in window · unchanged on disk", "unchanged on disk"},
		{"with edits to much", 900_000,
			live.File{Reads: 1, Window: took, Left: took, Fresh: true}, saved(800_000),
			"read once, ≈6 tokens in window · unchanged on disk", "unchanged on disk"},
		{"open as it is on disk", 3, live.File{Reads: 1, Window: took, Left: took, Fresh: true}, saved(3),
			"read once, ≈6 tokens in window · unchanged since", "unchanged since"},
		{"open without the mark on disk", 3, live.File{Reads: 1, Window: took, Left: took, Fresh: true},
			&Disk{Text: text.New(tokens.O200kBase, []byte("\ufeff word word word"))},
			"read once, ≈6 tokens in window · unchanged since", "unchanged since"},
		{"open in another encoding", 3, live.File{Reads: 1, Window: took, Left: took, Fresh: true},
			&Disk{Text: text.New(tokens.O200kBase, []byte(" w\xf6rd"))},
			"read once, ≈6 tokens in window · unchanged since", "unchanged since"},
		{"read and edited", 3, live.File{Reads: 1, Window: tokens.Count{N: 9}, Fresh: true}, nil,
			"read once + edits, ≈9 in window · unchanged since", "unchanged since"},
		{"written, and changed by somebody", 3,
			live.File{Touched: true, Stale: true, By: changes.External}, nil,
			"≈3 tokens in file · written · changed since", "changed since, outside the session"},
		{"written, and formatted at once", 3, live.File{Touched: true, Window: took}, nil,
			"written, ≈6 tokens in window", "not known whether it has changed since"},
		{"known to be deleted", 3,
			live.File{Reads: 1, Window: took, Left: took, Stale: true, Gone: true, By: changes.External},
			nil,
			"read once, ≈6 tokens in window · deleted since", "deleted since, outside the session"},
		{"deleted", 3,
			live.File{Reads: 1, Window: took, Left: took, Stale: true, By: changes.External}, &Disk{Gone: true},
			"read once, ≈6 tokens in window · deleted since", "deleted since, outside the session"},
	} {
		x := text.New(tokens.O200kBase, []byte(strings.Repeat(" word", c.words)))
		f := File{Text: x, Outline: outline.Of(outline.Indented, text.New(tokens.O200kBase, nil)), Use: c.use,
			Meter: Meter{Counter: tokens.Builtin().For("claude-opus-4-6"), Window: 200_000}}
		if c.disk != nil {
			f.Disk = func() Disk { return *c.disk }
		}
		cost := CostOf(f)
		title, lines := Lens(f, cost), strings.Split(ExplainLens(f, cost), "\n")
		if title != c.want || utf8.RuneCountInString(title) > MaxLens {
			t.Errorf("%s: %q, not %q", c.name, title, c.want)
		}
		if last := lines[len(lines)-1]; last != c.hover || !strings.HasPrefix(lines[0],
			"this file, as open in the editor: ≈") {
			t.Errorf("%s: the hover is %q", c.name, lines)
		}
		if strings.HasPrefix(lines[1], "on disk") { // which is what an agent reads
			f.Text = c.disk.Text
		}
		gone := c.disk != nil && c.disk.Gone
		if slices.Contains(lines, CostOf(f).reading()) == gone {
			t.Errorf("%s: of what a read adds the hover says %q", c.name, lines)
		}
	}
}

// TestWhatIsLeftOfAFileIsSaid: the hover said "0 of its window now".
func TestWhatIsLeftOfAFileIsSaid(t *testing.T) {
	for left, want := range map[int]string{0: "none of them still in its window", 4: "4 of them still in its window"} {
		f := File{Text: text.New(tokens.O200kBase, []byte("a\n")), Meter: Meter{Counter: tokens.O200kBase.Counter()}}
		f.Use =
			live.File{Reads: 2, Took: tokens.Count{N: 8}, Dropped: true, Left: tokens.Count{N: left, Exact: true}}
		if got := ExplainLens(f, CostOf(f)); !strings.Contains(got, want) {
			t.Errorf("%d are left: %s", left, got)
		}
	}
}

// TestAStaleReadSaysWhatReadingAgainCosts: the figure was that of the text alone, and of a deleted file one was asked for.
func TestAStaleReadSaysWhatReadingAgainCosts(t *testing.T) {
	f := File{Text: text.New(tokens.O200kBase, []byte("a\nb\n")),
		Use:   live.File{Reads: 1, Stale: true, By: changes.External},
		Meter: Meter{Counter: tokens.O200kBase.Counter()}}
	read := f.Meter.Say(CostOf(f).Read)
	f.Use.Reads, f.Use.Gone = 0, true // its own text, deleted
	if got := Findings(f, []string{StaleRead}); len(got) != 1 ||
		!strings.HasPrefix(got[0].Message, "Deleted outside the session since the followed session wrote it.\n") {
		t.Errorf("of a file that it wrote: %+v", got)
	}
	f.Use.Reads, f.Use.Gone = 1, false
	for gone, want := range map[bool]string{
		false: "Have it read the file again, which costs, with line numbers, " + read + ".",
		true:  "Deleted outside the session since",
	} {
		f.Disk = func() Disk { return Disk{Gone: gone} }
		got := Findings(f, []string{StaleRead})
		if len(got) != 1 || !strings.Contains(got[0].Message, want) ||
			gone == strings.Contains(got[0].Message, "again") {
			t.Errorf("gone %v: %+v", gone, got)
		}
	}
}

// TestHowItIsCountedIsSaidInWords: the hover said "calibrated(133) by what was measured".
func TestHowItIsCountedIsSaidInWords(t *testing.T) {
	measured := tokens.NewEstimator("claude-opus-4-6")
	for range 2 {
		if !measured.Learn(tokens.FeaturesOf(strings.Repeat("some words\n", 500)), 1_700) {
			t.Fatal("it learns nothing")
		}
	}
	c := tokens.Builtin().For("claude-opus-4-6").With(measured)
	const want = "estimated for claude-opus-4-6, calibrated on 2 requests"
	if got := (Meter{Counter: c}).Counted(); got != want {
		t.Errorf("%q", got)
	}
	// It was said that no model is known while the files that name it were read.
	for _, c := range []struct {
		meter Meter
		want  string
	}{
		{Meter{}, "counted in o200k_base, since no model is known"},
		{Meter{Reading: true}, "counted in o200k_base while session files are being read"},
		{Meter{Counter: c, Reading: true}, want},
	} {
		if got := c.meter.Counted(); got != c.want {
			t.Errorf("%q", got)
		}
	}
}

// TestASectionIsNoMoreThanItsFile: without the line end behind it, with which its end merges, it had more tokens, and was 167% of
// the file.
func TestASectionIsNoMoreThanItsFile(t *testing.T) {
	read := text.New(tokens.O200kBase, []byte("# A.);\n"))
	f := File{Text: read, Outline: outline.Of(outline.Markdown, read),
		Meter: Meter{Counter: tokens.O200kBase.Counter()}}
	note, ok := Heading(f, 0)
	const want = "`A.);` · 3 tokens\n100% of this buffer's 3 tokens, counted on its own"
	if !ok || note.Text != want {
		t.Errorf("%q, not %q", note.Text, want)
	}
}
