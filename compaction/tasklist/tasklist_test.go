package tasklist

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// call makes a call that succeeded; its turn is its place in the case.
func call(name, args string, result ...string) Call {
	return Call{Name: name, Args: json.RawMessage(args), Result: strings.Join(result, "\n")}
}

// shown prints a list like this: [x] done · [~] doing · [ ] open · [-] dropped.
func shown(tasks []Task) string {
	var out []string
	for _, t := range tasks {
		out = append(out, fmt.Sprintf("[%c] %s", " ~x-"[t.State], t.Text))
	}
	return strings.Join(out, " · ")
}

const plan = `# Plan\n\n- [ ] parse\n  - [ ] dates\n1. [x] read\n\n` + "```" + `\n- [ ] in a fence\n` + "```" + `\n`

// TestList: to add a case, add a row: the calls in order, and the list that is left with its source and turn.
func TestList(t *testing.T) {
	for _, c := range []struct {
		name   string
		calls  []Call
		want   string
		source string
		turn   int
	}{
		{"Claude Code: a list anew", []Call{
			call("TodoWrite", `{"todos":[{"content":"a","status":"pending","activeForm":"A"}]}`),
			call("TodoWrite", `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]}`),
		}, "[x] a · [~] b", "TodoWrite", 2},
		{"Claude Code: single tasks", []Call{
			call("TaskCreate", `{"subject":"a","description":"long"}`, "Task #3 created successfully: a"),
			call("TaskCreate", `{"subject":"b"}`),
			call("TaskCreate", `{"subject":"c"}`),
			call("TaskUpdate", `{"taskId":"3","status":"completed"}`, "Updated task #3 status"),
			call("TaskUpdate", `{"taskId":4,"subject":"b, renamed","status":"in_progress"}`),
			call("TaskUpdate", `{"taskId":"5","status":"deleted"}`),
		}, "[x] a · [~] b, renamed · [-] c", "TaskCreate", 6},
		{"Claude Code: tasks of an earlier conversation", []Call{
			call("TaskUpdate", `{"taskId":"2","status":"completed"}`),
			call("TaskList", `{}`, "#2 [completed] b", "#3 [pending] c [blocked by #2]", "", "no task"),
		}, "[x] b · [ ] c", "TaskUpdate", 2},
		{"Claude Code: an update that changes nothing", []Call{
			call("TaskCreate", `{"subject":"a"}`), call("TaskUpdate", `{"taskId":"1","owner":"me"}`),
		}, "[ ] a", "TaskCreate", 1},
		{"Codex", []Call{call("update_plan", `{"explanation":"x","plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}`)},
			"[x] a · [~] b", "update_plan", 1},
		{"Gemini", []Call{call("write_todos", `{"todos":[{"description":"a","status":"cancelled"},{"description":"b","status":"pending"}]}`)},
			"[-] a · [ ] b", "write_todos", 1},
		{"opencode", []Call{call("todowrite", `{"todos":[{"id":"1","content":"a","status":"in_progress","priority":"high"}]}`)}, "[~] a", "todowrite", 1},
		{"Roo: a checklist", []Call{call("update_todo_list", `{"todos":"[x] a\n[-] b\n[ ] c"}`)}, "[x] a · [~] b · [ ] c", "update_todo_list", 1},
		{"Cline: a checklist with any call", []Call{call("read_file", `{"path":"a.go","task_progress":"- [x] a\n- [ ] b"}`)}, "[x] a · [ ] b", "task_progress", 1},
		{"Cursor: merged", []Call{
			call("todo_write", `{"merge":false,"todos":[{"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"pending"}]}`),
			call("todo_write", `{"merge":true,"todos":[{"id":"1","status":"completed"},{"id":"3","content":"c","status":"pending"}]}`),
		}, "[x] a · [ ] b · [ ] c", "todo_write", 2},
		{"merged by text", []Call{
			call("todo_write", `{"todos":[{"content":"a"},{"content":"b"}]}`), call("todo_write", `{"merge":true,"todos":[{"content":"a","status":"completed"}]}`),
		}, "[x] a · [ ] b", "todo_write", 2},
		{"an update of what is not known", []Call{call("TaskUpdate", `{"taskId":"2","status":"completed"}`)}, "", "", 0},
		{"VS Code", []Call{
			call("manage_todo_list", `{"operation":"write","todoList":[{"id":1,"title":"a","description":"long","status":"not-started"}]}`),
			call("manage_todo_list", `{"operation":"read"}`, "a"),
		}, "[ ] a", "manage_todo_list", 1},
		{"OpenHands", []Call{call("task_tracker", `{"command":"plan","task_list":[{"id":"1","title":"a","status":"done"}]}`)}, "[x] a", "task_tracker", 1},
		{"goose: Markdown", []Call{call("todo__todo_write", `{"content":"# Now\n- [x] a\n- [ ] b"}`)}, "[x] a · [ ] b", "todo__todo_write", 1},
		{"Droid: words for marks", []Call{call("TodoWrite", `{"todos":"1. [completed] a\n2. [in_progress] b\n3. [pending] c"}`)}, "[x] a · [~] b · [ ] c", "TodoWrite", 1},
		{"a list in a string", []Call{call("TodoWrite", `{"todos":"[{\"content\":\"a\",\"status\":\"completed\"}]"}`)}, "[x] a", "TodoWrite", 1},
		{"a server's tool", []Call{call("mcp__plan__todo_write", `{"todos":["a","b"]}`)}, "[ ] a · [ ] b", "mcp__plan__todo_write", 1},
		{"a written plan", []Call{call("Write", `{"file_path":"plan.md","content":"`+plan+`"}`)}, "[ ] parse · [ ] dates · [x] read", "plan.md", 1},
		{"an edited plan", []Call{
			call("Write", `{"file_path":"plan.md","content":"`+plan+`"}`),
			call("Edit", `{"file_path":"./plan.md","old_string":"[ ] parse","new_string":"[x] parse"}`),
			call("Edit", `{"file_path":"plan.md","old_string":"# Plan","new_string":"# The plan"}`),
		}, "[x] parse · [ ] dates · [x] read", "plan.md", 2},
		{"a plan that was read and then edited", []Call{
			call("Read", `{"file_path":"plan.md"}`, "     1→- [ ] a", "     2→- [ ] b"),
			call("MultiEdit", `{"file_path":"plan.md","edits":[{"old_string":"- [ ] b","new_string":"- [x] b"},{"old_string":"- [ ] a","new_string":"- [-] a"}]}`),
		}, "[~] a · [x] b", "plan.md", 2},
		{"a plan that was only read", []Call{call("Read", `{"file_path":"plan.md"}`, "- [ ] a", "- [ ] b")}, "", "", 0},
		{"every box ticked at once", []Call{
			call("write_file", `{"path":"plan.md","content":"- [ ] a\n- [ ] b"}`),
			call("replace", `{"file_path":"plan.md","old_string":"[ ]","new_string":"[x]","replace_all":true}`),
		}, "[x] a · [x] b", "plan.md", 2},
		{"Codex: a patch", []Call{
			call("apply_patch", `{"input":"*** Begin Patch\n*** Add File: docs/plan.md\n+# Plan\n+- [ ] a\n+- [ ] b\n*** End Patch"}`),
			call("apply_patch", `{"input":"*** Begin Patch\n*** Update File: docs/plan.md\n@@\n # Plan\n-- [ ] a\n+- [x] a\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch"}`),
		}, "[x] a · [ ] b", "docs/plan.md", 2},
		{"Cline: blocks", []Call{
			call("write_to_file", `{"path":"plan.md","content":"- [ ] a\n- [ ] b"}`),
			call("replace_in_file", `{"path":"plan.md","diff":"------- SEARCH\n- [ ] a\n=======\n- [x] a\n+++++++ REPLACE"}`),
		}, "[x] a · [ ] b", "plan.md", 2},
		{"Roo: blocks with line numbers", []Call{
			call("write_to_file", `{"path":"plan.md","content":"- [ ] a\n- [ ] b"}`),
			call("apply_diff", `{"path":"plan.md","diff":"<<<<<<< SEARCH\n:start_line:2\n-------\n- [ ] b\n=======\n- [x] b\n>>>>>>> REPLACE"}`),
		}, "[ ] a · [x] b", "plan.md", 2},
		{"a deleted plan", []Call{
			call("Write", `{"file_path":"plan.md","content":"- [ ] a\n- [ ] b"}`), call("delete_file", `{"path":"plan.md"}`),
		}, "", "", 0},
		{"one box is not a list", []Call{call("Write", `{"file_path":"plan.md","content":"- [ ] a"}`)}, "", "", 0},
		{"boxes in code", []Call{call("Write", `{"file_path":"a.go","content":"- [ ] a\n- [ ] b"}`)}, "", "", 0},
		{"links are no boxes", []Call{call("Write", `{"file_path":"a.md","content":"- [x](y) a\n- [ ](z) b\n- [docs] c"}`)}, "", "", 0},
		{"struck out", []Call{call("Write", `{"file_path":"a.md","content":"- [ ] ~~a~~\n* [X] b"}`)}, "[-] a · [x] b", "a.md", 1},
		{"the newest kind counts", []Call{
			call("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`),
			call("Write", `{"file_path":"plan.md","content":"- [ ] b\n- [ ] c"}`),
			call("TaskCreate", `{"subject":"d"}`),
		}, "[ ] d", "TaskCreate", 3},
		{"a list that was emptied", []Call{
			call("Write", `{"file_path":"plan.md","content":"- [ ] b\n- [ ] c"}`),
			call("TodoWrite", `{"todos":[{"content":"a","status":"pending"}]}`), call("TodoWrite", `{"todos":[]}`),
		}, "[ ] b · [ ] c", "plan.md", 1},
		{"a call that failed", []Call{{Name: "TodoWrite", Args: json.RawMessage(`{"todos":["a"]}`), Failed: true}}, "", "", 0},
		{"arguments of another shape", []Call{call("TodoWrite", `{"todos":7}`), call("update_plan", `nothing`), call("TaskUpdate", `{}`), call("Edit", `{"file_path":"a.md"}`)}, "", "", 0},
		{"an unknown state is open", []Call{call("TodoWrite", `{"todos":[{"content":"a\n  b","status":"strange"},{"content":" "}]}`)}, "[ ] a b", "TodoWrite", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l List
			for i, one := range c.calls {
				one.Turn = i + 1
				l.Add(one)
			}
			if got := shown(l.Tasks()); got != c.want || l.Source() != c.source || l.Turn() != c.turn {
				t.Errorf("%s (%s, turn %d)\nwant %s (%s, turn %d)", got, l.Source(), l.Turn(), c.want, c.source, c.turn)
			}
		})
	}
}

func TestLongListsLoseWhatIsFinished(t *testing.T) {
	var l List
	for i := range 2 * MaxTasks {
		l.Add(call("TaskCreate", fmt.Sprintf(`{"subject":"%d %s"}`, i, strings.Repeat("é", 2*MaxChars))))
		if i%2 == 0 {
			l.Add(call("TaskUpdate", fmt.Sprintf(`{"taskId":"%d","status":"completed"}`, i+1)))
		}
	}
	tasks := l.Tasks()
	if len(tasks) != MaxTasks {
		t.Fatalf("%d tasks", len(tasks))
	}
	for _, task := range tasks {
		if task.State != Open || utf8.RuneCountInString(task.Text) > MaxChars {
			t.Fatalf("%v", task)
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add("TodoWrite", `{"merge":true,"todos":[{"id":"1","content":"a"}]}`, "", "")
	f.Add("TaskList", `{}`, "#1 [pending] a\n#2 [completed] b", "- [ ] x")
	f.Add("Write", `{"file_path":"a.md","content":"- [ ] a\n- [x] b"}`, "", "- [x] a")
	f.Add("apply_patch", `{"input":"*** Update File: a.md\n-x\n+- [ ] a\n+- [ ] b"}`, "", "")
	f.Add("apply_diff", `{"path":"a.md","diff":"<<<<<<< SEARCH\nx\n=======\n- [ ] a\n- [ ] b\n>>>>>>> REPLACE"}`, "", "[ ]")
	f.Fuzz(func(t *testing.T, name, args, result, text string) {
		var l List
		quoted, _ := json.Marshal(text)
		for turn, c := range []Call{call(name, args, result), call("Edit", `{"path":"a.md","old_string":"[ ]","new_string":`+string(quoted)+`}`),
			call(name, args, result)} {
			c.Turn = turn + 1
			l.Add(c)
		}
		tasks := l.Tasks()
		if (len(tasks) > 0) != (l.Turn() > 0) || len(tasks) > MaxTasks {
			t.Fatalf("%d tasks of turn %d", len(tasks), l.Turn())
		}
		for _, task := range tasks {
			if task.Text == "" || strings.Contains(task.Text, "\n") || utf8.RuneCountInString(task.Text) > MaxChars || task.State > Dropped {
				t.Fatalf("%+v", task)
			}
		}
		// A call that is repeated states the same list.
		l.Add(call(name, args, result))
		if again := l.Tasks(); wholeTools[strings.ToLower(name)] && shown(again) != shown(tasks) {
			t.Fatalf("%s became %s", shown(tasks), shown(again))
		}
	})
}

// BenchmarkAdd is a session in which a plan of 200 items is ticked off between ordinary calls.
func BenchmarkAdd(b *testing.B) {
	var content strings.Builder
	for i := range 200 {
		fmt.Fprintf(&content, `- [ ] step %d: change the code and run the tests\n`, i)
	}
	code := call("Write", `{"file_path":"a.go","content":"`+strings.Repeat("x := 1\\n", 500)+`"}`)
	for b.Loop() {
		var l List
		l.Add(call("Write", `{"file_path":"plan.md","content":"`+content.String()+`"}`))
		for i := range 200 {
			for range 10 {
				l.Add(code)
			}
			l.Add(call("Edit", fmt.Sprintf(`{"file_path":"plan.md","old_string":"[ ] step %d:","new_string":"[x] step %d:"}`, i, i)))
		}
	}
}
