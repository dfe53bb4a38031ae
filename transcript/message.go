package transcript

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// Format names a provider's wire form of a message. Formats are stored: append only.
type Format string

// The formats that Decode and Encode know.
const (
	Anthropic       Format = "anthropic"        // Anthropic Messages: {"role", "content"}
	OpenAIChat      Format = "openai_chat"      // OpenAI chat completions: {"role", "content", "tool_calls"}
	OpenAIResponses Format = "openai_responses" // input items of OpenAI's responses: {"type", …}
	Gemini          Format = "gemini"           // contents of Gemini: {"role", "parts"}
)

// Role says who speaks. A tool's results have RoleTool in every format, also where a provider
// sends them inside a user message. A role that is none of these is kept as it was received.
type Role string

// The roles of the neutral model.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Kind is what a part of a message is.
type Kind string

// The kinds of parts.
const (
	KindText      Kind = "text"
	KindReasoning Kind = "reasoning"
	KindCall      Kind = "call"
	KindResult    Kind = "result"
	KindImage     Kind = "image" // an image or a document
	// KindCompacted is a provider's own compaction of what came before: only it can read that.
	KindCompacted Kind = "compacted"
	KindOther     Kind = "other" // a block that this version does not know: kept, never read
)

// Message is one conversation message in the neutral model. Raw holds the bytes it was decoded
// from; as long as no part was replaced, Encode gives exactly those bytes back.
type Message struct {
	Role  Role
	Parts []Part
	Raw   json.RawMessage
}

// Part is one piece of a message.
type Part struct {
	Kind Kind
	// Text is what a model reads of the part: text, reasoning, or the text of a result (its text
	// blocks joined with a line feed).
	Text string
	// ID joins a call and its result.
	ID string
	// Name and Args are those of a call. Args is the JSON value received, normally an object. A result
	// has the name of its call where the format says it.
	Name string
	Args json.RawMessage
	// IsError marks a result that its tool reported as failed.
	IsError bool
	// Media counts images and other non-text content inside a result.
	Media int
	// Pixels are the sizes of its images, as far as their data says them.
	Pixels []Pixels
	// Sealed marks a call that the provider ran by itself, and its result: both are inside the assistant's
	// message, and a result must go back to the provider exactly as it came.
	Sealed bool
}

// Malformed reports whether the arguments of a call are no JSON object: the model broke off, or wrote them
// wrong. Tools that take a text have one.
func (p Part) Malformed() bool {
	if p.Kind != KindCall || len(p.Args) == 0 || p.Args[0] == 'n' { // null
		return false
	}
	if p.Args[0] == '"' {
		return strings.HasPrefix(strings.TrimSpace(jsonspan.Unquote(p.Args)), "{")
	}
	return p.Args[0] != '{'
}

// Span is a range of bytes [From, To) inside an original. The zero Span means "nothing".
type Span = jsonspan.Span

// emptyAt is the span of no bytes at a place.
func emptyAt(pos int) Span { return Span{From: pos, To: pos} }
