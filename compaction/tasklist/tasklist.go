// Package tasklist follows the task lists of a conversation, of whatever kind the agent keeps: a list that each call of
// a tool states anew, tasks that are created and updated one by one, a checklist that comes with other calls, and
// checklists in Markdown files.
//
// Feed a List the calls of the conversation in order, then ask it for Tasks: those of the list that changed last.
// The tools are tables in names.go. A call of another tool, and one that failed, changes nothing; arguments of another
// shape than expected are ignored. Memory is bounded, and so is the time per call by the size of its arguments and of
// the file that it edits.
package tasklist

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/jsonspan"
)

// A State says how far a task is.
type State int

// The states.
const (
	Open State = iota
	Doing
	Done
	Dropped // cancelled or deleted
)

// Task is one task: a line of at most MaxChars characters.
type Task struct {
	Text  string
	State State
}

// Call is a call of a tool with what came of it.
type Call struct {
	Turn   int // in which the call was made
	Name   string
	Args   json.RawMessage
	Result string // "" while there is none
	Failed bool   // it had no effect: it failed, or the user refused it
}

const (
	// MaxTasks is how many tasks are returned. Of longer lists, those that were finished first are left out.
	MaxTasks = 200
	// MaxChars bounds the text of a task.
	MaxChars = 300

	maxKept    = 1_000     // tasks kept of a list
	maxLists   = 64        // lists kept: the one that changed longest ago goes first
	maxContent = 128 << 10 // bytes of a file that is followed
	maxArgs    = 1 << 20   // bytes of arguments that are read
	fewest     = 2         // a file with fewer items has no task list
)

// List holds the task lists of one conversation. The zero List is empty and ready to use.
type List struct {
	lists map[string]*list
	clock int // counts changes
}

// list is one task list.
type list struct {
	source  string
	tasks   []task
	content string // of a file
	turn    int
	changed int // when, by the clock; 0: never, so that it is not shown
}

// task is a task with what its tool calls it.
type task struct {
	id string
	Task
}

// Add takes the next call.
func (l *List) Add(c Call) {
	if c.Failed || len(c.Args) > maxArgs {
		return
	}
	name := intents.PlainName(c.Name)
	switch {
	case wholeTools[name]:
		l.whole(c, name)
	case name == "taskcreate" || name == "taskupdate" || name == "tasklist":
		l.one(c, name)
	default:
		l.progress(c)
		l.file(c)
	}
}

// Keeps reports whether calls of a tool, as a rule, change a task list.
func Keeps(name string) bool {
	plain := intents.PlainName(name)
	return wholeTools[plain] || plain == "taskcreate" || plain == "taskupdate" || plain == "tasklist"
}

// Tasks returns the tasks of the list that changed last, in its order.
func (l *List) Tasks() []Task {
	newest := l.newest()
	if newest == nil {
		return nil
	}
	var out []Task
	for _, t := range newest.tasks {
		if named(t) {
			out = append(out, t.Task)
		}
	}
	surplus := len(out) - MaxTasks
	out = slices.DeleteFunc(out, func(t Task) bool {
		if surplus <= 0 || t.State < Done {
			return false
		}
		surplus--
		return true
	})
	return out[max(0, len(out)-MaxTasks):]
}

// Turn returns the turn in which the list of Tasks changed last; 0 if there is none.
func (l *List) Turn() int {
	if newest := l.newest(); newest != nil {
		return newest.turn
	}
	return 0
}

// Source says where the list of Tasks is kept: the name of a tool, or the path of a file as calls give it.
func (l *List) Source() string {
	if newest := l.newest(); newest != nil {
		return newest.source
	}
	return ""
}

func (l *List) newest() *list {
	var newest *list
	for _, one := range l.lists {
		if one.changed > 0 && slices.ContainsFunc(one.tasks, named) && (newest == nil || one.changed > newest.changed) {
			newest = one
		}
	}
	return newest
}

// named reports whether the text of a task is known.
func named(t task) bool { return t.Text != "" }

// get returns the list with a key, and makes it if need be.
func (l *List) get(key, source string) *list {
	if l.lists == nil {
		l.lists = make(map[string]*list)
	}
	if one := l.lists[key]; one != nil {
		return one
	}
	if len(l.lists) >= maxLists {
		oldest := ""
		for k, one := range l.lists {
			if o := l.lists[oldest]; o == nil || one.changed < o.changed || one.changed == o.changed && k < oldest {
				oldest = k
			}
		}
		delete(l.lists, oldest)
	}
	l.lists[key] = &list{source: source}
	return l.lists[key]
}

// set replaces the tasks of a list. A list that stays as it is has not changed.
func (l *List) set(one *list, turn int, tasks []task) {
	if len(tasks) > maxKept {
		tasks = tasks[len(tasks)-maxKept:]
	}
	if slices.Equal(one.tasks, tasks) {
		return
	}
	l.clock++
	one.tasks, one.turn, one.changed = tasks, turn, l.clock
}

// whole takes a call that states its list anew.
func (l *List) whole(c Call, name string) {
	given := jsonspan.As[jsonspan.Object](c.Args)
	tasks, ok := listed(given)
	if !ok {
		return
	}
	one := l.get(name, c.Name)
	if jsonspan.As[bool](given["merge"]) {
		tasks = merged(one.tasks, tasks)
	}
	l.set(one, c.Turn, slices.DeleteFunc(tasks, func(t task) bool { return !named(t) }))
}

// listed returns the tasks that the arguments of a call hold: an array, a string with one, or a checklist.
func listed(given map[string]json.RawMessage) ([]task, bool) {
	for _, key := range listKeys {
		raw := given[key]
		text := jsonspan.As[string](raw)
		if strings.HasPrefix(strings.TrimSpace(text), "[{") {
			raw, text = json.RawMessage(text), ""
		}
		if text != "" {
			if tasks := checklist(text, false); len(tasks) > 0 {
				return tasks, true
			}
			continue
		}
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil || items == nil {
			continue
		}
		var tasks []task
		for _, item := range items[max(0, len(items)-maxKept):] {
			tasks = append(tasks, taskOf(item))
		}
		return tasks, true
	}
	return nil, false
}

// taskOf reads one item of a list.
func taskOf(item json.RawMessage) task {
	o := jsonspan.As[jsonspan.Object](item)
	if o == nil {
		return task{Task: Task{Text: oneLine(jsonspan.As[string](item))}}
	}
	t := task{id: first(o, idKeys), Task: Task{Text: oneLine(first(o, textKeys)), State: Open}}
	t.State, _ = stateOf(first(o, stateKeys))
	if jsonspan.As[bool](o["completed"]) || jsonspan.As[bool](o["done"]) {
		t.State = Done
	}
	return t
}

// key is what tells a task from others: its id, or its text.
func (t task) key() string {
	if t.id != "" {
		return "#" + t.id
	}
	return t.Text
}

// merged returns a list with some tasks added or changed.
func merged(old, changes []task) []task {
	out := slices.Clone(old)
	at := make(map[string]int, len(out))
	for i, t := range out {
		at[t.key()] = i
	}
	for _, t := range changes {
		i, known := at[t.key()]
		if !known {
			at[t.key()] = len(out)
			out = append(out, t)
			continue
		}
		if t.Text == "" {
			t.Text = out[i].Text
		}
		out[i] = t
	}
	return out
}

// progress takes the checklist that Cline passes with calls of any tool.
func (l *List) progress(c Call) {
	const arg = "task_progress"
	if !strings.Contains(string(c.Args[:min(len(c.Args), maxArgs)]), arg) {
		return
	}
	if tasks := checklist(jsonspan.As[string](jsonspan.As[jsonspan.Object](c.Args)[arg]), false); len(tasks) > 0 {
		l.set(l.get(arg, arg), c.Turn, tasks)
	}
}

// oneLine returns the text of a task.
func oneLine(s string) string {
	return chars.Short(strings.Join(strings.Fields(chars.Strip(chars.First(s, 4*MaxChars))), " "), MaxChars)
}

// first returns the first of the named values that is a string with something in it, or a number.
func first(m map[string]json.RawMessage, keys []string) string {
	for _, key := range keys {
		if s := strings.TrimSpace(jsonspan.As[string](m[key])); s != "" {
			return s
		}
		var n json.Number
		if json.Unmarshal(m[key], &n) == nil && n != "" {
			return n.String()
		}
	}
	return ""
}
