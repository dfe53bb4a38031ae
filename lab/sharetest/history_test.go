package sharetest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// What a client can do. A memory of a given name is a register; an import is a counter that advances
// only for a client that knows its value.
const (
	put       = 'p' // Value: what is put
	get       = 'g' // Result: what is there
	remove    = 'r' // Result: what was there
	appending = 'a' // Value: the offset where it starts; Result: the one where it ends, or refused
	offset    = 'o' // Result: the offset
)

const (
	nothing = ""        // the value of a register that is empty
	refused = "refused" // the result of an append at another offset
)

// record is one operation of a history. The times are nanoseconds of the machine's clock.
type record struct {
	Client       int
	Key          string
	Do           rune
	Value        string
	Result       string
	Called, Done int64
}

// ledgerModel says what one ledger answers that serves one operation after the other.
var ledgerModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := make(map[string][]porcupine.Operation)
		for _, o := range history {
			key := o.Input.(record).Key
			byKey[key] = append(byKey[key], o)
		}
		var parts [][]porcupine.Operation
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return nothing },
	Step: func(state, input, _ any) (bool, any) {
		r := input.(record)
		switch r.Do {
		case put:
			return true, r.Value
		case get:
			return r.Result == state, state
		case remove:
			return r.Result == state, nothing
		case offset:
			return r.Result == stands(state), state
		default:
			if r.Value != stands(state) {
				return r.Result == refused, state
			}
			return r.Result != refused, r.Result
		}
	},
	DescribeOperation: func(input, _ any) string { return input.(record).String() },
}

// stands returns the position of an import in a state.
func stands(state any) string {
	if state == nothing {
		return "0"
	}
	return state.(string)
}

func (r record) String() string {
	return fmt.Sprintf("%c %s %q → %q", r.Do, r.Key, r.Value, r.Result)
}

// checkTime bounds the search for an order.
const checkTime = 5 * time.Minute

// linearizable returns an error for a history that one ledger cannot have had.
func linearizable(history []record) error {
	operations := make([]porcupine.Operation, len(history))
	for i, r := range history {
		operations[i] = porcupine.Operation{ClientId: r.Client, Input: r, Call: r.Called, Output: nil, Return: r.Done}
	}
	if result := porcupine.CheckOperationsTimeout(ledgerModel, operations, checkTime); result != porcupine.Ok {
		return fmt.Errorf("%d operations are not linearizable: %s", len(history), result)
	}
	return nil
}

// TestTheCheckerCanFail shows it histories with the defects that it is there for.
func TestTheCheckerCanFail(t *testing.T) {
	at := func(do rune, value, result string, called, done int64) record {
		return record{Key: "k", Do: do, Value: value, Result: result, Called: called, Done: done}
	}
	for _, c := range []struct {
		name    string
		history []record
		good    bool
	}{
		{"one after the other", []record{at(put, "1", "", 0, 1), at(get, "", "1", 2, 3), at(remove, "", "1", 4, 5),
			at(get, "", "", 6, 7)}, true},
		{"either of two at once", []record{at(put, "1", "", 0, 9), at(put, "2", "", 0, 9), at(get, "", "1", 10, 11)},
			true},
		{"a lost update", []record{at(put, "1", "", 0, 1), at(get, "", "", 2, 3)}, false},
		{"a stale read", []record{at(put, "1", "", 0, 1), at(put, "2", "", 2, 3), at(get, "", "1", 4, 5)}, false},
		{"a value that comes back", []record{at(put, "1", "", 0, 9), at(put, "2", "", 0, 9), at(get, "", "1", 10, 11),
			at(get, "", "2", 12, 13)}, false},
		{"a removal that is applied twice",
			[]record{at(put, "1", "", 0, 1), at(remove, "", "1", 2, 3), at(remove, "", "1", 4, 5)}, false},
		{"an append", []record{at(appending, "0", "1", 0, 1), at(offset, "", "1", 2, 3)}, true},
		{"two appends at one offset", []record{at(appending, "0", "1", 0, 9), at(appending, "0", "1", 0, 9)}, false},
		{"one of them refused", []record{at(appending, "0", "1", 0, 9), at(appending, "0", refused, 0, 9)}, true},
		{"refused for no reason", []record{at(appending, "0", refused, 0, 1)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := linearizable(c.history); (err == nil) != c.good {
				t.Errorf("%v", err)
			}
		})
	}
}

// latencies describes how long the operations of a history took.
func latencies(history []record) string {
	var took []time.Duration
	for _, r := range history {
		took = append(took, time.Duration(r.Done-r.Called))
	}
	slices.Sort(took)
	at := func(share float64) string {
		return strconv.FormatFloat(float64(took[int(share*float64(len(took)-1))])/1e6, 'f', 2, 64) + " ms"
	}
	return fmt.Sprintf("p50 %s, p99 %s, max %s", at(0.5), at(0.99), at(1))
}
