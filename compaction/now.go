package compaction

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/compaction/tasklist"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/transcript"
)

const (
	nowHead = "[NOW]"
	// lastCalls is how many of the newest calls are named.
	lastCalls = 3
)

// lastShare bounds each of the agent's last words.
var lastShare = shares{13, 24}

// addNow adds the state of the work: what is in progress, the branch and what is not committed, and the newest calls.
func addNow(s *source, d *layout.Document) error {
	b := d.Block(&layout.Block{Head: nowHead})
	s.nowBlock = b
	add := func(pos int64, text string) {
		d.Add(b, &layout.Line{Text: "  " + text, Class: layout.ClassNow, Pos: pos})
	}
	if turn := s.splitTurn(); turn > 0 {
		text := "The request of " + layout.Turn(turn) + " is in progress: it continues below."
		switch newest := s.in.Items[len(s.in.Items)-1].Turn; {
		case newest == turn && s.in.finished():
			text = "The agent has finished " + layout.Turn(turn) + "; its end is below."
		case newest > turn:
			text = "The end of " + layout.Turn(turn) + " and all later turns are below."
		}
		add(1, text)
	}
	if text := s.work.tree(); text != "" {
		add(2, text)
	}
	addTasks(s, d, b, func() {
		if text := newestCalls(s.in); text != "" {
			add(3, text)
		}
	})
	return addNewestEdits(s, d, b)
}

// lastLines returns the agent's last words in full, newest first. An answer is worth more than the newest request, which is
// not printed without it.
func (s *source) lastLines() (out []*layout.Line) {
	talk := s.in.talk
	for i, m := range talk.lastWords() {
		it := &s.in.Items[talk.said[m].index]
		label := layout.Turn(it.Turn) + ", the agent's latest words"
		l := s.longLine(layout.Entry{Label: label, Text: talk.messages[m].Text}, lastShare, it.ID)
		l.Class, l.Pos = layout.ClassLast, place(it.first(), 0)
		if i == 0 && s.in.finished() {
			l.Class, s.answer = layout.ClassTask, l
		}
		out = append(out, l)
	}
	return out
}

// marks show how far a task is.
var marks = map[tasklist.State]string{
	tasklist.Open: "[ ]", tasklist.Doing: "[~]", tasklist.Done: "[x]", tasklist.Dropped: "[dropped]",
}

// addTasks adds the newest task list. What is done gives way before what is open, and before what between adds.
func addTasks(s *source, d *layout.Document, b *layout.Block, between func()) {
	tasks := s.in.talk.tasks.Tasks()
	const at = 16 // in the block
	finishedTasks := 0
	for _, t := range tasks {
		if t.State == tasklist.Done {
			finishedTasks++
		}
	}
	kept := ""
	if source := s.in.talk.tasks.Source(); filetext.Markdown(source) {
		kept = s.in.path(source) + ", "
	}
	head := fmt.Sprintf("  Task list (%s%s, %d of %d done):", kept, layout.Turn(max(1, s.in.talk.tasks.Turn())),
		finishedTasks, len(tasks))
	add := d.Under(b, layout.Line{Text: head, Class: layout.ClassNow, Pos: at})
	for _, done := range []bool{false, true} {
		if done {
			between()
		}
		for i, t := range tasks {
			if finished := t.State >= tasklist.Done; finished == done {
				text := "  " + marks[t.State] + " " + layout.OneLine(t.Text, 200)
				add(layout.Line{Text: text, Class: layout.ClassNow, Pos: at + 1 + int64(i)})
			}
		}
	}
}

// tree says on which branch the work is, and what of it is committed and pushed.
func (w *work) tree() string {
	g := &w.git
	dirty := 0
	for _, f := range w.files {
		if f.affected() && !f.undone() && f.Seq > g.Newest() && f.inTree() {
			dirty++
		}
	}
	var parts []string
	if g.Branch != "" {
		parts = append(parts, "branch "+layout.OneLine(g.Branch, 100))
	}
	switch n := len(g.Commits); {
	case n == 0 && dirty == 0:
	case n == 0:
		parts = append(parts, "no commit recorded, "+chars.Plural(dirty, "file")+" changed")
	case dirty == 0:
		parts = append(parts, "no recorded change since the last commit"+called(g.Commits[n-1]))
	default:
		parts = append(parts, chars.Plural(dirty, "file")+" changed since the last commit"+called(g.Commits[n-1]))
	}
	if g.Pushed > 0 {
		parts = append(parts, "pushed ("+layout.Turn(g.Pushed)+")")
	}
	if g.Request != "" {
		parts = append(parts, layout.OneLine(g.Request, 200))
	}
	if g.Ahead != "" {
		parts = append(parts, `git said "`+layout.OneLine(g.Ahead, 160)+`" (`+layout.Turn(g.AheadAt)+")")
	}
	return strings.Join(parts, "; ")
}

// called is the hash of a commit, as it follows "the last commit".
func called(c shellcmd.Commit) string {
	if c.Hash == "" {
		return ""
	}
	return " " + c.Hash
}

// inTree reports whether a file is inside of the session's directory.
func (f *fileState) inTree() bool {
	return !strings.HasPrefix(f.Path, "/") && !strings.HasPrefix(f.Path, "..")
}

// newestCalls names the last calls before the newest words, oldest first.
func newestCalls(in *Input) string {
	failed := in.failedCalls()
	var out []string
	for _, it := range slices.Backward(in.Items) {
		if it.Role != transcript.RoleAssistant {
			continue
		}
		for _, c := range slices.Backward(it.Calls) {
			if len(out) == lastCalls {
				break
			}
			target := c.Target
			if c.Op != intents.OpShell {
				target = in.path(target)
			}
			text := layout.OneLine(c.Name+" "+target, 70)
			switch {
			case in.talk.refuses(c.ID):
				text += " (refused)"
			case in.talk.never[c.ID]:
				text += " (did not run)"
			case failed[c.ID]:
				text += " (failed)"
			}
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
		if len(out) == lastCalls {
			break
		}
	}
	if len(out) == 0 {
		return ""
	}
	slices.Reverse(out)
	return "last calls: " + strings.Join(out, " · ")
}
