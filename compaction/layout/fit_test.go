package layout

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A long fenced block gives way before the words around it, and the mark says how much of it is missing.
func TestFitLeavesOutPastesFirst(t *testing.T) {
	log := strings.Repeat("a line of a log that nobody reads\n", 60)
	words := strings.Repeat("Some words. ", 90) + "\n"
	steps := words + "## Step 2: Parse\n" + words + "```\n# no heading\n```\n#12\n## Step 3: Print\n" + words
	plan := "Fix the importer.\n\n```\n" + log + "```\n\nNever touch vendor/.\n"
	for _, c := range []struct {
		name, text string
		limit      int
		want, lack []string
	}{
		{"fits", plan, 2_000, []string{log}, []string{"left out"}},
		{"the block gives way", plan, 120,
			[]string{"Fix the importer.", "Never touch vendor/.", "characters left out"}, nil},
		{"a short block stays", "x\n```\nshort\n```\n" + strings.Repeat("words ", 400), 120, []string{"short"}, nil},
		{"a fence that never ends", "Fix it.\n```\n" + log, 60, []string{"Fix it.", "left out"}, nil},
		{"another fence", "Fix it.\n~~~~\n```\n" + log + "~~~~\nDo it.", 60,
			[]string{"Fix it.", "Do it.", "left out"}, nil},
		{"the headings of the middle stay", "Do this.\n" + steps + "\nNever touch vendor/.", 200,
			[]string{"Do this.", "left out but for headings", "\n## Step 2: Parse\n## Step 3: Print\n", "vendor/."},
			[]string{"# no heading", "#12"}},
		{"headings do not crowd out the text", "Do this.\n" + strings.Repeat("# A heading\n", 400) + "Do it.", 100,
			[]string{"Do this.", "Do it."}, nil},
	} {
		got := Fit(c.text, c.limit, "0123456789ab")
		if n := Count(got); n > c.limit {
			t.Errorf("%s: %d tokens, more than %d", c.name, n, c.limit)
		}
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is missing in\n%s", c.name, w, got)
			}
		}
		for _, w := range c.lack {
			if strings.Contains(got, w) {
				t.Errorf("%s: %q is in\n%s", c.name, w, got)
			}
		}
	}
}

// FuzzFit: what is kept is the text's own, in its order, and the marks account for every character of the rest.
func FuzzFit(f *testing.F) {
	block := "```\n" + strings.Repeat("line of the log\n", 50) + "```\n"
	for _, s := range []string{"", "word", strings.Repeat("word ", 300), "a\n" + block + "b\n" + block + "c", "~~~\nx",
		"```\n```\n", strings.Repeat("é", 900), strings.Repeat("# Title\nsome words of the text\n", 90)} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 24 || limit > 500 || len(text) > 20_000 || !utf8.ValidString(text) ||
			strings.Contains(text, "left out") {
			return
		}
		got := Fit(text, limit, "0123456789ab")
		if got == text || strings.HasSuffix(got, "…") && !strings.Contains(got, "left out") {
			return
		}
		missing, rest := 0, text
		for got != "" {
			kept, after, marked := strings.Cut(got, "[…")
			number, behind, _ := strings.Cut(after, " characters left out")
			n, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
			if marked && err != nil {
				return // the text's own
			}
			for line := range strings.SplitSeq(kept, "\n") {
				line = strings.TrimSpace(strings.TrimPrefix(line, "… "))
				at := strings.Index(rest, line)
				if at < 0 {
					t.Fatalf("%q is not in order in %q", line, text)
				}
				rest = rest[at+len(line):]
			}
			missing += n
			_, got, _ = strings.Cut(behind, "…]")
		}
		if missing > utf8.RuneCountInString(text) {
			t.Fatalf("%d characters are said to be left out of %d", missing, utf8.RuneCountInString(text))
		}
	})
}

// TestASentenceIsPrintedWholeOrNamed: at any limit no rule is printed in part, and the handle is there if one is missing.
func TestASentenceIsPrintedWholeOrNamed(t *testing.T) {
	rules := []string{"Never store a price as a float, since cents get lost.",
		"Always ask before a push to the main branch."}
	words := strings.Repeat("Some words about the shop and what it sells. ", 20)
	text := words + rules[0] + " " + words + rules[1] + " " + words
	find := func(text string) (all []Span) {
		for _, r := range rules {
			if at := strings.Index(text, r); at >= 0 {
				all = append(all, Span{at, at + len(r)})
			}
		}
		return all
	}
	seen := map[int]bool{}
	for limit := 24; limit < 700; limit++ {
		got := FitWhole(text, limit, "0123456789ab", find)
		whole := 0
		for _, r := range rules {
			switch {
			case strings.Contains(got, r):
				whole++
			case strings.Contains(got, r[:12]) || strings.Contains(got, r[len(r)-12:]):
				t.Errorf("limit %d: a part of %q is in\n%s", limit, r, got)
			case !strings.Contains(got, "0123456789ab"):
				t.Errorf("limit %d: %q is missing, and so is the handle:\n%s", limit, r, got)
			}
		}
		if n := Count(got); n > max(limit, Mark) {
			t.Errorf("limit %d: %d tokens", limit, n)
		}
		seen[whole] = true
	}
	if !seen[0] || !seen[1] || !seen[2] {
		t.Errorf("so many rules were kept: %v", seen)
	}
}
