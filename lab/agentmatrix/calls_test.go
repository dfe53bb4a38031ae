package agentmatrix

import (
	"maps"
	"slices"

	model "ctxledger.dev/lab/scriptedmodel"
)

// call is one call of a tool, in the order of the conversation.
type call struct {
	what  string // what it tries, unique
	tool  string
	input map[string]any
	want  string // a regular expression for a part of the answer
	own   string // the same for hosts whose session is found, if that makes a difference
}

type in = map[string]any

// unrecorded is the truth for a chat whose session nobody can know.
const unrecorded = "this chat is not recorded"

// calls are made by every agent. {{session}} is a recorded session of another chat, {{artifact}} an artifact.
var calls = []call{
	{"this chat", "context_status", in{}, unrecorded, "this chat's window holds"},
	{"another session", "context_status", in{"session": "{{session}}"}, "its window holds", ""},
	{"no such session", "context_status", in{"session": "cafe"}, "not_found: ", ""},
	{"all changes", "changes", in{"limit": 3}, "newest first", ""},
	{"changes of a directory", "changes", in{"path": "report", "since": "2020-01-01"}, "report", ""},
	{"a path outside", "changes", in{"path": "/etc/passwd"}, "/etc/passwd is outside", ""},
	{"no time", "changes", in{"since": "yesterday"}, "invalid: ", ""},
	{"a fact", "memory", in{"action": "save", "name": "build", "type": "project", "description": "how to build",
		"body": "make build; the tests need make tools first"}, "saved", ""},
	{"a fact without a body", "memory", in{"action": "save", "name": "empty"}, "invalid: ", ""},
	{"recall", "memory", in{"action": "recall", "query": "how do I build this"}, "make build", ""},
	{"no such action", "memory", in{"action": "forget", "name": "build"}, "invalid|must be equal|forget", ""},
	{"lines", "read_artifact", in{"id": "{{artifact}}", "lines": "2-3"}, "line 2", ""},
	{"a quoted number", "read_artifact", in{"id": "{{artifact}}", "head": "2"}, "line 1|must be integer", ""},
	{"grep", "read_artifact", in{"id": "{{artifact}}", "grep": "line 7$"}, "line 7", ""},
	{"no such handle", "read_artifact", in{"id": "cafecafecafe"}, "not_found: ", ""},
	{"no handle", "read_artifact", in{}, "id", ""},
	{"plan", "compact_conversation", in{"session": "{{session}}", "dry_run": true}, "dry run: ", ""},
	{"a short conversation", "compact_conversation", in{"messages": []any{
		in{"role": "user", "content": "hello"}, in{"role": "assistant", "content": "hi"}}}, "nothing to do", ""},
	{"notes", "compact_conversation", in{"notes": "goal: the report; open: the tax"}, "handed off", "compacted"},
	{"no such mode", "compact_conversation", in{"mode": "fast"}, "invalid: ", ""},
}

// script makes the calls one after the other.
func script() model.Script {
	var out model.Script
	for _, c := range calls {
		out = append(out, model.Do("", model.Call{Tool: c.tool, Input: maps.Clone(c.input)}))
	}
	return append(slices.Clip(out), model.Say("Done."))
}
