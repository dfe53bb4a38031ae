package tasklist

import "strings"

// wholeTools state their whole list in each call, by their plain names: those of Claude Code, opencode, Cursor, Qwen Code,
// goose and Droid (todowrite), Gemini CLI and deepagents, Codex, Roo Code, Crush, VS Code, Cursor's plans, Copilot, Amp,
// OpenHands.
var wholeTools = map[string]bool{
	"todowrite": true, "writetodos": true, "updateplan": true, "updatetodolist": true, "todos": true,
	"managetodolist": true, "createplan": true, "updatetodo": true, "updatetodos": true, "todo": true,
	"tasktracker": true, "todolist": true, "settodos": true,
}

// The names under which hosts pass the list, and the parts of a task, in order of preference.
var (
	listKeys  = []string{"todos", "plan", "todoList", "todo_list", "task_list", "tasks", "steps", "items", "content"}
	textKeys  = []string{"content", "step", "subject", "title", "description", "task", "text", "name", "activeForm"}
	stateKeys = []string{"status", "state"}
	idKeys    = []string{"id", "taskId", "task_id"}
)

// states are the words and marks that stand for a state, lower-case and without what separates words.
var states = map[string]State{
	"": Open, "pending": Open, "todo": Open, "open": Open, "notstarted": Open, "blocked": Open, "queued": Open,
	"inprogress": Doing, "doing": Doing, "active": Doing, "started": Doing, "current": Doing, "running": Doing,
	"completed": Done, "complete": Done, "done": Done, "finished": Done, "closed": Done, "resolved": Done,
	"cancelled": Dropped, "canceled": Dropped, "deleted": Dropped, "dropped": Dropped, "skipped": Dropped,
	"removed": Dropped, "abandoned": Dropped, "wontdo": Dropped,
	"x": Done, "✓": Done, "✔": Done, "✅": Done, "-": Doing, "~": Doing, "/": Doing, ">": Doing,
}

var separators = strings.NewReplacer("_", "", " ", "", "'", "")

// stateOf returns the state that a word or mark stands for; false, and Open, for one that is not known.
func stateOf(s string) (State, bool) {
	if len(s) > 20 {
		return Open, false
	}
	plain := separators.Replace(strings.ToLower(strings.TrimSpace(s)))
	if len(plain) > 1 {
		plain = strings.ReplaceAll(plain, "-", "")
	}
	state, ok := states[plain]
	return state, ok
}
