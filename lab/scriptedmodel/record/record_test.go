package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// sessions is where the recorded session and its description are.
const sessions = "../../../testdata/sessions/"

// recording is what these tests read of the recorded session.
type recording struct {
	data    []byte
	lines   int
	calls   map[string]int  // by tool
	failed  int             // results that are errors
	sizes   []int           // characters of each result, ascending
	prompts int             // what the user asked
	ids     map[string]bool // session ids
}

// load reads the recorded session.
func load(t *testing.T) recording {
	t.Helper()
	data, err := os.ReadFile(sessions + "shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := recording{data: data, calls: map[string]int{}, ids: map[string]bool{}}
	for line := range bytes.Lines(data) {
		var l struct {
			Type      string `json:"type"`
			SessionID string `json:"sessionId"`
			Message   struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("line %d: %v", r.lines+1, err)
		}
		r.lines++
		r.ids[l.SessionID] = true
		switch {
		case l.Type == "user" && bytes.HasPrefix(l.Message.Content, []byte(`"`)):
			r.prompts++
		case l.Type == "user" || l.Type == "assistant":
			r.count(t, l.Message.Content)
		}
	}
	slices.Sort(r.sizes)
	return r
}

// count adds the blocks of a message.
func (r *recording) count(t *testing.T, content json.RawMessage) {
	t.Helper()
	var blocks []struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Content any    `json:"content"`
		IsError bool   `json:"is_error"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			r.calls[b.Name]++
		case "tool_result":
			text, _ := b.Content.(string)
			r.sizes = append(r.sizes, utf8.RuneCountInString(text))
			if b.IsError {
				r.failed++
			}
		}
	}
}

func TestTheRecordedSessionIsLargeEnough(t *testing.T) {
	r := load(t)
	if len(r.data) < 1<<20 || len(r.data) > 4<<20 || len(r.sizes) < 170 || r.sizes[len(r.sizes)-3] <= 40_000 {
		t.Errorf("%d bytes, %d results, sizes up to %v", len(r.data), len(r.sizes), r.sizes[max(0, len(r.sizes)-3):])
	}
	if r.prompts != len(chapters()) || len(r.ids) != 1 {
		t.Errorf("%d prompts in %d sessions, want %d in one", r.prompts, len(r.ids), len(chapters()))
	}
}

func TestTheDescriptionHasTheFiguresOfTheRecording(t *testing.T) {
	r := load(t)
	readme, err := os.ReadFile(sessions + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.sizes)
	want := []string{
		fmt.Sprintf("%d lines, %s bytes, %d tool calls (%d failed)", r.lines, grouped(len(r.data)), n, r.failed),
		fmt.Sprintf("%s, %s and %s characters", grouped(r.sizes[n-1]), grouped(r.sizes[n-2]), grouped(r.sizes[n-3])),
	}
	for tool, calls := range r.calls {
		want = append(want, fmt.Sprintf("| %s | %d |", tool, calls))
	}
	for _, text := range want {
		if !bytes.Contains(readme, []byte(text)) {
			t.Errorf("testdata/sessions/README.md does not say %q", text)
		}
	}
}

// grouped writes n with commas between its thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

func TestTheRecordedSessionNamesNoMachineAndHoldsNoForeignPrompt(t *testing.T) {
	data := load(t).data
	for _, text := range []string{
		"/root", "/wo" + "rk/", "/tmp/", "/opt/", "127.0.0.1", "localhost", "proxy", "registry",
		"api-request", "prompt_snapshot", "skill_listing", "agent_listing_delta",
	} {
		if i := bytes.Index(data, []byte(text)); i >= 0 {
			t.Errorf("%q occurs: …%s…", text, data[max(0, i-60):min(len(data), i+60)])
		}
	}
}

func TestTheCatalogueIsAValidCSVFile(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(products())).ReadAll()
	if err != nil || len(rows) != productLines+1 || len(rows[0]) != 5 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestTheOrdersAreJSONLines(t *testing.T) {
	n := 0
	for line := range strings.Lines(orders()) {
		if n++; !json.Valid([]byte(line)) {
			t.Errorf("line %d: %s", n, line)
		}
	}
	if n != orderLines {
		t.Errorf("%d lines, want %d", n, orderLines)
	}
}

func TestUnpack(t *testing.T) {
	got := unpack("a comment\n-- a/b.go --\npackage b\n\n-- not a name\n-- empty --\n-- c --\nc\n")
	want := map[string]string{"a/b.go": "package b\n\n-- not a name\n", "c": "c\n"}
	if len(got) != len(want) || got["a/b.go"] != want["a/b.go"] || got["c"] != want["c"] {
		t.Errorf("unpack = %q, want %q", got, want)
	}
}
