package compaction

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/transcript"
)

// load returns the message of one entry; ok is false if its text was forgotten.
func (s *source) load(seq int64) (m transcript.Message, ok bool, err error) {
	if s.in.Message == nil {
		return m, false, fault.New(fault.Invalid, "compaction.plan", "no way to load the text of entry %d", seq)
	}
	m, err = s.in.Message(seq)
	if fault.Is(err, fault.NotFound) {
		return transcript.Message{}, false, nil
	}
	return m, err == nil, err
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
			text = of(m)
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
		for _, p := range m.Parts {
			if p.Kind == transcript.KindCall && p.ID == callID {
				return p.Args, nil
			}
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
