package transcript

import (
	"cmp"
	"maps"
	"slices"

	"ctxledger.dev/internal/fault"
)

// validItems checks that every call has one result somewhere behind it: "No tool output found for
// function call …", "No tool call found for function call output with call_id …". Calls of the newest
// answer may wait for theirs.
func validItems(ms []Message) error {
	open := map[string]int{}
	newest, words := 0, -1 // where the newest answer begins, and the last words of somebody else
	for i, m := range ms {
		switch {
		case m.Role == RoleTool:
			id := m.Parts[0].ID
			if _, waits := open[id]; !waits {
				return fault.New(fault.Invalid, op, "message %d has a result of call %s, which is not made "+
					"earlier, or already has one", i, id)
			}
			delete(open, id)
			continue
		case m.Role != RoleAssistant:
			words = i
			continue
		case i > 0 && ms[i-1].Role != RoleAssistant:
			newest = i
		}
		calls, err := callsOf(i, m)
		if err != nil {
			return err
		}
		for id := range calls {
			if _, waits := open[id]; waits {
				return fault.New(fault.Invalid, op, "message %d makes a second call with the id %s, and the "+
					"first has no result yet", i, id)
			}
			open[id] = i
		}
	}
	ids := slices.SortedFunc(maps.Keys(open), func(a, b string) int { return cmp.Compare(open[a], open[b]) })
	if len(ids) > 0 && open[ids[0]] < max(newest, words) {
		return fault.New(fault.Invalid, op, "call %s of message %d has no result", ids[0], open[ids[0]])
	}
	return nil
}
