package transcript

import (
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

func validAnthropic(ms []Message) error {
	var open map[string]bool // calls of the message before, until they are answered
	for i, m := range ms {
		if len(m.Parts) == 0 {
			return fault.New(fault.Invalid, op, "message %d is empty", i)
		}
		if err := answers(i, m, open); err != nil {
			return err
		}
		inFlight := i == len(ms)-1 && slices.ContainsFunc(m.Parts, isResult)
		if len(open) > 0 && !inFlight {
			id := slices.Min(slices.Collect(maps.Keys(open)))
			return fault.New(fault.Invalid, op, "message %d does not answer call %s of the message before", i, id)
		}
		var err error
		if open, err = callsOf(i, m); err != nil {
			return err
		}
	}
	return nil
}

// answers takes the calls that a message answers out of open.
func answers(i int, m Message, open map[string]bool) error {
	other := false
	for _, p := range m.Parts {
		switch {
		case p.Kind != KindResult || p.Sealed:
			other = true
			continue
		case !open[p.ID]:
			return fault.New(fault.Invalid, op, "message %d has a result of call %s, which the message before does not make", i, p.ID)
		case wireRole(m.Role) != RoleUser:
			return fault.New(fault.Invalid, op, "message %d of role %q carries a result", i, m.Role)
		case other:
			return fault.New(fault.Invalid, op, "message %d has something in front of the result of call %s", i, p.ID)
		}
		delete(open, p.ID)
	}
	return nil
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
