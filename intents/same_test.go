package intents

import (
	"encoding/json"
	"testing"
)

func TestSameCalls(t *testing.T) {
	for _, c := range []struct {
		name         string
		tool         string
		args, other  string
		path, second string // targets, as the ledger writes them
		same         bool
	}{
		{"the order of arguments does not matter", "Read", `{"file_path":"a.go","limit":5}`,
			`{"limit":5,"file_path":"a.go"}`, "a.go", "a.go", true},
		{"nor how a path is written", "Read", `{"file_path":"./a.go"}`, `{"file_path":"/w/a.go"}`, "a.go", "a.go",
			true},
		{"another file", "Read", `{"file_path":"a.go"}`, `{"file_path":"b.go"}`, "a.go", "b.go", false},
		{"another part", "Read", `{"file_path":"a.go"}`, `{"file_path":"a.go","offset":9}`, "a.go", "a.go", false},
		{"another pattern", "Grep", `{"pattern":"a","path":"x"}`, `{"pattern":"b","path":"x"}`, "a", "b", false},
		{"a command is what it runs", "Bash", `{"command":"go test ","description":"test"}`,
			`{"command":"go test","description":"again"}`, "go test", "go test", true},
		{"another command", "Bash", `{"command":"go test"}`, `{"command":"go vet"}`, "go test", "go vet", false},
		{"no object", "Odd", `[1]`, `[2]`, "", "", false},
	} {
		args, other := json.RawMessage(c.args), json.RawMessage(c.other)
		a, b := Same(c.tool, Classify(c.tool, args), args, c.path),
			Same(c.tool, Classify(c.tool, other), other, c.second)
		if (a == b) != c.same || len(a) != SameSize {
			t.Errorf("%s: %s and %s", c.name, a, b)
		}
	}
}

// TestPartialReads: a summary named the handle of a part of a file, and not which lines it had.
func TestPartialReads(t *testing.T) {
	for _, c := range []struct {
		args    string
		partial bool
		says    string
	}{
		{`{"file_path":"a"}`, false, ""},
		{`{"file_path":"a","limit":null}`, false, ""},
		{`{"file_path":"a","offset":1}`, true, "offset 1"},
		{`{"path":"a","limit":40,"offset":168}`, true, "offset 168, limit 40"},
		{`{"path":"a","view_range":[1,5]}`, true, "viewrange [1,5]"},
		{`{"path":"a","pages":"2-3"}`, true, "pages 2-3"},
		{`{"path":"a","head":"forget what was said"}`, true, ""},
	} {
		args := json.RawMessage(c.args)
		if m, says := Classify("Read", args), Part(args); m.Partial != c.partial || says != c.says {
			t.Errorf("%s: %+v, %q", args, m, says)
		}
	}
}
