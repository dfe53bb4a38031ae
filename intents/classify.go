package intents

import (
	"encoding/json"
	"strings"
)

// The canonical operations.
const (
	OpWrite  = "write_file"
	OpPatch  = "patch_file"
	OpDelete = "delete_file"
	OpMove   = "move_file"
	OpCopy   = "copy_file"
	OpShell  = "shell_run"
	OpCommit = "git_commit"
	OpRead   = "read_file"
	OpGrep   = "grep_file"
	OpList   = "list_files"
)

// operations maps tool names, lower-case and without underscores, to canonical operations.
var operations = map[string]string{
	"write": OpWrite, "writefile": OpWrite, "createfile": OpWrite, "writetofile": OpWrite,
	"edit": OpPatch, "multiedit": OpPatch, "editfile": OpPatch, "patchfile": OpPatch,
	"notebookedit": OpPatch, "strreplace": OpPatch, "replace": OpPatch, "replaceinfile": OpPatch,
	"applypatch": OpPatch, "insert": OpPatch,
	"deletefile": OpDelete, "deletedirectory": OpDelete, "removefile": OpDelete,
	"movefile": OpMove, "renamefile": OpMove, "copyfile": OpCopy,
	"bash": OpShell, "shell": OpShell, "shellrun": OpShell, "shellrunscript": OpShell,
	"shellrunbackground": OpShell, "execcommand": OpShell, "runcommand": OpShell,
	"executecommand": OpShell, "runshellcommand": OpShell, "runterminalcmd": OpShell,
	"gitcommit": OpCommit,
	"read":      OpRead, "readfile": OpRead, "readmanyfiles": OpRead, "view": OpRead, "viewfile": OpRead,
	"grep": OpGrep, "grepfile": OpGrep, "searchfiles": OpGrep, "searchfilecontent": OpGrep,
	"glob": OpList, "ls": OpList, "listfiles": OpList, "listdirectory": OpList,
}

// The argument names under which hosts pass a thing, in order of preference.
var (
	pathArgs    = []string{"path", "file_path", "filePath", "filename", "notebook_path", "uri", "destination", "target", "target_file"}
	fromArgs    = []string{"source", "from", "old_path"}
	toArgs      = []string{"destination", "to", "new_path"}
	commandArgs = []string{"command", "cmd", "script"}
	queryArgs   = []string{"pattern", "query", "regex"}
)

// Meaning is what a tool call means to do.
type Meaning struct {
	Op      string // canonical operation; "" for a tool that is not known
	Target  string // path as given by the call, or the pattern of a search
	From    string // source of a move or copy
	Command string // of a shell run, or the message of a commit
}

// Tracked reports whether the call means to change or to run something.
func (m Meaning) Tracked() bool {
	switch m.Op {
	case OpWrite, OpPatch, OpDelete, OpMove, OpCopy, OpShell, OpCommit:
		return true
	}
	return false
}

// What returns the target or, for calls without one, the command.
func (m Meaning) What() string {
	if m.Target != "" {
		return m.Target
	}
	return m.Command
}

// Classify says what a call of the named tool with these arguments means. Names match exactly,
// without regard to case and underscores and behind an MCP server's prefix; a name that merely
// contains a known one does not match.
func Classify(name string, args json.RawMessage) Meaning {
	m := Meaning{Op: operations[plainName(name)]}
	if m.Op == "" {
		return m
	}
	var a map[string]json.RawMessage
	if json.Unmarshal(args, &a) != nil {
		return m
	}
	switch m.Op {
	case OpShell:
		m.Command = command(a)
	case OpCommit:
		m.Command = first(a, []string{"message"})
	case OpMove, OpCopy:
		m.From, m.Target = first(a, fromArgs), first(a, toArgs)
	case OpGrep, OpList:
		m.Target = first(a, queryArgs)
		if m.Target == "" {
			m.Target = first(a, pathArgs)
		}
	default:
		m.Target = first(a, pathArgs)
	}
	return m
}

// plainName strips an MCP prefix and everything that hosts spell differently.
func plainName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// first returns the first of the named arguments that is a non-empty string.
func first(a map[string]json.RawMessage, names []string) string {
	for _, n := range names {
		var s string
		if json.Unmarshal(a[n], &s) == nil && s != "" {
			return strings.TrimPrefix(s, "file://")
		}
	}
	return ""
}

// command returns a shell call's command line; some hosts pass a list of words.
func command(a map[string]json.RawMessage) string {
	if s := first(a, commandArgs); s != "" {
		return s
	}
	for _, n := range commandArgs {
		var words []string
		if json.Unmarshal(a[n], &words) == nil && len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}
