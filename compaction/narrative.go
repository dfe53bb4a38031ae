package compaction

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

const (
	narrativeHead = "[CONVERSATION SUMMARY — covers turns "
	turnHead      = "**Turn Context (split turn):**"
	noHistory     = "No prior history."
	ledgerSays    = "LEDGER:"
	removedMark   = "[CLAIM REMOVED — " + ledgerSays + " "
	unverified    = "[UNVERIFIED ASSUMPTION: "
)

// narrative is a model's summary as it comes into the document: cleaned, checked, and of no more than
// its share.
type narrative struct {
	text string
	turn string // of the first part of a split turn
}

// narrativeBudget is the size in tokens of a model's summary in the document.
func (s *source) narrativeBudget() int { return s.budget * s.o.Mode.ModelShare() / 100 }

// narrate checks a model's words against the ledger. It returns nil unless the status is Accepted.
func narrate(s *source, a *Answer, v *view) (n *narrative, run Run) {
	run = a.Run
	run.Removed, run.Marked = 0, 0
	text, turn := bare(chars.Strip(a.Text)), bare(chars.Strip(a.Turn))
	stands := v.previous + v.behind[v.start] - v.behind[s.cut] // what the summary replaces
	switch size := layout.Count(text) + layout.Count(turn); {
	case run.Status != Accepted:
		return nil, run
	case text == "" && turn == "":
		run.Status, run.Reason = Empty, "the summary is empty"
		return nil, run
	case size >= stands:
		run.Status = TooLong
		run.Reason = fmt.Sprintf("the summary has %s tokens, but what it replaces has only %s", chars.Commas(size),
			chars.Commas(stands))
		return nil, run
	}
	preset, err := settings.PresetOf(s.o.Preset)
	if err == nil && text != "" {
		text = preset.Complete(text)
	}
	limit, kept := s.narrativeBudget(), 0
	turnLimit := limit
	if text != "" {
		turnLimit /= 3
	}
	text, turn = clipLines(text, limit), clipLines(turn, turnLimit)
	text, turn = s.work.verify(text, &run, &kept), s.work.verify(turn, &run, &kept)
	if kept == 0 {
		run.Status = Refuted
		run.Reason = "the ledger refutes everything the summary says: " + chars.Plural(run.Removed, "statement")
		if run.Removed == 0 {
			run.Status, run.Reason = Empty, "the summary says nothing under its headings"
		}
		return nil, run
	}
	n = &narrative{turn: barred(clipLines(turn, turnLimit))}
	n.text = barred(clipLines(text, limit-layout.Count(n.turn)))
	switch {
	case n.text != "":
	case s.in.PreviousText != "":
		n.text = narrativeOf(s.in.PreviousText)
	default:
		n.text = noHistory
	}
	return n, run
}

// thoughts is what some models put in front of their answer.
var thoughts = pattern.Lazy(`(?s)^\s*<(think|thinking)>.*?</(think|thinking)>`)

// bare is a model's answer without its thoughts, and without the fence that some put around all of it.
func bare(text string) string {
	text = strings.TrimSpace(thoughts().ReplaceAllString(text, ""))
	text = strings.ReplaceAll(text, ledgerSays, strings.ToLower(ledgerSays)) // only the ledger itself does
	first, rest, _ := strings.Cut(text, "\n")
	inner, fenced := strings.CutSuffix(rest, "\n```")
	if fenced && (first == "```" || first == "```markdown" || first == "```md") && !strings.Contains(inner, "\n```") {
		return strings.TrimSpace(inner)
	}
	return text
}

// clipLines returns the first lines of a text that have at most limit tokens together, with a mark if lines are
// missing.
func clipLines(text string, limit int) string {
	if layout.Count(text) <= limit {
		return text
	}
	mark := " [TRUNCATED — " + chars.Commas(utf8.RuneCountInString(text)) + " chars total]"
	var kept []string
	left := limit - layout.Count(mark)
	for line := range strings.SplitSeq(text, "\n") {
		if left -= layout.Count(line + "\n"); left < 0 {
			break
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 { // a single line, longer than all of it
		head := text
		for layout.Count(head) > limit-layout.Count(mark) && head != "" {
			head = chars.Head(head, min(utf8.RuneCountInString(head)*3/4, 8*limit))
		}
		return head + mark
	}
	return strings.Join(kept, "\n") + mark
}

// barred puts a bar before the lines of a text that could pose as ours, and before a single line that opens a fence.
func barred(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if layout.Poses(l) && !strings.HasPrefix(l, removedMark) || len(lines) == 1 && layout.OpensFence(l) {
			lines[i] = "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

// addNarrative adds what a model wrote, or what one wrote for the earlier summary.
func addNarrative(s *source, d *layout.Document) {
	from, to := s.turns()
	head := fmt.Sprintf("%s%d–%d]", narrativeHead, from, to)
	if s.story == nil {
		if earlier := narrativeOf(s.in.PreviousText); earlier != "" {
			b := d.Block(&layout.Block{Head: narrativeLine(s.in.PreviousText)})
			d.Add(b, &layout.Line{Text: "\n" + clipLines(earlier, s.budget*18/100), Class: layout.ClassSaid,
				Anchor: "narrative", Pos: 1})
		}
		return
	}
	if s.story.text != "" {
		b := d.Block(&layout.Block{Head: head})
		d.Add(b, &layout.Line{Text: "\n" + s.story.text, Class: layout.ClassPin, Must: true, Anchor: "narrative",
			Pos: 1})
	}
	if s.story.turn != "" {
		b := d.Block(&layout.Block{Head: turnHead})
		d.Add(b, &layout.Line{Text: "\n" + s.story.turn, Class: layout.ClassPin, Must: true, Pos: 1})
	}
}

// narrativeLine is the heading of the model's summary in a document of ours.
func narrativeLine(text string) string {
	head, _, _ := strings.Cut(layout.BlockWith(text, narrativeHead), "\n")
	return head
}

// narrativeOf is what a model wrote in a document of ours, with the part about a split turn.
func narrativeOf(text string) string {
	_, said, _ := strings.Cut(layout.BlockWith(text, narrativeHead), "\n")
	if said = strings.TrimSpace(said); said == noHistory {
		said = ""
	}
	if turn := layout.BlockWith(text, turnHead); turn != "" {
		said = strings.TrimSpace(said + "\n\n" + turn)
	}
	return said
}
