package replay

import "testing"

// A host that compacts while a call runs asks again without it: what the view ended with is in no request.
func TestCallsUnderWayAreInNoRequest(t *testing.T) {
	words, call, result := block{id: "words"}, block{id: "call", calls: true}, block{id: "result", result: true}
	for _, c := range []struct {
		name   string
		blocks []block
		want   int
	}{
		{"nothing", nil, 0},
		{"a call is under way", []block{words, call}, 1},
		{"two are", []block{words, call, call}, 1},
		{"it has its result", []block{words, call, result}, 3},
		{"words end it", []block{call, result, words}, 3},
	} {
		if got := sendable(c.blocks); len(got) != c.want {
			t.Errorf("%s: %d blocks, want %d", c.name, len(got), c.want)
		}
	}
}
