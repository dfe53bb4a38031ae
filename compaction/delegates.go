package compaction

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/compaction/feedback"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

// delegates are the tools that have another agent work, by their plain names.
var delegates = map[string]bool{"task": true, "agent": true, "subagent": true, "delegate": true, "newtask": true,
	"spawnagent": true, "delegatetask": true, "dispatchagent": true}

// background is a call that has another agent work in the background: what that says comes later.
type background struct {
	call, task string // the host's ids
	tool, name string // that was called, and what for
	index      int    // of the item with the result that says so
	ended      bool
}

// taskNameChars bounds what is printed of the task of another agent.
const taskNameChars = 80

// taskOf returns what a call asks another agent to do, in a few words; "" if it does not say.
func taskOf(args json.RawMessage) string {
	var asked struct {
		Description string `json:"description"`
		Prompt      string `json:"prompt"`
	}
	if json.Unmarshal(args, &asked) != nil {
		return ""
	}
	if asked.Description == "" {
		asked.Description, _, _ = strings.Cut(strings.TrimSpace(asked.Prompt), "\n")
	}
	return layout.OneLine(asked.Description, taskNameChars)
}

// delegated takes the result of a call that has another agent work: its report, or that it works in the background.
func (l *listener) delegated(i int, call string, made madeCall, args json.RawMessage, result string) {
	it := &l.in.Items[i]
	name := taskOf(args)
	if t, ok := intents.LaunchedAgent(result); ok {
		l.background = append(l.background, &background{call: call, task: t.ID, tool: made.name, name: name, index: i})
		return
	}
	l.sayAs(origin{i, it.first(), speaker{it.Turn, delegate, name}}, feedback.Report(result))
}

// noticed takes what a host reports, in front of item i, of a call in the background. Hosts write it into several records.
func (l *listener) noticed(i int, st Steering, n intents.Notice) {
	if l.told[n] {
		return
	}
	l.told[n] = true
	text := n.Report
	if n.Failed() {
		text = strings.TrimSpace(n.Summary + "\n" + text)
	}
	name := ""
	if b := l.end(n); b != nil {
		name = b.name
		if text == "" {
			text = n.Summary
		}
	} else if n.Report == "" {
		return // of a command: the operations have its end
	}
	l.sayAs(origin{max(0, i-1), st.After, speaker{st.Turn, delegate, name}}, text)
}

// end returns the call in the background that a notice is about, which may have ended, or nil.
func (l *listener) end(n intents.Notice) *background {
	at := slices.IndexFunc(l.background, func(b *background) bool { return b.call == n.CallID || b.task == n.Task })
	if at < 0 {
		return nil
	}
	l.background[at].ended = l.background[at].ended || n.Ended()
	return l.background[at]
}
