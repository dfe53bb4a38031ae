package transcript

import (
	"slices"
	"strings"
)

// ours are the beginnings of the message before our record of a session that was continued, see agents/resume: today's, and
// that of earlier versions.
var ours = [...]string{
	"This session continues an earlier one; ctxledger wrote the record of it below.",
	"This session continues an earlier one, of which ctxledger wrote the record below.",
}

// earlier are the beginnings of the messages that replace what a host compacted, by host. Their role is the
// user's, but no user wrote them.
var earlier = []struct{ by, begins string }{
	{"deepagents", "You are in the middle of a conversation that has been summarized."},
	{"langchain", "Here is a summary of the conversation to date:"},
	{"claude code", "This session is being continued from a previous conversation that ran out of context."},
	{"codex", "Another language model started to solve this problem"},
	{"pi", "The conversation history before this point was compacted into the following summary:"},
	{"fuseraft", "[CONVERSATION SUMMARY — covers turns "},
	{"fuseraft", "[INTENT-DERIVED RECONSTRUCTION — covers turns "},
	{"fuseraft", "[CONTEXT RECONSTRUCTION — derived from durable evidence"},
	{"fuseraft", "[COMPACTION FAILED — covers turns "},
	{"fuseraft", "[COMPACTION WARNING: "},
	{"fuseraft", "[Compacted context from previous session]"},
	{"ctxledger", "[USER MESSAGES — verbatim]\n"},
	{"ctxledger", "[STATE OF THIS CONVERSATION — "},
	{"ctxledger", ours[0]},
	{"ctxledger", ours[1]},
}

// Earlier reports whether a message is a summary that a host put in the place of earlier messages.
func Earlier(m Message) bool {
	if m.Role != RoleUser {
		return false
	}
	first := slices.IndexFunc(m.Parts, func(p Part) bool {
		return p.Kind == KindText && strings.TrimSpace(p.Text) != ""
	})
	if first < 0 {
		return false
	}
	return EarlierBy(m.Parts[first].Text) != ""
}

// EarlierBy returns which host put a text in the place of earlier messages, as in "claude code"; "": none did.
func EarlierBy(text string) (by string) {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, e := range earlier {
		if strings.HasPrefix(text, e.begins) {
			return e.by
		}
	}
	return ""
}

// Cleared is what Claude Code and opencode put in the place of an old result.
const Cleared = "[Old tool result content cleared]"

// Masked begins what Gemini CLI puts in the place of an old result: a preview, and the path of a file with all of it.
const Masked = "<tool_output_masked>"

// between are the tags around the words of some of those summaries; the text before them is the host's advice to
// its model.
const opened, closed = "<summary>", "</summary>"

// recordOpened and recordClosed are the fence around our record of a session that was continued in a new one, see
// agents/resume. Nothing inside it can close it.
const recordOpened, recordClosed = "<ctxledger_record>", "</ctxledger_record>"

// thoughtFirst parts the summary from the model's preparation for it, which Claude Code leaves in without the tags.
const thoughtFirst = "\n\nSummary:\n"

// orders is where Claude Code's advice to its model begins, behind the summary.
const orders = "\n\nIf you need specific details from before "

// EarlierText returns the words of a summary without what its host puts around them.
func EarlierText(text string) string {
	if strings.HasPrefix(text, ours[0]) || strings.HasPrefix(text, ours[1]) {
		_, text, _ = strings.Cut(text, recordOpened)
		text, _, _ = strings.Cut(text, recordClosed)
		return strings.TrimSpace(text)
	}
	if _, inner, found := strings.Cut(text, opened); found {
		if inner, _, found = strings.Cut(inner, closed); found {
			return strings.TrimSpace(inner)
		}
	}
	text = strings.TrimLeft(text, " \t\r\n")
	for _, e := range earlier {
		if words, found := strings.CutPrefix(text, e.begins); found && !strings.HasPrefix(e.begins, "[") {
			if _, summary, thought := strings.Cut(words, thoughtFirst); thought {
				words = summary
			}
			words, _, _ = strings.Cut(words, orders)
			return strings.TrimSpace(words)
		}
	}
	return strings.TrimSpace(text)
}
