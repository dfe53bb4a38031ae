package tasklist

import (
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// one takes a call of the tools of Claude Code that create, update and list single tasks.
func (l *List) one(c Call, name string) {
	one := l.get("task", c.Name)
	tasks := slices.Clone(one.tasks)
	given := jsonspan.As[jsonspan.Object](c.Args)
	switch name {
	case "taskcreate":
		if text := oneLine(first(given, textKeys[2:])); text != "" {
			tasks = put(tasks, task{id: createdID(c.Result, tasks), Task: Task{Text: text}})
		}
	case "taskupdate":
		tasks = updated(tasks, taskUpdate{
			id:    first(given, []string{"taskId", "task_id", "id"}),
			text:  oneLine(first(given, []string{"subject", "title"})),
			state: first(given, stateKeys),
		})
	case "tasklist":
		for line := range strings.Lines(c.Result[:min(len(c.Result), maxContent)]) {
			if u, ok := listedTask(strings.TrimSpace(line)); ok && len(tasks) < maxKept {
				tasks = updated(tasks, u)
			}
		}
	}
	l.set(one, c.Turn, tasks)
}

// taskUpdate is what is to change of a task; "" leaves a part as it is.
type taskUpdate struct{ id, text, state string }

// put appends a task, or replaces the one with its id.
func put(tasks []task, t task) []task {
	for i := range tasks {
		if tasks[i].id == t.id {
			tasks[i] = t
			return tasks
		}
	}
	return append(tasks, t)
}

// updated returns the tasks with one changed. A task that is not known has no text until a list tells it.
func updated(tasks []task, u taskUpdate) []task {
	if u.id == "" {
		return tasks
	}
	t := task{id: u.id}
	if i := slices.IndexFunc(tasks, func(t task) bool { return t.id == u.id }); i >= 0 {
		t = tasks[i]
	}
	if state, ok := stateOf(u.state); ok && u.state != "" {
		t.State = state
	}
	if u.text != "" {
		t.Text = u.text
	}
	return put(tasks, t)
}

// createdID returns the id in "Task #3 created successfully: …", or the next number.
func createdID(result string, tasks []task) string {
	if _, rest, ok := strings.Cut(result[:min(len(result), 100)], "#"); ok {
		if id := digits(rest); id != "" {
			return id
		}
	}
	highest := 0
	for _, t := range tasks {
		if n, err := strconv.Atoi(t.id); err == nil {
			highest = max(highest, n)
		}
	}
	return strconv.Itoa(highest + 1)
}

// listedTask reads "#6 [pending] Update the display [blocked by #5]".
func listedTask(line string) (taskUpdate, bool) {
	rest, ok := strings.CutPrefix(line, "#")
	id := digits(rest)
	if !ok || id == "" {
		return taskUpdate{}, false
	}
	rest, ok = strings.CutPrefix(rest[len(id):], " [")
	state, text, closed := strings.Cut(rest, "] ")
	if !ok || !closed {
		return taskUpdate{}, false
	}
	if i := strings.LastIndex(text, " [blocked by #"); i >= 0 {
		text = text[:i]
	}
	return taskUpdate{id: id, text: oneLine(text), state: state}, true
}

func digits(s string) string {
	n := 0
	for n < len(s) && n < 9 && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}
