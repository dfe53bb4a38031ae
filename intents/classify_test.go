package intents

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestClassifyKnowsTheToolsOfHosts holds calls as the hosts make them.
func TestClassifyKnowsTheToolsOfHosts(t *testing.T) {
	for _, test := range []struct {
		name, args string
		want       Meaning
	}{
		// Claude Code
		{"Write", `{"file_path":"/w/a.go","content":"x"}`, Meaning{Op: OpWrite, Target: "/w/a.go"}},
		{"Edit", `{"file_path":"/w/a.go","old_string":"a","new_string":"b"}`, Meaning{Op: OpPatch, Target: "/w/a.go"}},
		{"MultiEdit", `{"file_path":"/w/a.go","edits":[]}`, Meaning{Op: OpPatch, Target: "/w/a.go"}},
		{"NotebookEdit", `{"notebook_path":"/w/n.ipynb"}`, Meaning{Op: OpPatch, Target: "/w/n.ipynb"}},
		{"Read", `{"file_path":"/w/a.go","offset":3}`, Meaning{Op: OpRead, Target: "/w/a.go", Partial: true}},
		{"Bash", `{"command":"go test ./...","description":"x"}`, Meaning{Op: OpShell, Command: "go test ./..."}},
		{"Grep", `{"pattern":"func","path":"/w"}`, Meaning{Op: OpGrep, Target: "func"}},
		{"Glob", `{"pattern":"**/*.go"}`, Meaning{Op: OpList, Target: "**/*.go"}},
		{"LS", `{"path":"/w"}`, Meaning{Op: OpList, Target: "/w"}},
		{"TodoWrite", `{"todos":[]}`, Meaning{}},
		{"Task", `{"prompt":"x"}`, Meaning{}},
		// Codex
		{"shell", `{"command":["bash","-lc","ls -l"],"workdir":"/w"}`, Meaning{Op: OpShell, Command: "bash -lc ls -l"}},
		{"exec_command", `{"cmd":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"apply_patch", `{"input":"*** Begin Patch"}`, Meaning{Op: OpPatch}},
		{"apply_patch", `"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch\n"`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"apply_patch", `{"input":"*** Begin Patch\r\n*** Add File: a.go\r\n+y\r\n*** End Patch"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a.go\n+y\n*** Update File: b.go\n"}`, Meaning{Op: OpPatch}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n"}`, Meaning{Op: OpPatch}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a.go\n"}`, Meaning{Op: OpPatch}},
		// Gemini, Qwen
		{"read_file", `{"absolute_path":"/w/a"}`, Meaning{Op: OpRead, Target: "/w/a"}},
		{"replace", `{"file_path":"/w/a"}`, Meaning{Op: OpPatch, Target: "/w/a"}},
		{"run_shell_command", `{"command":"make"}`, Meaning{Op: OpShell, Command: "make"}},
		{"search_file_content", `{"pattern":"x"}`, Meaning{Op: OpGrep, Target: "x"}},
		{"list_directory", `{"path":"/w"}`, Meaning{Op: OpList, Target: "/w"}},
		// Cursor, Windsurf, Cline, Roo
		{"edit_file", `{"target_file":"a.go","code_edit":"x"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"run_terminal_cmd", `{"command":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"grep_search", `{"query":"x"}`, Meaning{Op: OpGrep, Target: "x"}},
		{"view_file", `{"AbsolutePath":"/w/a"}`, Meaning{Op: OpRead, Target: "/w/a"}},
		{"run_command", `{"CommandLine":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"write_to_file", `{"path":"a.go"}`, Meaning{Op: OpWrite, Target: "a.go"}},
		{"replace_in_file", `{"path":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"execute_command", `{"command":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"apply_diff", `{"path":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		// opencode, Copilot, Zed, Continue, Vibe
		{"patch", `{"filePath":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"list", `{"path":"."}`, Meaning{Op: OpList, Target: "."}},
		{"replace_string_in_file", `{"filePath":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"insert_edit_into_file", `{"filePath":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		{"create_file", `{"filePath":"a.go"}`, Meaning{Op: OpWrite, Target: "a.go"}},
		{"run_in_terminal", `{"command":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"move_path", `{"source_path":"a","destination_path":"b"}`, Meaning{Op: OpMove, From: "a", Target: "b"}},
		{"delete_path", `{"path":"a"}`, Meaning{Op: OpDelete, Target: "a"}},
		{"terminal", `{"command":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"create_new_file", `{"filepath":"a.go"}`, Meaning{Op: OpWrite, Target: "a.go"}},
		{"search_replace", `{"file_path":"a.go"}`, Meaning{Op: OpPatch, Target: "a.go"}},
		// fuseraft and the filesystem server of MCP
		{"shell_run_script", `{"script":"ls"}`, Meaning{Op: OpShell, Command: "ls"}},
		{"git_commit", `{"message":"feat: x"}`, Meaning{Op: OpCommit, Command: "feat: x"}},
		{"delete_directory", `{"path":"a"}`, Meaning{Op: OpDelete, Target: "a"}},
		{"mcp__filesystem__move_file", `{"source":"a","destination":"b"}`, Meaning{Op: OpMove, From: "a", Target: "b"}},
		{"mcp__plugin_x_fs__read_text_file", `{"path":"a"}`, Meaning{Op: OpRead, Target: "a"}},
		{"copy_file", `{"source":"a","destination":"b"}`, Meaning{Op: OpCopy, From: "a", Target: "b"}},
		// Anthropic's text editor
		{"str_replace_based_edit_tool", `{"command":"view","path":"a"}`, Meaning{Op: OpRead, Target: "a"}},
		{"str_replace_based_edit_tool", `{"command":"create","path":"a"}`, Meaning{Op: OpWrite, Target: "a"}},
		{"str_replace_editor", `{"command":"str_replace","path":"a"}`, Meaning{Op: OpPatch, Target: "a"}},
		{"str_replace_editor", `{"command":"dance","path":"a"}`, Meaning{}},
		// Names that only contain a known one, and arguments that cannot be read
		{"fs_write_file_x", `{"path":"a"}`, Meaning{}},
		{"rewrite", `{"path":"a"}`, Meaning{}},
		{"", `{}`, Meaning{}},
		{"Write", `[]`, Meaning{Op: OpWrite}},
		{"Write", `{"file_path":7}`, Meaning{Op: OpWrite}},
		{"Write", ``, Meaning{Op: OpWrite}},
		{"Write", `{"uri":"file:///w/a.go"}`, Meaning{Op: OpWrite, Target: "/w/a.go"}},
		{"Write", `{"Path":"second","path":"first","PATH":""}`, Meaning{Op: OpWrite}},
		// of spellings the first in order counts
	} {
		if got := Classify(test.name, json.RawMessage(test.args)); got != test.want {
			t.Errorf("%s %s: %+v, want %+v", test.name, test.args, got, test.want)
		}
	}
}

func TestTrackedCallsAreThoseThatChangeOrRun(t *testing.T) {
	for op, want := range map[string]bool{
		OpWrite: true, OpPatch: true, OpDelete: true, OpMove: true, OpCopy: true, OpShell: true, OpCommit: true,
		OpRead: false, OpGrep: false, OpList: false, "": false,
	} {
		if got := (Meaning{Op: op}).Tracked(); got != want {
			t.Errorf("%q is tracked: %v", op, got)
		}
	}
}

func TestEveryKnownNameIsPlain(t *testing.T) {
	for name := range operations {
		if PlainName(name) != name {
			t.Errorf("%s can never match", name)
		}
	}
	for name := range editors {
		if PlainName(name) != name || operations[name] != "" {
			t.Errorf("%s can never match", name)
		}
	}
	for _, names := range [][]string{pathArgs, fromArgs, toArgs, commandArgs, queryArgs} {
		for _, n := range names {
			if n != strings.ToLower(strings.ReplaceAll(n, "_", "")) {
				t.Errorf("argument %s can never match", n)
			}
		}
	}
}

// FuzzClassifyIsOneFunctionOfItsInput: the same call means the same each time, and never panics.
func FuzzClassifyIsOneFunctionOfItsInput(f *testing.F) {
	f.Add("Write", `{"file_path":"a","Path":"b"}`)
	f.Add("mcp__x__Bash", `{"command":["a",1]}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		if a, b := Classify(name, json.RawMessage(args)), Classify(name, json.RawMessage(args)); a != b {
			t.Errorf("%+v and %+v", a, b)
		}
	})
}
