package intents

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/shell"
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
	OpLook   = "look" // asks something else, and changes nothing
)

// operations maps tool names, lower-case and without underscores, to canonical operations. They are
// those of Claude Code, Codex, Gemini and Qwen, Cursor, Windsurf, Cline and Roo, opencode, Copilot,
// Zed, Continue, Vibe, fuseraft, deepagents and the filesystem server of MCP.
var operations = map[string]string{
	"write": OpWrite, "writefile": OpWrite, "createfile": OpWrite, "writetofile": OpWrite, "createnewfile": OpWrite,
	"edit": OpPatch, "multiedit": OpPatch, "editfile": OpPatch, "patchfile": OpPatch, "patch": OpPatch,
	"notebookedit": OpPatch, "strreplace": OpPatch, "replace": OpPatch, "replaceinfile": OpPatch,
	"searchreplace": OpPatch, "searchandreplace": OpPatch, "replacestringinfile": OpPatch,
	"replacefilecontent": OpPatch, "inserteditintofile": OpPatch, "insertcontent": OpPatch, "insert": OpPatch,
	"editexistingfile": OpPatch, "applypatch": OpPatch, "applydiff": OpPatch,
	"deletefile": OpDelete, "deletedirectory": OpDelete, "deletepath": OpDelete, "removefile": OpDelete,
	"delete":   OpDelete,
	"movefile": OpMove, "movepath": OpMove, "renamefile": OpMove, "copyfile": OpCopy, "copypath": OpCopy,
	"bash": OpShell, "shell": OpShell, "localshell": OpShell, "terminal": OpShell, "powershell": OpShell,
	"shellrun": OpShell, "shellrunscript": OpShell, "shellrunbackground": OpShell, "execcommand": OpShell,
	"runcommand": OpShell, "executecommand": OpShell, "execute": OpShell, "runshellcommand": OpShell,
	"runterminalcmd": OpShell, "runterminalcommand": OpShell, "runinterminal": OpShell,
	"gitcommit": OpCommit,
	"read":      OpRead, "readfile": OpRead, "readtextfile": OpRead, "readmanyfiles": OpRead, "view": OpRead,
	"viewfile": OpRead,
	"grep":     OpGrep, "grepfile": OpGrep, "grepsearch": OpGrep, "searchfiles": OpGrep, "searchfilecontent": OpGrep,
	"searchcontent": OpGrep,
	"glob":          OpList, "globfilesearch": OpList, "filesearch": OpList, "findpath": OpList, "ls": OpList,
	"list":    OpList,
	"listdir": OpList, "listfiles": OpList, "listdirectory": OpList,
	"getfilesummary": OpLook, "getfileinfo": OpLook, "sessioncontextread": OpLook, "changesreadlatest": OpLook,
	"gitstatus": OpLook, "gitdiff": OpLook,
}

// editors are tools that do several things: their argument "command" says which.
var editors = map[string]bool{"strreplacebasededittool": true, "strreplaceeditor": true}

// editorCommands maps the commands of editors to canonical operations.
var editorCommands = map[string]string{
	"view": OpRead, "create": OpWrite, "str_replace": OpPatch, "insert": OpPatch, "undo_edit": OpPatch,
}

// The argument names under which hosts pass a thing, in order of preference, lower-case and without
// underscores.
var (
	pathArgs = []string{"path", "filepath", "filename", "file", "notebookpath", "uri", "absolutepath", "relativepath",
		"destination", "target", "targetfile"}
	fromArgs    = []string{"source", "from", "oldpath", "sourcepath"}
	toArgs      = []string{"destination", "to", "newpath", "destinationpath"}
	commandArgs = []string{"command", "cmd", "script", "commandline"}
	rangeArgs   = []string{"offset", "limit", "lines", "range", "viewrange", "startline", "endline", "head", "tail",
		"pages"}
	queryArgs = []string{"pattern", "query", "regex", "globpattern"}
)

// Meaning is what a tool call means to do.
type Meaning struct {
	Op      string // canonical operation; "" for a tool that is not known
	Target  string // path as given by the call, or the pattern of a search
	From    string // source of a move or copy
	Command string // of a shell run, or the message of a commit
	Partial bool   // a read of a part of the file
	Prints  string // the file of which a shell run only prints lines: see shell.Printed
}

// Tracked reports whether the call means to change or to run something.
func (m Meaning) Tracked() bool {
	switch m.Op {
	case OpWrite, OpPatch, OpDelete, OpMove, OpCopy, OpShell, OpCommit:
		return true
	}
	return false
}

// partForm matches the value of an argument that names lines or pages.
var partForm = pattern.Lazy(`^["\[]?[\d:., -]{1,30}["\]]?$`)

// Part says which part of a file a read asks for, as its arguments do: "offset 168, limit 40"; "": they do not.
func Part(args json.RawMessage) string {
	a := readArgs(args)
	var said []string
	for _, n := range rangeArgs {
		if v := string(a[n]); partForm().MatchString(v) {
			said = append(said, n+" "+strings.Trim(v, `"`))
		}
	}
	return strings.Join(said, ", ")
}

// OfFile reports whether the target of a call of this operation is a file.
func OfFile(op string) bool {
	switch op {
	case OpRead, OpWrite, OpPatch, OpDelete, OpMove, OpCopy:
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
	m, _ := classify(name, args)
	return m
}

// classify is Classify, with the arguments where it read them.
func classify(name string, args json.RawMessage) (Meaning, arguments) {
	name = PlainName(name)
	m := Meaning{Op: operations[name]}
	if m.Op == "" && !editors[name] {
		return m, nil
	}
	a := readArgs(args)
	if editors[name] {
		m.Op = editorCommands[a.first([]string{"command"})]
	}
	switch m.Op {
	case "":
	case OpShell:
		m.Command = a.command()
		if file, _, ok := shell.Printed(m.Command); ok {
			m.Prints = paths.Abs(a.text("workdir"), file) // Codex names the directory
		}
	case OpCommit:
		m.Command = a.first([]string{"message"})
	case OpMove, OpCopy:
		m.From, m.Target = a.path(fromArgs), a.path(toArgs)
	case OpGrep, OpList:
		if m.Target = a.first(queryArgs); m.Target == "" {
			m.Target = a.path(pathArgs)
		}
	default:
		m.Target = a.path(pathArgs)
		m.Partial = m.Op == OpRead && a.any(rangeArgs)
		if m.Op == OpPatch && m.Target == "" {
			m.Target = patched(patchText(a, args))
		}
	}
	return m, a
}

// PlainName returns the name of a tool without an MCP server's prefix, in lower case and without underscores: what
// the
// tables of tools are keyed by.
func PlainName(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// arguments are those of a call, by their plain names.
type arguments map[string]json.RawMessage

// readArgs reads a JSON object; anything else has no arguments. Of names that differ only in
// spelling the first in order counts.
func readArgs(args json.RawMessage) arguments {
	given := make(map[string]json.RawMessage)
	w := jsonspan.New(args, maxNesting)
	for name, value := range w.Members {
		given[jsonspan.Unquote(name.In(args))] = value.In(args)
	}
	if w.End() != nil || len(given) == 0 {
		return nil
	}
	a := make(arguments, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		if _, taken := a[plain]; !taken {
			a[plain] = given[name]
		}
	}
	return a
}

// maxNesting is the depth up to which arguments are read.
const maxNesting = 512

// text returns an argument that is a string, "" if there is none.
func (a arguments) text(name string) string {
	if raw := a[name]; len(raw) > 2 && raw[0] == '"' {
		return jsonspan.Unquote(raw)
	}
	return ""
}

// first returns the first of the named arguments that is a non-empty string.
func (a arguments) first(names []string) string {
	for _, n := range names {
		if s := a.text(n); s != "" {
			return s
		}
	}
	return ""
}

// any reports whether one of the named arguments is given.
func (a arguments) any(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { v, given := a[n]; return given && string(v) != "null" })
}

// path returns the first of the named arguments that is a non-empty string, as a path.
func (a arguments) path(names []string) string { return strings.TrimPrefix(a.first(names), "file://") }

// command returns a shell call's command line; some hosts pass a list of words.
func (a arguments) command() string {
	if s := a.first(commandArgs); s != "" {
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
