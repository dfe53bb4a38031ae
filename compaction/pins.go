package compaction

import (
	"regexp"
	"strings"

	"ctxledger.dev/internal/fault"
)

const (
	pinsHead = "[PINNED — verbatim]"
	// pinsMost bounds the pinned things of one call.
	pinsMost = 64
	below    = "(stands in full below)"
)

var messageID = regexp.MustCompile(`^[0-9a-f]{12,32}$`)

// addPins adds what the caller pinned, and what earlier callers pinned. It returns the ids of the
// messages among them.
func (s *source) addPins(d *document) (map[string]bool, error) {
	ids := make(map[string]bool)
	b := d.block(&block{head: pinsHead})
	seen := make(map[string]bool)
	add := func(e entry, must bool) {
		if e.text = strings.TrimSpace(clean(e.text)); e.text == "" || seen[e.text] && e.text != below {
			return
		}
		seen[e.text] = true
		d.add(b, &line{text: quote(e), class: classPin, must: must, anchor: "pin:" + e.label, pos: int64(len(b.lines) + 1)})
	}
	for _, pin := range s.o.Pin {
		e, err := s.resolve(pin, ids)
		if err != nil {
			return nil, err
		}
		add(e, true)
	}
	for _, e := range unquote(blockWith(s.in.PreviousText, pinsHead)) {
		if id, ok := strings.CutPrefix(e.label, "message "); ok {
			id, _, _ = strings.Cut(id, ",")
			if again, err := s.resolve(id, ids); err == nil {
				e = again
			}
		}
		add(e, false)
	}
	return ids, nil
}

// resolve returns the text that a pin stands for. not_found: it has the form of a message id, and
// no message has it.
func (s *source) resolve(pin string, ids map[string]bool) (entry, error) {
	if !messageID.MatchString(pin) {
		return entry{label: "pin", text: pin}, nil
	}
	for i := range s.in.Items {
		it := &s.in.Items[i]
		if !strings.HasPrefix(it.ID, pin) {
			continue
		}
		e := entry{label: "message " + handleOf(it.ID) + ", " + turnRange(it.Turn, it.Turn), text: below}
		if i >= s.cut {
			return e, nil
		}
		if ids[it.ID] = true; isResult(it) {
			return s.resolveResults(it, e)
		}
		var err error
		e.text, err = s.textOf(it)
		return e, err
	}
	return entry{}, fault.New(fault.NotFound, "compaction.plan", "pinned message %s is not in this session", pin)
}

func (s *source) resolveResults(it *Item, e entry) (entry, error) {
	var parts []string
	for _, r := range it.Results {
		for _, seq := range it.Seqs {
			if s.in.Result == nil {
				return e, fault.New(fault.Invalid, "compaction.plan", "no way to load the result of entry %d", seq)
			}
			text, err := s.in.Result(seq, r.CallID)
			if fault.Is(err, fault.NotFound) {
				continue // another entry of the item holds it
			}
			if err != nil {
				return e, err
			}
			parts = append(parts, text)
			break
		}
	}
	e.text = strings.Join(parts, "\n")
	return e, nil
}
