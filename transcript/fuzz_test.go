package transcript

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var fuzzSeeds = []string{
	`{"role":"user","content":"hi"}`,
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"},` +
		`{"type":"image"}]},{"type":"text","text":"b"}]}`,
	`{"role":"user","content":[ {"tool_use_id":"1","content":"x","type":"tool_result"} , {"type":"tool_result",` +
		`"tool_use_id":"1"}]}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"1","name":"n",` +
		`"input":{"a":[1e3,-0.5,null,true]}}]}`,
	"{\"role\":\"user\",\"content\":\"\\ud800\xff\"}",
	`{"role":"user","content":[]}`,
}

// Design invariant 1, for messages: what is encoded is what was decoded, in every format.
func FuzzInvariant1DecodeEncodeIsVerbatim(f *testing.F) {
	seedFormats(f, func(s string) { f.Add([]byte(s)) })
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, format := range Formats() {
			verbatim(t, format, raw)
		}
	})
}

func verbatim(t *testing.T, format Format, raw []byte) {
	t.Helper()
	m, err := Decode(format, raw)
	if err != nil {
		return
	}
	if !bytes.Equal(m.Raw, raw) {
		t.Errorf("%s: got %q", format, m.Raw)
	}
	if same, err := Edit(format, raw, Edits{}); err != nil || !bytes.Equal(same, raw) {
		t.Errorf("%s: the empty edit gives %q, %v", format, same, err)
	}
	// An edit that names nothing of the message changes nothing.
	noted := Edits{DropCalls: map[string]bool{"of no call": true}, KeepResults: map[string]int{"of no call": 0},
		Shorten: func(Part) (string, bool) { return "", false }}
	pieces, err := Render(format, []Record{{JSON: raw}}, noted)
	if err != nil || len(pieces) != 1 || !bytes.Equal(pieces[0].JSON, raw) {
		t.Errorf("%s: an edit of other messages gives %v, %v", format, pieces, err)
	}
	own := m.Role != RoleTool || onlyResults(m.Parts) // not a role that the format itself calls so
	if c, _ := codecOf(format); c.merge != nil && slices.Contains(c.roles, m.Role) && own {
		again, err := Merge(format, [][]byte{raw, NewMessage(format, m.Role, "")})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if _, err := Decode(format, again); err != nil {
			t.Errorf("%s: merged: %v in %s", format, err, again)
		}
	}
	Extract(m)
	_ = Valid(format, [][]byte{raw, raw})
	_, _ = Recognise([][]byte{raw})
}

// An edit changes the results that it names, and nothing else, in every format.
func FuzzEditChangesOnlyWhatItNames(f *testing.F) {
	seedFormats(f, func(s string) { f.Add([]byte(s), "1", "stub") })
	f.Fuzz(func(t *testing.T, raw []byte, id, text string) {
		for _, format := range Formats() {
			editsOne(t, format, raw, id, strings.ToValidUTF8(text, "\uFFFD"))
		}
	})
}

func editsOne(t *testing.T, format Format, raw []byte, id, text string) {
	t.Helper()
	before, err := Decode(format, raw)
	if err != nil {
		return
	}
	pieces, err := Render(format, []Record{{JSON: raw}}, Edits{Results: map[string]string{id: text}})
	if err != nil {
		if slices.ContainsFunc(before.Parts, func(p Part) bool { return p.Kind == KindResult && p.ID == id }) {
			t.Fatalf("%s: the result is there: %v", format, err)
		}
		return
	}
	out := pieces[0].JSON
	after, err := Decode(format, out)
	if err != nil || !json.Valid(out) {
		t.Fatalf("%s: %v in %s", format, err, out)
	}
	for i, p := range before.Parts {
		got := after.Parts[i]
		if p.Kind == KindResult && p.ID == id && !p.Sealed && got.Text == text {
			p.Text = text
		}
		if !reflect.DeepEqual(p, got) {
			t.Errorf("%s: part %d: got %+v, want %+v", format, i, got, p)
		}
	}
	addAndDrop(t, format, before, raw)
}

// addAndDrop checks that results that are added and taken away again leave the message as it was.
func addAndDrop(t *testing.T, format Format, before Message, raw []byte) {
	t.Helper()
	const extra = "added by the test"
	more, err := Render(format, []Record{{JSON: raw}},
		Edits{AddResults: []Part{{Kind: KindResult, ID: extra, Name: "tool"}}})
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	var records []Record
	for _, p := range more {
		records = append(records, Record{JSON: p.JSON})
	}
	less, err := Render(format, records, Edits{KeepResults: map[string]int{extra: 0}})
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	if len(less) == 0 {
		if len(before.Parts) > 0 && PlainText(before) != "" {
			t.Errorf("%s: nothing is left of %s", format, raw)
		}
		return
	}
	after, err := Decode(format, less[0].JSON)
	if err != nil || len(less) > 1 || len(after.Parts) > len(before.Parts) {
		t.Errorf("%s: %v in %v", format, err, less)
	}
}

// seedFormats adds messages of all formats.
func seedFormats(f *testing.F, add func(string)) {
	f.Helper()
	for _, s := range slices.Concat(fuzzSeeds, formatSeeds) {
		add(s)
	}
}

var formatSeeds = []string{
	`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"n",` +
		`"arguments":"{\"a\":1}"}},{"id":"2","custom":{"name":"p","input":"x"}}],"refusal":"r"}`,
	`{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"a"},{"type":"image_url"}]}`,
	`{"type":"function_call","call_id":"1","name":"n","arguments":"{"}`,
	`{"type":"function_call_output","call_id":"1","output":"x"}`,
	`{"type":"shell_call_output","call_id":"1","output":[{"stdout":"a","stderr":"b"},{}]}`,
	`{"type":"computer_call_output","call_id":"1","output":{}}`,
	`{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}],"content":[]}`,
	`{"role":"model","parts":[{"text":"a","thought":true},{"functionCall":{"name":"1","args":{}},` +
		`"thoughtSignature":"s"}]}`,
	`{"parts":[{"functionResponse":{"name":"n","id":"1","response":{"output":"o"}}},` +
		`{"function_response":{"name":"n"}},{"text":"t"}]}`,
}

// The messages of a conversation are slices of it, in order, and nothing but commas and white space
// is between them.
func FuzzSplitKeepsTheBytes(f *testing.F) {
	f.Add([]byte(`[{"a":1}, {"b":2}]`))
	f.Add([]byte(`{"messages":[{"a":1},{}],"x":[]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		ms, err := Split(Anthropic, src)
		if err != nil {
			return
		}
		rest := src
		for i, m := range ms {
			at := bytes.Index(rest, m)
			if at < 0 {
				t.Fatalf("message %d is not in the source, in order", i)
			}
			if i > 0 && strings.Trim(string(rest[:at]), " \t\r\n,") != "" {
				t.Errorf("%q between messages %d and %d", rest[:at], i-1, i)
			}
			rest = rest[at+len(m):]
		}
		if src[bytes.IndexAny(src, "[{")] == '[' {
			joined := "[" + string(bytes.Join(ms, []byte(","))) + "]"
			again, err := Split(Anthropic, []byte(joined))
			if err != nil || !reflect.DeepEqual(again, ms) && len(ms) > 0 {
				t.Errorf("split again: %q, %v", again, err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := string(quote(strings.Repeat("line of a large file\n", 50_000)))
	raw := []byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":` + text + `}]}`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := Decode(Anthropic, raw); err != nil {
			b.Fatal(err)
		}
	}
}
