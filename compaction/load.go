package compaction

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
)

// loadedBytes bounds the messages that a plan keeps in memory: most are needed twice, for what was said and for what was
// done.
const loadedBytes = 32 << 20

// loaded keeps the messages that were read for one plan.
type loaded struct {
	messages map[int64]message
	bytes    int
}

// message is a message with its words masked. Arguments are long and rarely needed: they are masked when they are.
type message struct {
	transcript.Message                     // without arguments
	args               map[string]unmasked // by call
}

// load returns the message of one entry; ok is false if its text was forgotten.
func (s *source) load(seq int64) (m message, ok bool, err error) {
	if s.in.loaded == nil {
		s.in.loaded = &loaded{messages: make(map[int64]message)}
	}
	if m, ok = s.in.loaded.messages[seq]; ok {
		return m, true, nil
	}
	if s.in.Message == nil {
		return m, false, fault.New(fault.Invalid, "compaction.plan", "no way to load the text of entry %d", seq)
	}
	read, err := s.in.Message(seq)
	if fault.Is(err, fault.NotFound) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	return s.in.loaded.keep(seq, read, s.in.mask), true, nil
}

// keep masks the words of a message, and keeps it while there is room.
func (l *loaded) keep(seq int64, read transcript.Message, mask masker) message {
	m := message{Message: read}
	m.Parts = slices.Clone(read.Parts)
	size := 0
	for i := range m.Parts {
		p := &m.Parts[i]
		size += len(p.Text) + len(p.Args)
		mask.words(&p.Text, &p.Name)
		if p.Args != nil {
			if m.args == nil {
				m.args = make(map[string]unmasked)
			}
			m.args[p.ID], p.Args = unmasked(p.Args), nil
		}
	}
	if l.bytes+size <= loadedBytes {
		l.bytes += size
		l.messages[seq] = m
	}
	return m
}

// textOf loads the text of an item. A forgotten one says so; it is not an error.
func (s *source) textOf(it *Item) (string, error) {
	return s.join(it, "\n", "(this text was forgotten)", transcript.PlainText)
}

// reasoningOf loads the reasoning of an item, "" if it has none.
func (s *source) reasoningOf(it *Item) (string, error) {
	return s.join(it, " ", "", transcript.Reasoning)
}

// join joins what of returns for the entries of an item.
func (s *source) join(it *Item, with, forgotten string, of func(transcript.Message) string) (string, error) {
	var parts []string
	for _, seq := range it.Seqs {
		m, ok, err := s.load(seq)
		if err != nil {
			return "", err
		}
		text := forgotten
		if ok {
			text = of(m.Message)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, with), nil
}

// resultOf loads one result of an item; "" if it was forgotten.
func (s *source) resultOf(it *Item, callID string) (string, error) {
	for _, seq := range it.Seqs {
		m, _, err := s.load(seq)
		if err != nil {
			return "", err
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult && p.ID == callID {
				return p.Text, nil
			}
		}
	}
	return "", nil
}

// argsOf loads the arguments of a call of an item; nil if they were forgotten.
func (s *source) argsOf(it *Item, callID string) (json.RawMessage, error) {
	for _, seq := range it.Seqs {
		m, _, err := s.load(seq)
		if err != nil {
			return nil, err
		}
		if args, has := m.args[callID]; has {
			return s.in.maskArgs(args), nil
		}
	}
	return nil, nil
}

// editsOf loads the edits that an operation made; none if they were forgotten.
func (s *source) editsOf(op *Operation) ([]intents.Edit, error) {
	m, _, err := s.load(op.Seq)
	if err != nil {
		return nil, err
	}
	for _, p := range m.Parts {
		if p.ID == op.CallID && p.Name != "" {
			return intents.Edits(p.Name, s.in.maskArgs(m.args[p.ID])), nil
		}
	}
	return nil, nil
}

// outputOf loads what an operation printed; "" if that is not known.
func (s *source) outputOf(op *Operation) (string, error) {
	at, known := s.talk.results[op.CallID]
	if !known {
		return "", nil
	}
	return s.resultOf(&s.in.Items[at], op.CallID)
}
