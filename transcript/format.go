package transcript

import (
	"ctxledger.dev/internal/fault"
)

// op is the operation that this package's errors carry.
const op = "transcript"

// codec is what a format has to be able to do. A new format is one value of it and one case below.
type codec struct {
	decode     func(raw []byte) (Message, error)
	build      func(m Message) ([]byte, error)
	edit       func(raw []byte, e Edits) ([]byte, error)
	merge      func(raws [][]byte) ([]byte, error)
	newMessage func(role Role, text string) []byte
	valid      func(ms []Message) error
}

// codecOf is the one place that tells formats apart.
func codecOf(f Format) (codec, error) {
	switch f {
	case Anthropic:
		return codec{
			decode:     decodeAnthropic,
			build:      buildAnthropic,
			edit:       editAnthropic,
			merge:      mergeAnthropic,
			newMessage: newAnthropic,
			valid:      validAnthropic,
		}, nil
	}
	return codec{}, fault.New(fault.Invalid, op, "unknown message format %q", f).
		WithHint("the known format is %q", Anthropic)
}

// Decode reads one message. The error is invalid, naming the byte, for what is not a message of the
// format, and too_large beyond MaxMessage. Blocks and roles that are not known are kept.
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

// Encode writes a message: m.Raw as it is when set, else a wire form built from the parts. Invalid:
// a part whose kind cannot be built without its original (reasoning, image, other).
func Encode(f Format, m Message) ([]byte, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	if m.Raw != nil {
		return m.Raw, nil
	}
	return c.build(m)
}

// Edits say what of a message is shown differently. The zero value changes nothing.
type Edits struct {
	// Results gives the text that stands for the text of a call's result, by call id. Images inside
	// the result stay. A sealed result stays as it is: its provider would refuse it.
	Results map[string]string
	// DropCalls names the calls that are left out.
	DropCalls map[string]bool
	// KeepResults says how many results of a call stay, the first ones: 0 drops them all, 1 drops
	// duplicates. Calls that are not named keep theirs.
	KeepResults map[string]int
	// AddResults are put behind the message's own results.
	AddResults []Part
	// Shorten, if set, is asked for each part whose text may be shown differently: text, a result, and
	// a call, for which it returns other arguments, a JSON object. Sealed and signed parts stay as they
	// are, since their provider would refuse them. It comes after Results, which take precedence.
	Shorten func(p Part) (text string, changed bool)
}

// Empty reports whether the edits change nothing.
func (e Edits) Empty() bool {
	return len(e.Results)+len(e.DropCalls)+len(e.KeepResults)+len(e.AddResults) == 0 && e.Shorten == nil
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
// different roles, or one that is not a message.
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

// Valid checks the provider's order: every call is answered, once, by the message that follows,
// results come first in it, and no result lacks its call. Calls in flight at the very end are valid.
// The error is invalid and names the message by its index, from 0.
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
	}
	return c.valid(ms)
}

// Split returns the messages of a JSON array, or of {"messages": […]}, each with its exact bytes.
// They are not decoded; an element that is not an object is invalid.
func Split(f Format, array []byte) ([][]byte, error) {
	if _, err := codecOf(f); err != nil {
		return nil, err
	}
	return split(array)
}
