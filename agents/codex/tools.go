package codex

import (
	"encoding/json"
	"strconv"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/transcript"
)

// tool is a call of a tool that Codex has: with arguments, or with an input that is text.
type tool struct {
	name, arguments, input string
}

// The tools of Codex.
const (
	toolExec  = "exec_command"
	toolPatch = "apply_patch"
)

// toolOf returns a call as Codex would make it: shells and reads as commands, edits as patches. It reports false for one
// that is neither.
func toolOf(p transcript.Part) (tool, bool) {
	m := intents.Classify(p.Name, p.Args)
	var a struct {
		Old     *string `json:"old_string"`
		New     *string `json:"new_string"`
		Content *string `json:"content"`
		All     bool    `json:"replace_all"`
		Offset  int     `json:"offset"`
		Limit   int     `json:"limit"`
		Input   *string `json:"input"`
	}
	if json.Unmarshal(p.Args, &a) != nil {
		return tool{}, false
	}
	switch {
	case p.Name == toolPatch && a.Input != nil:
		return tool{name: toolPatch, input: *a.Input}, true
	case m.Op == intents.OpShell && m.Command != "":
		return exec(m.Command)
	case m.Op == intents.OpRead && m.Target != "" && !m.Partial:
		return exec("cat " + quoted(m.Target))
	case m.Op == intents.OpRead && m.Target != "" && a.Limit > 0:
		from := max(a.Offset, 1)
		return exec("sed -n " + strconv.Itoa(from) + "," + strconv.Itoa(from+a.Limit-1) + "p " + quoted(m.Target))
	case m.Op == intents.OpWrite && m.Target != "" && a.Content != nil:
		return patch("*** Add File: " + m.Target + "\n" + prefixed("+", *a.Content))
	case m.Op == intents.OpPatch && m.Target != "" && a.Old != nil && a.New != nil && !a.All:
		return patch("*** Update File: " + m.Target + "\n@@\n" + prefixed("-", *a.Old) + prefixed("+", *a.New))
	}
	return tool{}, false
}

// exec returns a call of a command.
func exec(command string) (tool, bool) {
	arguments, err := json.Marshal(map[string]string{"cmd": command})
	return tool{name: toolExec, arguments: string(arguments)}, err == nil
}

// patch returns a call with a patch.
func patch(body string) (tool, bool) {
	return tool{name: toolPatch, input: "*** Begin Patch\n" + body + "*** End Patch\n"}, true
}

// prefixed puts a sign before each line.
func prefixed(sign, text string) string {
	if text == "" {
		return ""
	}
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}

// quoted writes a path as one word of a shell.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
