package overflow

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
)

// Stages is how many copies of a request are tried, each smaller than the one before.
const Stages = 3

// markTrimmed replaces what a trimmed result lost. Other programs know it: it is exact.
const markTrimmed = "[...context-trimmed — {N} chars removed to fit model limit...]"

// caps are the characters that results keep.
type caps struct {
	result   int
	newest   int // of the newest calls: the model has just asked for them
	consumed int // of what was read of a file that was changed later
}

// stages are the first two stages. In the third no tool content is left.
var stages = [Stages - 1]caps{{4000, 16_000, 500}, {500, 4000, 500}}

// Copy is a request that may be trimmed: a copy, of which nothing is recorded.
type Copy struct {
	Format   transcript.Format
	Messages [][]byte        // as they were sent, valid for the provider
	Consumed map[string]bool // calls that read files which were changed later
	// Handles read the results of each message back, by call, and Whole reads the conversation back: what was cut names
	// them. There may be none.
	Handles []map[string]string
	Whole   string
}

// Trimmed is a smaller copy.
type Trimmed struct {
	Messages    [][]byte
	Stage       int // 0: nothing had to be cut; 1 to 3; of TrimTo the stage whose caps come nearest
	CharsBefore int // of all texts, arguments and results
	CharsAfter  int
}

// Trim returns the copy of a stage, from 1 to Stages. Messages stay valid for the provider; what is not
// cut keeps its bytes. Errors: invalid for a stage that there is not, and for what is no conversation
// of the format; too_large when the third stage leaves nothing to send.
func Trim(c Copy, stage int) (Trimmed, error) {
	if stage < 1 || stage > Stages {
		return Trimmed{}, fault.New(fault.Invalid, opTrim, "trimming has stages 1 to %d, not %d", Stages, stage)
	}
	t, err := newTrimmer(c)
	if err != nil {
		return Trimmed{}, err
	}
	if stage == Stages {
		return t.withoutTools()
	}
	return t.to(stages[stage-1], stage)
}

const opTrim = "overflow.trim"

// trimmer holds a decoded copy.
type trimmer struct {
	Copy
	decoded []transcript.Message
	newest  int // index of the message with the newest calls, or the number of messages
}

func newTrimmer(c Copy) (*trimmer, error) {
	t := &trimmer{Copy: c, newest: len(c.Messages)}
	for i, raw := range c.Messages {
		m, err := transcript.Decode(c.Format, raw)
		if err != nil {
			return nil, fault.New(fault.CodeOf(err), opTrim, "message %d: %v", i, err)
		}
		t.decoded = append(t.decoded, m)
		if slices.ContainsFunc(m.Parts, isCall) {
			t.newest = i
		}
	}
	for t.newest > 0 && t.newest < len(t.decoded) && slices.ContainsFunc(t.decoded[t.newest-1].Parts, isCall) {
		t.newest-- // in some formats each call is a message of its own
	}
	return t, nil
}

// to cuts results to caps.
func (t *trimmer) to(c caps, stage int) (Trimmed, error) {
	out := Trimmed{Messages: slices.Clone(t.Messages), Stage: stage}
	for i, m := range t.decoded {
		out.CharsBefore += size(m)
		cut := t.cuts(i, c)
		if len(cut) == 0 {
			out.CharsAfter += size(m)
			continue
		}
		raw, err := transcript.Edit(t.Format, t.Messages[i], transcript.Edits{Results: cut})
		if err != nil {
			return out, fault.New(fault.CodeOf(err), opTrim, "message %d: %v", i, err)
		}
		out.Messages[i] = raw
		out.CharsAfter += size(m) - saved(m, cut)
	}
	return out, nil
}

// cuts returns what is shown of the results of a message that are too long.
func (t *trimmer) cuts(i int, c caps) map[string]string {
	cut, handles := map[string]string{}, map[string]string(nil)
	if i < len(t.Handles) {
		handles = t.Handles[i]
	}
	for _, p := range t.decoded[i].Parts {
		limit := c.result
		switch {
		case p.Kind != transcript.KindResult || p.Sealed:
			continue
		case i > t.newest:
			limit = c.newest
		case t.Consumed[p.ID]:
			limit = c.consumed
		}
		if text, shorter := shorten(p.Text, limit, handles[p.ID]); shorter {
			cut[p.ID] = text
		}
	}
	return cut
}

// shorten cuts a text to its first characters, if that with its marker is shorter.
func shorten(text string, limit int, handle string) (string, bool) {
	if len(text) <= limit {
		return "", false
	}
	n := utf8.RuneCountInString(text)
	head := chars.Head(text, limit)
	out := head + "\n" + trimMark(n-utf8.RuneCountInString(head), handle)
	return out, utf8.RuneCountInString(out) < n
}

// trimMark is the marker of what was removed, with the handle that reads it back, if there is one, on a line of its own.
func trimMark(gone int, handle string) string {
	mark := strings.ReplaceAll(markTrimmed, "{N}", chars.Commas(gone))
	if handle != "" {
		mark += "\nArtifact: " + handle
	}
	return mark
}

// withoutTools drops calls and results. Messages of which nothing is left go; a conversation that would
// end with the assistant ends with a note instead, since providers answer users.
func (t *trimmer) withoutTools() (Trimmed, error) {
	out := Trimmed{Stage: Stages}
	kept := make([][]byte, len(t.Messages))
	end := transcript.RoleUser
	for i, m := range t.decoded {
		out.CharsBefore += size(m)
		raw, err := transcript.Edit(t.Format, t.Messages[i], noTools(m))
		if err != nil {
			return out, fault.New(fault.CodeOf(err), opTrim, "message %d: %v", i, err)
		}
		kept[i] = raw
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if i+1 < len(kept) && kept[i+1] == nil && onlyReasoning(t.decoded[i]) {
			kept[i] = nil // a provider refuses reasoning without the call that it led to
		}
	}
	for i, raw := range kept {
		if raw == nil {
			continue
		}
		m, err := transcript.Decode(t.Format, raw)
		if err != nil {
			return out, err
		}
		out.Messages, out.CharsAfter, end = append(out.Messages, raw), out.CharsAfter+size(m), t.decoded[i].Role
	}
	if len(out.Messages) == 0 {
		return out, fault.New(fault.TooLarge, opTrim, "nothing is left of %d messages without their tool calls",
			len(t.Messages))
	}
	if end == transcript.RoleAssistant && out.CharsAfter < out.CharsBefore {
		note := trimMark(out.CharsBefore-out.CharsAfter, t.Whole)
		out.Messages = append(out.Messages, transcript.NewMessage(t.Format, transcript.RoleUser, note))
		out.CharsAfter += utf8.RuneCountInString(note)
	}
	return out, nil
}

// noTools are the edits that leave the words of a message.
func noTools(m transcript.Message) transcript.Edits {
	e := transcript.Edits{DropCalls: map[string]bool{}, KeepResults: map[string]int{}}
	for _, p := range m.Parts {
		switch {
		case p.Sealed:
		case isCall(p):
			e.DropCalls[p.ID] = true
		case p.Kind == transcript.KindResult:
			e.KeepResults[p.ID] = 0
		}
	}
	return e
}

func isCall(p transcript.Part) bool { return p.Kind == transcript.KindCall && !p.Sealed }

func onlyReasoning(m transcript.Message) bool {
	return len(m.Parts) > 0 && !slices.ContainsFunc(m.Parts,
		func(p transcript.Part) bool { return p.Kind != transcript.KindReasoning })
}

// size is the number of characters of a message's parts.
func size(m transcript.Message) int {
	n := 0
	for _, p := range m.Parts {
		n += utf8.RuneCountInString(p.Text) + utf8.RuneCount(p.Args)
	}
	return n
}

// saved is the number of characters that texts in the place of results save.
func saved(m transcript.Message, cut map[string]string) int {
	n := 0
	for _, p := range m.Parts {
		if text, ok := cut[p.ID]; ok && p.Kind == transcript.KindResult {
			n += utf8.RuneCountInString(p.Text) - utf8.RuneCountInString(text)
		}
	}
	return n
}
