package compaction

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

const (
	notesHead = "[AGENT NOTES — the agent's own claims, newest first]"
	// notesKept is how many notes are carried: each new one replaces most of what was said before.
	notesKept = 4
)

const (
	attemptsHead = "[ATTEMPTS — logged by agents, oldest first]"
	// attemptChars is how much of one is printed: the log has all of it.
	attemptChars = 300
)

// addAttempts adds what agents logged as tried. It comes before all else, so that nothing is tried again for want of space.
func addAttempts(s *source, d *layout.Document) {
	if len(s.in.Attempts) == 0 {
		return
	}
	b := d.Block(&layout.Block{Head: attemptsHead, More: layout.CountOf("more attempt")})
	for i, n := range s.in.Attempts {
		text := layout.Print(layout.Entry{Label: layout.Turn(n.Turn), Text: layout.OneLine(n.Text, attemptChars)})
		d.Add(b, &layout.Line{Text: text, Class: layout.ClassPin, Pos: int64(i)})
	}
}

// addNotes adds the agent's notes of this call, those kept since the earlier summary and those of that summary, which
// are stored nowhere else, with what the ledger says against them.
func addNotes(s *source, d *layout.Document) {
	var notes []layout.Entry
	_, to := s.turns()
	if text := strings.TrimSpace(s.o.Notes); text != "" {
		now := max(to, s.in.Session.Turns) // they are said now, not where the range ends
		notes = append(notes, layout.Entry{Label: layout.Turn(now), Text: text})
	}
	for _, n := range s.in.Notes {
		text := strings.TrimSpace(n.Text)
		if text != "" && text != strings.TrimSpace(s.o.Notes) && len(notes) < notesKept {
			notes = append(notes, layout.Entry{Label: layout.Turn(n.Turn), Text: text})
		}
	}
	for _, e := range layout.Unquote(layout.BlockWith(s.in.PreviousText, notesHead)) {
		e.Label, _, _ = strings.Cut(e.Label, ", earlier")
		known := slices.ContainsFunc(notes, func(n layout.Entry) bool {
			return strings.TrimSpace(chars.Strip(n.Text)) == strings.TrimSpace(e.Text)
		})
		if !known && len(notes) < notesKept {
			e.Label += ", earlier: may be out of date"
			notes = append(notes, e)
		}
	}
	if len(notes) == 0 {
		return
	}
	b := d.Block(&layout.Block{Head: notesHead})
	for i, e := range notes {
		e.Text = layout.Fit(e.Text, s.budget*18/100, handleOf(s.id))
		l := d.Add(b, &layout.Line{Text: layout.Print(e), Class: layout.ClassNote, Anchor: "note:" + e.Label,
			Pos: int64(i+1) << 8})
		for k, objection := range s.work.check(e.Text) {
			d.Add(b, &layout.Line{Text: "  LEDGER: " + objection, Class: layout.ClassNote, Pos: l.Pos + int64(k+1),
				Parent: l})
		}
	}
}

var (
	claimsSuccess = pattern.Lazy(`(?i)\b(pass(es|ed|ing)?|green|succeed(s|ed)?|works|working|fixed|done|complete[d]?|all ` +
		`good)\b`)
	pathLike = pattern.Lazy(`(?:[\w.@-]+/)+[\w.@-]+\.\w{1,8}|\b[\w-]+\.(?:go|py|js|ts|tsx|jsx|rs|java|rb|c|h|cc|cpp|cs|` +
		`md|json|yaml|yml|toml|sql|sh|html|css)\b`)
)

// check compares claims with what was recorded. It says only what the ledger knows.
func (w *work) check(text string) []string {
	var out []string
	for _, c := range w.commands {
		named := strings.Contains(text, c.key) || strings.Contains(text, c.last.Command)
		claimed := c.purpose == shellcmd.Test && claimsSuccess().MatchString(text)
		if (named || claimed) && c.open() {
			out = append(out, layout.OneLine(c.last.Command, 160)+" last ended with "+c.failure())
		}
	}
	for _, f := range w.files {
		if f.failed != nil && strings.Contains(text, f.Path) {
			out = append(out, fmt.Sprintf("the last %s of %s failed (%s)", f.failed.Op, f.Path,
				layout.Turn(f.failed.Turn)))
		}
	}
	out = append(out, w.unknown(text)...)
	return out[:min(len(out), 8)]
}

// unknown lists the commands and files that the text names and that the ledger has never seen.
func (w *work) unknown(text string) []string {
	var out []string
	seen := make(map[string]bool)
	for _, code := range codeIn(text, 40) {
		k := keyOf(code)
		ran := func(c *commandState) bool { return strings.Contains(c.key, k.key) }
		if k.purpose < shellcmd.Build || seen[k.key] || slices.ContainsFunc(w.commands, ran) {
			continue
		}
		seen[k.key] = true
		out = append(out, "no run of "+layout.OneLine(code, 160)+" is recorded")
	}
	for _, p := range pathLike().FindAllString(text, 60) {
		if !seen[p] && !w.knows(p) {
			out = append(out, layout.OneLine(p, 160)+" was neither read nor changed here")
		}
		seen[p] = true
	}
	return out
}

// knows reports whether a path, or the end of one, was read or changed in the session.
func (w *work) knows(path string) bool {
	same := func(known string) bool {
		return known == path || strings.HasSuffix(known, "/"+path) || strings.HasSuffix(path, "/"+known)
	}
	return slices.ContainsFunc(w.files, func(f *fileState) bool { return same(f.Path) }) ||
		slices.ContainsFunc(w.explored.all, func(r *readState) bool { return same(r.path) })
}
