package mcp

import "strings"

// steps are hints of the lower layers that name commands, as steps of an agent that has our tools and no shell.
var steps = map[string]string{
	"`ctxledger sessions SESSION` lists the summaries of a session": "context_status names the summary in effect",
	"`ctxledger sessions` lists them":                               "leave session out to ask about this chat",
	"name one of them; `ctxledger sessions` shows what they are":    "name one of them",
	"import one with `ctxledger import FILE`, or pass messages":     `pass the conversation as "messages"`,
	"name a project with --workspace, or use the scope user":        "use the scope user",
	// Of a summary's range that is too large to be read at once.
	"`ctxledger artifact read HANDLE` streams it": "read its messages one by one, by the ids that the summary names",

	"a memory is forgotten by its name: ctxledger forget --memory NAME": "the tool memory deletes a fact, by its name",
}

// stepFor returns what an agent can do about an error with this hint. What only a shell can do is for the user.
func stepFor(hint string) string {
	if step, ok := steps[hint]; ok {
		return step
	}
	if ofShell(hint) {
		return "tell the user: " + hint
	}
	return hint
}

// ofShell reports whether a hint names a command or a flag.
func ofShell(hint string) bool {
	return strings.Contains(hint, "ctxledger ") || strings.Contains(hint, " --")
}
