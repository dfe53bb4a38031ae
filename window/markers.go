package window

import (
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// The texts that replace left-out content. Other programs match them exactly, so the handle that reads the content back is
// on a line of its own behind them: see kept. {N} is the number of characters removed.
const (
	markArgument = "[ELIDED — {N} chars, NOT the real value. Do not reuse this placeholder as content; re-read " +
		"the file or regenerate the value if you need it again.]"
	markResult = "[RESULT ELIDED — not the real output, do not reuse this as data. Re-run the tool if you " +
		"need this result again.]"
	markConsumed = "[...{N} chars elided — file was written or patched later this session; call read_file again " +
		"if current content is needed]"
	markFilter = "[...truncated — {N} chars omitted to reduce context size...]"
	markInTurn = "[TRUNCATED HERE — everything after this point was cut for context budget; this is not the " +
		"complete output. Re-run the tool if you need the rest.]"
	markLarge = "[...{N} characters of this message are left out here; the whole message is stored: " +
		"read_artifact(id=\"%s\", lines=\"1-200\") or grep=\"…\"...]"
	markBulk     = "...(argument truncated)"
	markWritten  = "[omitted — superseded by later write_file]"
	markRepeated = "[omitted — superseded by later identical call]"
	markAgain    = "[omitted — these lines are in the result of %s as well]"
	noteWritten  = "[superseded — later write_file for same path]"
	noteRepeated = "[superseded — repeated call with same arguments]"
	noteCleared  = "[cleared]"
	markWords    = "[text omitted]"
	markWindow   = "[result omitted — sliding window]"
	// What replaces an evicted result: its call, and its beginning.
	markEvicted     = "[tool result — evicted: %s." + previewMark + " Re-read with targeted ranges if needed.]"
	previewMark     = "{PREVIEW}"
	manifestHead    = "[Context Manifest]\n\nActive tool results (%d):"
	manifestGone    = "\n\nSuperseded (%d) — evicted from context. Re-read with targeted ranges if needed:"
	commandOK       = "succeeded"
	commandFailed   = "failed"
	commandFailedAs = "failed [EXIT %d]"
)

// artifactLine begins the line with a handle.
const artifactLine = "Artifact: "

// kept returns a marker with the handle that reads back what it replaces. Without a ledger there is none.
func kept(marker, handle string) string {
	if handle == "" {
		return marker
	}
	return marker + "\n" + artifactLine + handle
}

// keptNote is kept for the arguments of a call, which are an object.
func keptNote(note, handle string) string {
	if handle == "" {
		return `{"_note": ` + strconv.Quote(note) + `}`
	}
	return `{"_note": ` + strconv.Quote(note) + `, "artifact": ` + strconv.Quote(handle) + `}`
}

// cleared returns the text that replaces a cleared result.
func cleared(a *act, tokens int) string {
	again := "run the tool again"
	if h := a.handle(); h != "" {
		again = "re-read with read_artifact(id=" + strconv.Quote(h) + ") or run the tool again"
	}
	return "[cleared: " + a.label() + " — " + chars.Commas(a.result.Chars) + " chars, ~" + chars.Commas(tokens) +
		" tokens; " + again + "]"
}

// evicted returns the text that replaces an evicted result, followed by its handle.
func evicted(a *act) string {
	return kept(fmt.Sprintf(markEvicted, a.label()), a.handle())
}

// large returns the text between the head and the tail of a user's message.
func large(e *sessions.Entry) string { return fmt.Sprintf(markLarge, e.Handle()) }

// handle reads the result of a call back: its artifact, or the message that carries it.
func (a *act) handle() string {
	switch {
	case a.result == nil:
		return ""
	case a.result.Artifact != "":
		return a.result.Artifact
	}
	return a.answer.ResultHandle(a.ID)
}

// label names a call as markers do: read_file(src/a.go).
func (a *act) label() string {
	const most = 50
	whole := strings.Join(strings.Fields(a.Target), " ")
	target := chars.Head(whole, most)
	if target != whole {
		target += "…"
	}
	if target == "" {
		target = a.ID
	}
	return a.Name + "(" + target + ")"
}

// textTokens counts a text of ours.
func textTokens(s string) int { return tokens.O200kBase.CountString(s) }
