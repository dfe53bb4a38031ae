package artifacts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/filetext"
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
		return finish(a, text, "W"+terminalSays+" (overwritten text and colours are in the artifact):\n"+screen)
	}
	return finish(a, text, "Preview of w"+terminalSays+", by its lines ("+omits+"):\n"+
		preview(screen, 3, 12))
}

// RepeatStub returns the text that replaces a result of which a conversation has the same text already, as the result
// of an earlier call, or as lines of that. filed says that the host put it into a file there and shows the model its
// beginning: then the stub has a preview. ok is as with Stub.
func RepeatStub(a Artifact, text, earlier string, lines filetext.Lines, filed bool) (stub string, ok bool) {
	says := repeatedSays
	if lines != (filetext.Lines{}) {
		says = fmt.Sprintf(partSays, lines.From, lines.To)
	}
	says += oneLine(earlier) + " above in this conversation"
	if !filed {
		return finish(a, text, says+".")
	}
	return finish(a, text, says+", which the host put into a file.\nPreview ("+omits+"):\n"+preview(text, 3, 12))
}

// ReadMore begins the line of a stub that says how to read the original.
const ReadMore = "Read more: "

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
	fmt.Fprintf(&b, ReadMore+"read_artifact(id=%q, lines=\"1-200\") or grep=\"…\"\n", a.ID)
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
		`(?:2\t)?Tool: [^\n]*\n(?:3\t)?Artifact: ([0-9a-f]{12,64})\r?(\n|$)`) // some hosts number lines
	deepStub = pattern.Lazy(`^\s*Tool result too large, the result of this tool call \S+ was saved in the ` +
		`filesystem at this path: \S`)
)

// The causes for which a hook puts a stub in the place of a result. They are stored: append only.
const (
	CauseLarge    = "large"    // it is a large result
	CauseRepeated = "repeated" // the conversation has the same text already
	CauseTerminal = "terminal" // a terminal shows less of it
)

// StubOf returns the handle that a stub of ours names and why it stands there; ok is false if the text is none of ours.
func StubOf(text string) (id, cause string, ok bool) {
	m := ourStub().FindStringSubmatch(text[:min(len(text), stubHead)])
	switch {
	case m == nil:
		return "", "", false
	case strings.Contains(text, repeatedSays), partial().MatchString(text):
		cause = CauseRepeated
	case strings.Contains(text, terminalSays):
		cause = CauseTerminal
	default:
		cause = CauseLarge
	}
	return m[1], cause, true
}

// stubHead is enough of a text to recognise a stub, in bytes: both forms show themselves in their first lines.
const stubHead = 4 << 10

// What the stubs say that stand for the output of a command, and for a repeated text.
const (
	terminalSays = "hat a terminal shows in the end"
	repeatedSays = "It is the same text as the result of call "
	partSays     = "It is lines %d–%d of the result of call "
)

var partial = pattern.Lazy(`It is lines \d+–\d+ of the result of call `)

// IsStub reports whether a result's text is a stub already, ours or that of deepagents, and so
// must not be offloaded again.
func IsStub(text string) bool {
	head := text[:min(len(text), stubHead)]
	return ourStub().MatchString(head) || deepStub().MatchString(head)
}
