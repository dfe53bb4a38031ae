package transcript

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// op is the operation that this package's errors carry.
const op = "transcript"

// codec is what a format has to be able to do. A new format is one value of it and one line below.
type codec struct {
	format     Format
	decode     func(raw []byte) (Message, error)
	result     func(p Part) []byte // written as a block or a message of its own; nil: it has no wire form
	empty      string              // a message that results can be added to; "": each is a message of its own
	edit       func(raw []byte, e Edits) ([]byte, error)
	newMessage func(role Role, text string) []byte
	// merge joins the records of one message. It is nil where nothing is joined: the list has a message
	// of its own for each record, and so for each result.
	merge func(raws [][]byte) ([]byte, error)
	// arrange puts the parts of one message in the order that the provider wants. It is nil where any order does.
	arrange func(raw []byte) ([]byte, error)
	// itemised: what a model answers with is several messages of the list, one behind the other.
	itemised bool
	// alternates: a message that makes calls never directly follows another answer.
	alternates bool
	// derives: calls may have no ids, and get derived ones.
	derives bool
	// roles are those that the provider takes, and valid checks its order of messages that have them.
	roles []Role
	valid func(ms []Message) error
	// textType is the type of the one part that a content which is a string stands for, in a message of this role ("" in
	// a part); nil: no content is a string.
	textType func(role string) string
	// fits reports whether nothing in a message speaks against the format, at a glance.
	fits func(n node) bool
}

// codecs is the one table of formats.
var codecs = []codec{anthropicCodec, chatCodec, responsesCodec, geminiCodec}

// codecOf is the one place that distinguishes formats.
func codecOf(f Format) (codec, error) {
	for _, c := range codecs {
		if c.format == f {
			return c, nil
		}
	}
	return codec{}, fault.New(fault.Invalid, op, "unknown message format %.1000q", f).
		WithHint("the known formats are %s", FormatNames())
}

// Formats returns the formats that are known, in the order in which they are named.
func Formats() []Format {
	out := make([]Format, len(codecs))
	for i, c := range codecs {
		out[i] = c.format
	}
	return out
}

// FormatNames names the formats that are known, for a reader.
func FormatNames() string { return names(Formats()) }

// Joins reports whether the records of one message become one message of the provider. Where they do not,
// each result is a message of its own. A format that is not known is taken to join.
func Joins(f Format) bool {
	c, err := codecOf(f)
	return err != nil || c.merge != nil
}

// Itemised reports whether an answer of the model is several messages of the list, so that neighbours of
// the assistant belong together.
func Itemised(f Format) bool {
	c, err := codecOf(f)
	return err == nil && c.itemised
}

// Alternates reports whether a message that makes calls may not directly follow another answer.
func Alternates(f Format) bool {
	c, err := codecOf(f)
	return err == nil && c.alternates
}

// Derives reports whether calls of a format may have no ids, so that Decode gives them those that Derived
// takes apart. Elsewhere such an id is one like any other.
func Derives(f Format) bool {
	c, err := codecOf(f)
	return err == nil && c.derives
}

// Takes reports whether messages of a format may have a role. The system prompt is a message in some formats, and
// separate from the messages in others.
func Takes(f Format, r Role) bool {
	c, err := codecOf(f)
	return err == nil && slices.Contains(c.roles, r)
}

// names writes formats as a list in words.
func names(formats []Format) string {
	words := make([]string, len(formats))
	for i, f := range formats {
		words[i] = string(f)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Decode reads one message. The error is invalid, naming the byte, for what is not a message of the
// format, and too_large beyond MaxMessage and 100,000 parts. Blocks and roles that are not known are kept.
func Decode(f Format, raw []byte) (Message, error) {
	c, err := codecOf(f)
	if err != nil {
		return Message{}, err
	}
	if err := checkSize(raw); err != nil {
		return Message{}, err
	}
	return c.decode(raw)
}

// Edits describe what of a message is shown differently. The zero value changes nothing.
type Edits struct {
	// Results maps call ids to texts that replace the texts of their results. Images inside the result stay. A
	// sealed result stays as it is: its provider would refuse it.
	Results map[string]string
	// DropCalls names the calls that are left out.
	DropCalls map[string]bool
	// KeepResults says how many results of a call stay, the first ones: 0 drops them all, 1 drops
	// duplicates. Calls that are not named keep theirs.
	KeepResults map[string]int
	// AddResults are put behind the message's own results.
	AddResults []Part
	// TextOnly leaves nothing but texts that say something: no calls, results, reasoning or images.
	TextOnly bool
	// IDs are those by which the edits name the message's calls and results, as for Identify. nil: the ids
	// that the message itself gives them. They matter where it gives none.
	IDs []string
	// Shorten, if set, is asked for each part whose text may be shown differently: text, a result, and
	// a call, for which it returns other arguments, a JSON object. Sealed and signed parts stay as they
	// are, since their provider would refuse them. It comes after Results, which take precedence.
	Shorten func(p Part) (text string, changed bool)
}

// Empty reports whether the edits change nothing.
func (e Edits) Empty() bool {
	return len(e.Results)+len(e.DropCalls)+len(e.KeepResults)+len(e.AddResults) == 0 && !e.TextOnly && e.Shorten == nil
}

// Edit rewrites one message by splicing: bytes outside the edited pieces stay as they are. A replaced
// result keeps its other fields. The result is nil, without an error, when the edits leave nothing
// that could be sent (no block, or reasoning alone): leave the message out then.
// The error is invalid as for Decode, and not_found when a result to replace is not in the message.
func Edit(f Format, raw []byte, e Edits) ([]byte, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	if err := checkSize(raw); err != nil {
		return nil, err
	}
	if e.Empty() {
		return raw, nil
	}
	return c.edit(raw, e)
}

// Merge joins the records of one message: the blocks of all in order, tool results first, and the
// other fields of the first record. One record is returned as it is. Invalid: no record, records of
// different roles, one that is not a message, or several of a format that joins none (see Render).
func Merge(f Format, raws [][]byte) ([]byte, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	if len(raws) == 0 {
		return nil, fault.New(fault.Invalid, op, "no record to merge")
	}
	for _, raw := range raws {
		if err := checkSize(raw); err != nil {
			return nil, err
		}
	}
	if len(raws) == 1 {
		return raws[0], nil
	}
	if c.merge == nil {
		return nil, fault.New(fault.Invalid, op, "in %s each record is a message of its own: they are not merged", f)
	}
	return c.merge(raws)
}

// NewMessage builds a message that consists of text. It is nil for an unknown format.
func NewMessage(f Format, role Role, text string) []byte {
	c, err := codecOf(f)
	if err != nil {
		return nil
	}
	return c.newMessage(role, text)
}

// Valid checks a growing history against the provider's order: known roles only, no empty message, no reasoning
// that nothing follows, every call answered once, where the provider wants the results, and no result without its
// call. Calls in flight at the very end are valid. The error is invalid and names the message by its index, from
// 0.
func Valid(f Format, messages [][]byte) error {
	c, err := codecOf(f)
	if err != nil {
		return err
	}
	ms := make([]Message, len(messages))
	for i, raw := range messages {
		if ms[i], err = Decode(f, raw); err != nil {
			return fault.New(fault.CodeOf(err), op, "message %d: %v", i, err)
		}
		if !slices.Contains(c.roles, ms[i].Role) {
			return fault.New(fault.Invalid, op, "message %d has the role %.1000q, which messages of %s do not have", i,
				ms[i].Role, f)
		}
		if Blank(ms[i]) {
			return fault.New(fault.Invalid, op, "message %d is empty", i)
		}
		if i > 0 && OnlyReasoning(ms[i-1]) && ms[i].Role != RoleAssistant {
			return fault.New(fault.Invalid, op, "message %d is reasoning that nothing follows", i-1)
		}
	}
	return c.valid(ms)
}

// Sendable checks a request as it is sent: what Valid asks of its history, and that it is the model's turn to
// speak. No call waits for its result, and the last message is not the model's own: Gemini's list "must not
// end with a model turn", and newer models of others take no words that are to be gone on with.
// Errors are those of Valid.
func Sendable(f Format, messages [][]byte) error {
	next := NewMessage(f, RoleUser, "…") // behind which no call may wait
	if err := Valid(f, append(slices.Clip(messages), next)); err != nil || len(messages) == 0 {
		return err
	}
	last := len(messages) - 1
	m, err := Decode(f, messages[last])
	if err == nil && m.Role == RoleAssistant {
		err = fault.New(fault.Invalid, op, "message %d, the last one, is the model's own", last)
	}
	return err
}

// Blank reports whether a message says nothing, so that no provider takes it: it has no parts, or texts
// without a word alone.
func Blank(m Message) bool {
	return !slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind != KindText || p.Text != "" })
}

// Split returns the messages of a JSON array, each with its exact bytes: of the array itself, or of a
// request that has it as "messages", "input" or "contents". Format "" is one that Recognise is to find.
// They are not decoded; an element that is not an object is invalid.
func Split(f Format, array []byte) ([][]byte, error) {
	if f != "" {
		if _, err := codecOf(f); err != nil {
			return nil, err
		}
	}
	return split(array)
}
