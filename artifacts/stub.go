package artifacts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// Stub returns the text that replaces a result in a conversation: what it was, its handle, how to read more of it,
// and a preview of text, which is the whole original. The preview of an error and of a command's output shows more
// of the end, where the cause is. ok is false if the stub would not be smaller than the text, in characters and in
// bytes: then the text must stay.
func Stub(a Artifact, text string, isError bool) (stub string, ok bool) {
	lines := preview(text, 5, 5)
	if isError || isCommand(a.Hint) {
		lines = preview(text, 3, 12)
	}
	return finish(a, text, "Preview ("+omits+"):\n"+lines)
}

// omits explains a preview.
const omits = "head and tail; `... [N lines truncated] ...` marks omitted lines"

// ScreenStub is Stub for the output of a command, of which screen is what a terminal shows in the end:
// that is shown whole, or else as a preview with its own line numbers.
func ScreenStub(a Artifact, text, screen string, whole bool) (stub string, ok bool) {
	if whole {
		return finish(a, text, "What a terminal shows in the end (what it wrote over, and colours, are in the "+
			"artifact):\n"+screen)
	}
	return finish(a, text, "Preview of what a terminal shows in the end, by its lines ("+omits+"):\n"+
		preview(screen, 3, 12))
}

// RepeatStub returns the text that replaces a result of which a conversation has the same text already, as the result
// of an earlier call. ok is as with Stub.
func RepeatStub(a Artifact, text, earlier string) (stub string, ok bool) {
	return finish(a, text, "It is the same text as the result of call "+oneLine(earlier)+" above in this conversation.")
}

// finish puts what an artifact is and how to read it in front of what is shown of its text.
func finish(a Artifact, text, shown string) (stub string, ok bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "[result offloaded — %s chars stored to artifact store]\n", chars.Commas(a.Chars))
	tool := oneLine(a.Tool)
	if tool == "" {
		tool = "unknown"
	}
	b.WriteString("Tool: " + tool)
	if hint := oneLine(a.Hint); hint != "" {
		b.WriteString(" | " + hint)
	}
	fmt.Fprintf(&b, "\nArtifact: %s\n", a.ID)
	fmt.Fprintf(&b, "Lines: %s | Bytes: %s\n", chars.Commas(a.Lines), chars.Commas(a.Bytes))
	fmt.Fprintf(&b, "Read more: read_artifact(id=%q, lines=\"1-200\") or grep=\"…\"\n", a.ID)
	b.WriteString(shown)
	stub = b.String()
	return stub, len(stub) < len(text) && utf8.RuneCountInString(stub) < utf8.RuneCountInString(text)
}

// Unnamed returns a stub of ours without what it says of the call.
func Unnamed(stub string) string {
	first, rest, _ := strings.Cut(stub, "\n")
	if call, shown, ok := strings.Cut(rest, "\n"); ok && strings.HasPrefix(call, "Tool: ") {
		return first + "\nTool: unknown\n" + shown
	}
	return stub
}

// The two kinds of stubs that are recognised: our own, and the one of deepagents.
var (
	ourStub = pattern.Lazy(`^\s*(?:1\t)?\[result offloaded — [\d,]+ chars stored to artifact store\]\r?\n` +
		`(?:2\t)?Tool: [^\n]*\n(?:3\t)?Artifact: [0-9a-f]{12,64}\r?(\n|$)`) // some hosts number lines
	deepStub = pattern.Lazy(`^\s*Tool result too large, the result of this tool call \S+ was saved in the ` +
		`filesystem at this path: \S`)
)

// IsStub reports whether a result's text is a stub already, ours or that of deepagents, and so
// must not be offloaded again.
func IsStub(text string) bool {
	const enough = 4 << 10 // both forms show themselves in their first lines
	head := text[:min(len(text), enough)]
	return ourStub().MatchString(head) || deepStub().MatchString(head)
}
