package window

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Edit is one decision to show less of a part of the conversation. Once recorded, it applies to every later view:
// what a provider was sent stays as it was sent.
type Edit struct {
	Pass string `json:"pass"` // that decided it
	Seq  int64  `json:"seq"`  // the entry that holds the part
	Call string `json:"call,omitempty"`
	Part Part   `json:"part"`
	To   int64  `json:"to,omitempty"` // of PartRange: the last entry
	// Text replaces the part or, in a cut, what is between its head and its tail. {N} in it is the number of
	// characters removed.
	Text  string `json:"text"`
	Head  int    `json:"head,omitempty"`  // characters that stay in front
	Tail  int    `json:"tail,omitempty"`  // and at the end
	Over  int    `json:"over,omitempty"`  // each string of the arguments, and each text, of more characters is cut
	Quote int    `json:"quote,omitempty"` // characters of the part that Text quotes, on one line, at {PREVIEW}
	// Tokens is the o200k_base size of what is shown; an estimate until Measure has seen the text.
	Tokens int `json:"tokens"`
	// Before is the size of what the edit replaces.
	Before int `json:"before"`
}

// Part is the part of an entry that an edit changes. Parts are stored: append only.
type Part string

// The parts.
const (
	PartResult    Part = "result"    // the text of the result of Call
	PartArguments Part = "arguments" // the arguments of Call
	PartWords     Part = "words"     // the texts of the message itself
	PartRange     Part = "range"     // one note of the user's role replaces them
	PartManifest  Part = "manifest"  // a message of the user's role follows its message
)

// OfMessage reports whether an edit changes a part of a message, whose size Measure finds.
func (p Part) OfMessage() bool { return p != PartRange && p != PartManifest }

// freed is the number of tokens that the edit takes out of the view.
func (e Edit) freed() int { return e.Before - e.Tokens }

// Whole returns the tokens of the edited part of an entry, as it was received.
func (e Edit) Whole(of *sessions.Entry) int {
	switch e.Part {
	case PartWords:
		return wordTokens(of)
	case PartArguments:
		for _, c := range of.Calls {
			if c.ID == e.Call {
				return c.Tokens
			}
		}
	case PartResult:
		for _, r := range of.Results {
			if r.CallID == e.Call {
				return r.Tokens
			}
		}
	}
	return 0
}

// Apply returns what is shown of a part of the edited entry, and whether the edit changes it.
func (e Edit) Apply(p transcript.Part) (string, bool) {
	switch {
	case !e.about(p), e.Part == PartWords && strings.HasPrefix(p.Text, summaryHead):
		return "", false
	case p.Kind == transcript.KindCall:
		return e.arguments(p.Args)
	}
	return e.cut(p.Text, max(e.Over, e.Head+e.Tail))
}

// summaryHead begins the text of a compaction, of this program and of others: it is never cut.
const summaryHead = "[CONVERSATION SUMMARY"

// cut shortens a text of more than limit characters, if that makes it shorter.
func (e Edit) cut(text string, limit int) (string, bool) {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return "", false
	}
	head, tail := chars.Head(text, e.Head), chars.Tail(text, e.Tail)
	gone := n - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	out := strings.ReplaceAll(e.Text, "{N}", chars.Commas(gone))
	if e.Quote > 0 {
		out = quoted(out, text, e.Quote)
	}
	switch {
	case e.Head > 0 && e.Tail > 0:
		out = head + "\n" + out + "\n" + tail
	case e.Head > 0 && e.Over > 0:
		out = head + out
	case e.Head > 0:
		out = head + "\n" + out
	}
	return out, len(out) < len(text)
}

// quoted inserts the beginning of a text into a marker, on one line, so that nothing in it looks like a line of
// its own. A text of white space has no preview.
func quoted(marker, text string, n int) string {
	at := strings.LastIndex(marker, previewMark)
	if at < 0 {
		return marker
	}
	preview := ""
	if head := chars.Head(text, n); strings.TrimSpace(head) != "" {
		preview = strings.Join(strings.Fields(head), " ")
		if len(head) < len(text) {
			preview += "…"
		}
		preview = ` Preview: "` + preview + `".`
	}
	return marker[:at] + preview + marker[at+len(previewMark):]
}

// arguments shortens those of a call: as a whole, or each string that is too long.
func (e Edit) arguments(args json.RawMessage) (string, bool) {
	if e.Over == 0 {
		return e.Text, len(e.Text) < len(args)
	}
	out, err := transcript.MapStrings(args, func(s string) (string, bool) { return e.cut(s, e.Over) })
	if err != nil || len(out) >= len(args) {
		return "", false // arguments that are no JSON stay as they are
	}
	return string(out), true
}
