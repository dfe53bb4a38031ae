package sessionfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/transcript"
)

// Said is one message that is kept, as it was received.
type Said struct {
	JSON   []byte
	Format transcript.Format
	Model  string // that answered
	Reply  string // the provider's id of the answer
	Time   time.Time
	Loaded bool            // the agent put it there, see Record
	Line   json.RawMessage // its record, where the same agent goes on with a message that is in the user's place
}

// Step is one message of a session to be written. Each answer is followed by one step for the result of each of its
// calls, and the last step is an answer that ends with words.
type Step struct {
	Role   transcript.Role // user, assistant, or tool for one result
	Blocks []Block         // at least one
	Model  string
	Reply  string
	Time   time.Time
	Keeps  json.RawMessage // what the agent keeps of a result besides the message; nil: nothing
	Ours   bool            // ctxledger says it, it is not copied
	Loaded bool            // see Said
	Line   json.RawMessage // ″
}

// Block is a part of a message. Ids of calls are unique in a session and consist of letters, digits, "_" and "-".
type Block struct {
	transcript.Part
	// Wire is the part as a block of Anthropic's format, exactly as it was received, but for the id of a call; nil if it
	// was not received in that form.
	Wire json.RawMessage
}

// Left says what of the messages is not in the steps.
type Left struct {
	Reasoning int `json:"reasoning,omitempty"` // parts: an agent sends them to the model, unsigned too
	System    int `json:"system,omitempty"`    // messages of the system: each agent has its own
	Results   int `json:"results,omitempty"`   // without a call
	Loaded    int `json:"loaded,omitempty"`    // what the agent put there to say how things stand: each makes its own
	Shortened int `json:"shortened,omitempty"` // parts of which the view shows less; a handle reads each
	Other     int `json:"other,omitempty"`     // images and blocks that cannot be written in the format of the agent
}

const (
	noResult = "[ctxledger: no result was recorded for this call]"
	// ended is the answer at the end of a session that does not end with one: agents answer in its place otherwise.
	ended = "[ctxledger: the conversation was continued from here in a new session]"
)

// maxCallID bounds the ids of calls: providers refuse longer ones.
const maxCallID = 64

// StepsOf makes steps of messages. keeps has what the agent keeps of the results of calls, by the ids of the calls.
// Errors: invalid for a message that cannot be decoded.
func StepsOf(said []Said, keeps map[string]json.RawMessage) ([]Step, Left, error) {
	b := builder{keeps: maps.Clone(keeps), ids: map[string]bool{}}
	for _, s := range said {
		if err := b.add(s); err != nil {
			return nil, b.left, err
		}
	}
	b.end()
	return b.steps, b.left, nil
}

// builder makes steps.
type builder struct {
	keeps map[string]json.RawMessage
	ids   map[string]bool // that calls of the steps have
	open  []pending       // calls of the newest answer without a result, in order
	steps []Step
	left  Left
	time  time.Time
}

// pending is a call that waits for its result: its id as received, and as written.
type pending struct{ was, now, name string }

// add takes in a message.
func (b *builder) add(s Said) error {
	m, err := transcript.Decode(s.Format, s.JSON)
	if err != nil {
		return err
	}
	blocks := blocksOf(s, m)
	if s.Time.After(b.time) {
		b.time = s.Time
	}
	switch m.Role {
	case transcript.RoleSystem:
		b.left.System++
	case transcript.RoleAssistant:
		b.answer(s, blocks)
	default:
		b.heard(s, blocks)
	}
	return nil
}

// answer takes in what the assistant said.
func (b *builder) answer(s Said, blocks []Block) {
	b.close()
	var kept []Block
	for _, x := range blocks {
		switch {
		case x.Kind == transcript.KindReasoning || x.Kind == transcript.KindCompacted:
			b.left.Reasoning++
			continue
		case x.Kind == transcript.KindText && strings.TrimSpace(x.Text) == "":
			continue
		case x.Kind == transcript.KindCall && !x.Sealed && x.Malformed():
			x = Block{Part: textPart(fmt.Sprintf("[ctxledger: a call to %s with unreadable arguments]", x.Name))}
		case x.Kind == transcript.KindCall && !x.Sealed:
			x = b.calling(x)
		case x.Kind == transcript.KindResult && !x.Sealed:
			b.left.Results++
			continue
		}
		kept = append(kept, x)
	}
	if len(kept) > 0 {
		b.push(Step{Role: transcript.RoleAssistant, Blocks: kept, Model: s.Model, Reply: s.Reply})
	}
}

// calling gives a call an id that no other call has.
func (b *builder) calling(x Block) Block {
	was := x.ID
	x.ID = b.unique(was)
	b.open = append(b.open, pending{was, x.ID, x.Name})
	if x.Wire != nil && x.ID != was {
		x.Wire = withMember(x.Wire, "id", x.ID)
	}
	return x
}

// unique returns the id of a call as it is written.
func (b *builder) unique(id string) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
	if base == "" {
		base = "call"
	}
	base = base[:min(len(base), maxCallID-8)]
	out := base
	for n := 2; b.ids[out]; n++ {
		out = fmt.Sprintf("%s_%d", base, n)
	}
	b.ids[out] = true
	return out
}

// heard takes in results and what the user said.
func (b *builder) heard(s Said, blocks []Block) {
	var words []Block
	for _, x := range blocks {
		switch {
		case x.Kind == transcript.KindResult:
			b.result(x)
		case x.Kind == transcript.KindText && strings.TrimSpace(x.Text) == "", x.Kind == transcript.KindReasoning,
			x.Kind == transcript.KindCompacted:
		default:
			words = append(words, x)
		}
	}
	if len(words) > 0 {
		b.close()
		b.push(Step{Role: transcript.RoleUser, Blocks: words, Loaded: s.Loaded, Line: s.Line})
	}
}

// result takes in the result of a call. One without a call is left out.
func (b *builder) result(x Block) {
	i := slices.IndexFunc(b.open, func(p pending) bool { return p.was == x.ID })
	if i < 0 {
		b.left.Results++
		return
	}
	p := b.open[i]
	b.open = slices.Delete(b.open, i, i+1)
	x.ID, x.Name = p.now, p.name
	if x.Wire != nil && p.now != p.was {
		x.Wire = withMember(x.Wire, "tool_use_id", p.now)
	}
	b.push(Step{Role: transcript.RoleTool, Blocks: []Block{x}, Keeps: b.keeps[p.was]})
	delete(b.keeps, p.was) // a broken host may use an id twice
}

// close gives the calls that are still open a result that says that there is none.
func (b *builder) close() {
	for _, p := range b.open {
		b.push(Step{Role: transcript.RoleTool, Ours: true, Blocks: []Block{{
			Part: transcript.Part{Kind: transcript.KindResult, ID: p.now, Name: p.name, Text: noResult, IsError: true},
		}}})
	}
	b.open = nil
}

// end makes the last step an answer that ends with words.
func (b *builder) end() {
	b.close()
	if n := len(b.steps); n > 0 {
		last := b.steps[n-1]
		if last.Role == transcript.RoleAssistant && last.Blocks[len(last.Blocks)-1].Kind == transcript.KindText {
			return
		}
	}
	b.push(Step{Role: transcript.RoleAssistant, Ours: true, Blocks: []Block{{Part: textPart(ended)}}})
}

func (b *builder) push(s Step) {
	s.Time = b.time
	b.steps = append(b.steps, s)
}

func textPart(s string) transcript.Part { return transcript.Part{Kind: transcript.KindText, Text: s} }

// blocksOf returns the parts of a message, with their wire forms where the message is Anthropic's.
func blocksOf(s Said, m transcript.Message) (out []Block) {
	for _, p := range m.Parts {
		out = append(out, Block{Part: p})
	}
	if s.Format != transcript.Anthropic {
		return out
	}
	var wire struct {
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(s.JSON, &wire) == nil && len(wire.Content) == len(out) {
		for i := range out {
			out[i].Wire = wire.Content[i]
		}
	}
	var words struct {
		Content json.RawMessage `json:"content"` // a string: half of a surrogate pair survives in no other form
	}
	if wire.Content == nil && len(out) == 1 && json.Unmarshal(s.JSON, &words) == nil {
		out[0].Wire = slices.Concat([]byte(`{"type":"text","text":`), words.Content, []byte("}"))
	}
	return out
}

// withMember returns a JSON object with another string as the value of one of its members. Everything else keeps its
// bytes.
func withMember(object []byte, name, value string) json.RawMessage {
	quoted, err := json.Marshal(value)
	if err != nil {
		return nil // a string always can be written
	}
	w := jsonspan.New(object, jsonspan.MaxDepth)
	var out []byte
	for key, at := range w.Members {
		if out == nil && bytes.Equal(object[key.From+1:key.To-1], []byte(name)) {
			out = slices.Concat(object[:at.From], quoted, object[at.To:])
		}
	}
	return out
}
