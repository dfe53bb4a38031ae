package compaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/compaction/shellcmd"
	"ctxledger.dev/compaction/tasklist"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/transcript"
)

const (
	nowHead = "[NOW]"
	// lastCalls is how many of the newest calls are named.
	lastCalls = 4
)

// addNow adds the state of the work: what is in progress, the branch and what is not committed, the newest calls, and
// the agent's last words in full.
func (s *source) addNow(d *document) {
	talk := s.talk
	b := d.block(&block{head: nowHead})
	add := func(pos int64, text string) { d.add(b, &line{text: "  " + text, class: classNow, pos: pos}) }
	if turn := s.splitTurn(); turn > 0 {
		add(1, "The request of "+turnRange(turn, turn)+" is in progress: it continues below.")
	}
	if text := s.tree(); text != "" {
		add(2, text)
	}
	if text := s.newestCalls(); text != "" {
		add(3, text)
	}
	s.addTasks(d, b)
	for _, m := range talk.lastWords() {
		it := &s.in.Items[talk.said[m].index]
		text := s.fit(talk.messages[m].Text, s.budget*shareOf[classLast].first/100, it.ID)
		d.add(b, &line{text: quote(entry{label: turnRange(it.Turn, it.Turn) + ", the agent's last words", text: text}),
			class: classLast, pos: place(it.first(), 0)})
	}
}

// marks show how far a task is.
var marks = map[tasklist.State]string{
	tasklist.Open: "[ ]", tasklist.Doing: "[~]", tasklist.Done: "[x]", tasklist.Dropped: "[dropped]",
}

// addTasks adds the newest task list. What is done gives way before what is open.
func (s *source) addTasks(d *document, b *block) {
	tasks := s.talk.tasks.Tasks()
	const at = 16 // in the block
	add := d.under(b, line{text: "  Task list (" + turnRange(max(1, s.talk.tasks.Turn()), max(1, s.talk.tasks.Turn())) +
		"):", class: classNow, pos: at})
	for _, done := range []bool{false, true} {
		for i, t := range tasks {
			if finished := t.State >= tasklist.Done; finished == done {
				add(line{text: "  " + marks[t.State] + " " + oneLine(t.Text, 200), class: classNow, pos: at + 1 + int64(i)})
			}
		}
	}
}

// branchOf matches what git prints of the branch that it works on.
var branchOf = lazy(`^\[([^ \]]+)(?: \(root-commit\))? [0-9a-f]{7,}\]|^On branch (\S+)|^Switched to (?:a new )?branch '([^']+)'`)

// tree says on which branch the work is, and which changed files no commit followed.
func (s *source) tree() string {
	branch, committed := "", int64(0)
	for i := range s.in.Operations {
		op := &s.in.Operations[i]
		if !op.shell() || op.failed() || op.pending() {
			continue
		}
		if said := strings.TrimSpace(op.Outcome); s.here(op.Command) &&
			(strings.HasPrefix(said, "[") || strings.Contains(said, "branch")) {
			if m := branchOf().FindStringSubmatch(said); m != nil {
				branch = cmp.Or(m[1], m[2], m[3])
			}
		}
		if op.Op == intents.OpCommit || commits(op.Command) {
			committed = op.Seq
		}
	}
	dirty := 0
	for _, f := range s.files {
		if f.changed() && !f.undone() && f.Seq > committed && f.inTree() {
			dirty++
		}
	}
	var parts []string
	if branch != "" {
		parts = append(parts, "branch "+oneLine(branch, 100))
	}
	switch {
	case committed == 0 && dirty == 0:
	case committed == 0:
		parts = append(parts, fmt.Sprintf("nothing was committed here; %s file(s) changed", chars.Commas(dirty)))
	case dirty == 0:
		parts = append(parts, "no recorded change since the last commit")
	default:
		parts = append(parts, fmt.Sprintf("%s file(s) changed since the last commit", chars.Commas(dirty)))
	}
	return strings.Join(parts, "; ")
}

// here reports whether a command runs in the session's directory all along.
func (s *source) here(command string) bool {
	for _, part := range shellcmd.Segments(command) {
		to, moves := strings.CutPrefix(part, "cd ")
		if moves && s.path(strings.Trim(to, ` "'`)) != strings.TrimRight(s.in.Session.Dir, "/") {
			return false
		}
		if strings.HasPrefix(part, "pushd ") || strings.HasPrefix(part, "git -C ") || strings.HasPrefix(part, "git init") {
			return false
		}
	}
	return true
}

// commits reports whether a command makes a commit with a message.
func commits(command string) bool {
	return strings.Contains(command, "git commit") && shellcmd.FirstCommit(command) != ""
}

// inTree reports whether a file is inside of the session's directory.
func (f *fileState) inTree() bool {
	return !strings.HasPrefix(f.Path, "/") && !strings.HasPrefix(f.Path, "..")
}

// newestCalls names the last calls before the newest words, oldest first.
func (s *source) newestCalls() string {
	failed := s.failedCalls()
	var out []string
	for _, it := range slices.Backward(s.in.Items) {
		if it.Role != transcript.RoleAssistant {
			continue
		}
		for _, c := range slices.Backward(it.Calls) {
			if len(out) == lastCalls {
				break
			}
			if c.Op == intents.OpGrep {
				continue
			}
			text := oneLine(c.Name+" "+s.path(c.Target), 80)
			switch {
			case s.talk.refuses(c.ID):
				text += " (refused)"
			case s.talk.never[c.ID]:
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
