// Package lost compares a document of ours with the summary that a host's model wrote of the same conversation, and
// returns what the summary does not say: rules and refusals, the task, open work, failures, the user's words, handles.
//
// Start with Of. It decides by the words of each item (held): an item counts as lost if no place of the summary
// has most of them, and a rule also if no such place demands, forbids or refuses anything. A summary in another language
// than the conversation therefore loses everything.
//
// The same input has the same report. The package looks at the text of documents alone; it asks no model and no ledger.
package lost

import (
	"encoding/json"
	"regexp"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/internal/pattern"
)

// Report says what a summary keeps of a document.
type Report struct {
	Items int    // that were looked for
	Kept  int    // that the summary says
	Text  string // the others, as far as they fit, in the form of the document; "" if nothing important is lost
	Shown int    // of the others, those in the text
}

// The least share of an item's words by which it counts as kept.
const (
	keptRule = 0.5
	keptTask = 0.5
	keptOpen = 0.6
	keptSaid = 0.5
)

// Bounds of what is shown.
const (
	maxHandles = 3     // handles, which alone are no reason to say anything
	maxSaid    = 600   // characters of one message of the user
	leastWords = 3     // of a message of the user, besides rules: less says nothing without what it answers
	mostItems  = 1_000 // that are looked for
)

// worth orders items: the most expensive are shown first.
type worth int

const (
	rule worth = iota
	task
	open
	failure
	said
	handle
	worths
)

// item is one thing that a document says.
type item struct {
	worth worth
	head  string // of its block
	text  string // as it is shown
	kept  bool
}

// Of reports what a summary keeps of a document, with a text of at most budget tokens of what it lost.
func Of(document, summary string, budget int) Report {
	items := itemsOf(document, newHeld(spoken(summary)))
	out := Report{Items: len(items)}
	important := false
	for _, it := range items {
		if it.kept {
			out.Kept++
		} else if it.worth != handle {
			important = true
		}
	}
	if important {
		out.Text, out.Shown = write(items, budget)
	}
	return out
}

var analysis = pattern.Lazy(`(?s)<analysis>.*?</analysis>`)

// spoken returns what the agent gets of a summary: its analysis is left out.
func spoken(summary string) string { return analysis().ReplaceAllString(summary, "") }

const (
	refused = "[REFUSED BY THE USER"
	now     = "[NOW]"
	failed  = "[UNRESOLVED FAILURES]"
)

// itemsOf returns the items of a document, and whether a summary keeps them.
func itemsOf(document string, h *held) (out []item) {
	for _, block := range layout.BlocksOf(document) {
		head, _, _ := strings.Cut(block, "\n")
		switch {
		case head == layout.Task, head == layout.Said:
			out = append(out, words(head, block, h)...)
		case strings.HasPrefix(head, refused):
			out = append(out, lines(block, refusalLine(), func(m []string) item {
				return item{rule, head, m[0], h.binds(m[1]+m[2]) >= keptRule}
			})...)
		case head == now:
			out = append(out, lines(block, taskLine(), func(m []string) item {
				return item{open, head, m[0], h.share(m[1]) >= keptOpen}
			})...)
		case head == failed:
			for _, it := range lines(block, failureLine(), func(m []string) item {
				return item{failure, head, m[0], h.fails(m[1]) >= keptOpen}
			}) {
				if matters(it.text) {
					out = append(out, it)
				}
			}
		case head == layout.Handles:
			found := lines(block, handleLine(), func(m []string) item { return item{handle, head, m[0], h.has(m[1])} })
			out = append(out, found[:min(len(found), maxHandles)]...)
		}
	}
	return out[:min(len(out), mostItems)]
}

var (
	refusalLine = pattern.Lazy(`(?m)^  - (?:Bash )?(.+?) \(turn [^)]*\)(.*)$`)
	taskLine    = pattern.Lazy(`(?m)^  \[[ ~]\] (.+)$`)
	failureLine = pattern.Lazy(`(?m)^  - (.+?)(?: → .*| \(turn.*)$`)
	handleLine  = pattern.Lazy(`(?m)^  ([0-9a-f]{12,64})  .+$`)
)

func lines(block string, line *regexp.Regexp, make func(m []string) item) (out []item) {
	for _, m := range line.FindAllStringSubmatch(block, mostItems) {
		out = append(out, make(m))
	}
	return out
}

// matters reports whether a failure is one of a check or an edit, or of something that was interrupted: what else failed
// once was mostly done in another way.
func matters(line string) bool {
	command, result, ran := strings.Cut(strings.TrimPrefix(line, "  - "), " → ")
	if _, purpose := shellcmd.Key(command); ran && purpose < shellcmd.Build {
		return false
	}
	return result != "" || !ran
}

// asked recognises a question that asks for something to be done.
var asked = pattern.Lazy(`(?i)\b(can|could|would|will) (you|we)\b|\bplease\b|\blet'?s\b`)

// idle reports whether a message of the user is nothing to be told again: a command of the host, a notification that it
// wrote in the user's name, a question that was answered.
func idle(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "! ") ||
		strings.HasPrefix(text, "{") && json.Valid([]byte(text)) ||
		strings.HasPrefix(text, "Read the output file to retrieve the result") ||
		strings.HasSuffix(text, "?") && !asked().MatchString(text)
}

// words returns what the user said, from a block that quotes it.
func words(head, block string, h *held) (out []item) {
	for _, e := range layout.Unquote(block) {
		it := item{worth: said, head: head}
		e.Text = strings.TrimSpace(e.Text)
		switch {
		case strings.Contains(e.Label, "standing rule"), strings.Contains(e.Label, "correction"):
			it.worth, it.kept = rule, h.binds(e.Text) >= keptRule
		case head == layout.Task:
			it.worth, it.kept = task, h.share(e.Text) >= keptTask
		case len(strings.Fields(e.Text)) < leastWords:
			continue
		default:
			it.kept = h.share(e.Text) >= keptSaid
		}
		if it.worth != task && idle(e.Text) || strings.HasPrefix(e.Text, "{") || len(stems(e.Text)) == 0 {
			continue
		}
		e.Text = layout.Fit(e.Text, maxSaid/4, "")
		it.text = layout.Print(e)
		out = append(out, it)
	}
	return out
}

// write prints the lost items, dearest first until the budget is used, in the order of the document.
func write(items []item, budget int) (string, int) {
	in := make([]bool, len(items))
	left, shown := budget, 0
	heads := map[string]bool{}
	for w := range worths {
		for i := range items {
			it := &items[i]
			if it.worth != w || it.kept {
				continue
			}
			size := layout.Count(it.text) + 1
			if !heads[it.head] {
				size += layout.Count(layout.Rule + it.head + "\n")
			}
			if size > left {
				continue
			}
			left -= size
			in[i], heads[it.head] = true, true
			shown++
		}
	}
	var blocks []string
	last := ""
	for i, it := range items {
		switch {
		case !in[i]:
			continue
		case it.head != last:
			blocks = append(blocks, it.head+"\n"+it.text)
			last = it.head
		default:
			blocks[len(blocks)-1] += "\n" + it.text
		}
	}
	return strings.Join(blocks, layout.Rule), shown
}
