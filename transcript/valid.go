package transcript

import (
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

// pairing follows the calls of a list of messages, in formats in which the next message answers all
// calls of the one before.
type pairing struct {
	open map[string]bool // calls of the message before, until they are answered
	// front: results precede everything else in their message.
	front bool
}

func validAnthropic(ms []Message) error {
	p := pairing{front: true}
	for i, m := range ms {
		if err := p.next(i, m, i == len(ms)-1); err != nil {
			return err
		}
	}
	return nil
}

// next takes the next message.
func (p *pairing) next(i int, m Message, last bool) error {
	if err := p.answers(i, m); err != nil {
		return err
	}
	if inFlight := last && slices.ContainsFunc(m.Parts, isResult); !inFlight {
		if err := unanswered(i, p.open); err != nil {
			return err
		}
	}
	var err error
	p.open, err = callsOf(i, m)
	return err
}

// unanswered is the error for calls that message i had to answer.
func unanswered(i int, open map[string]bool) error {
	if len(open) == 0 {
		return nil
	}
	id := slices.Min(slices.Collect(maps.Keys(open)))
	return fault.New(fault.Invalid, op, "message %d does not answer call %s of the previous message", i, id)
}

// answers takes the calls that a message answers out of those that are open.
func (p *pairing) answers(i int, m Message) error {
	other := false
	for _, part := range m.Parts {
		switch {
		case part.Kind != KindResult || part.Sealed:
			other = true
			continue
		case !p.open[part.ID]:
			return orphanResult(i, part.ID)
		case wireRole(m.Role) != RoleUser:
			return fault.New(fault.Invalid, op, "message %d of role %q carries a result", i, m.Role)
		case other && p.front:
			return fault.New(fault.Invalid, op, "message %d has something before the result of call %s", i,
				part.ID)
		}
		delete(p.open, part.ID)
	}
	return nil
}

// orphanResult is the error for a result that nothing asked for.
func orphanResult(i int, id string) error {
	return fault.New(fault.Invalid, op, "message %d has a result of call %s, which the previous message does not make",
		i, id)
}

// callsOf returns the calls that the next message has to answer.
func callsOf(i int, m Message) (map[string]bool, error) {
	calls := map[string]bool{}
	for _, p := range m.Parts {
		if p.Kind != KindCall || p.Sealed {
			continue
		}
		if m.Role != RoleAssistant {
			return nil, fault.New(fault.Invalid, op, "message %d of role %q makes a call", i, m.Role)
		}
		if calls[p.ID] {
			return nil, fault.New(fault.Invalid, op, "message %d makes two calls with the id %s", i, p.ID)
		}
		calls[p.ID] = true
	}
	return calls, nil
}

func isResult(p Part) bool { return p.Kind == KindResult }
