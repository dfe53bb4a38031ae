package transcript

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var fuzzSeeds = []string{
	`{"role":"user","content":"hi"}`,
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"a"},{"type":"image"}]},{"type":"text","text":"b"}]}`,
	`{"role":"user","content":[ {"tool_use_id":"1","content":"x","type":"tool_result"} , {"type":"tool_result","tool_use_id":"1"}]}`,
	`{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"1","name":"n","input":{"a":[1e3,-0.5,null,true]}}]}`,
	"{\"role\":\"user\",\"content\":\"\\ud800\xff\"}",
	`{"role":"user","content":[]}`,
}

// The scanner accepts what encoding/json accepts, up to its own bound on nesting.
func FuzzScannerAgreesWithTheStandardLibrary(f *testing.F) {
	for _, s := range append(fuzzSeeds, `[1,02]`, `1.`, `-`, `"\x"`, `"\u00e9\n\/"`, `"\ud83d\ude00\ud83d\u0041\ude00"`, "\"\xff\\t\"", `{"a":}`, `nul`, "\ufeff{}", `[1,]`, `{"a":1,}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := document(src)
		if valid := json.Valid(src); valid != (err == nil) && !(valid && strings.Contains(err.Error(), "nested deeper")) {
			t.Errorf("encoding/json says %v, the scanner %v", valid, err)
		}
		var want string
		if err == nil && json.Unmarshal(src, &want) == nil && bytes.HasPrefix(bytes.TrimSpace(src), []byte{'"'}) {
			if got := unquote(bytes.TrimSpace(src)); got != want {
				t.Errorf("unquoted: %q, want %q", got, want)
			}
		}
	})
}

// Design invariant 1, for messages: what is encoded is what was decoded.
func FuzzInvariant1DecodeEncodeIsVerbatim(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Decode(Anthropic, raw)
		if err != nil {
			return
		}
		if back, err := Encode(Anthropic, m); err != nil || !bytes.Equal(back, raw) {
			t.Errorf("got %q, %v", back, err)
		}
		if same, err := Edit(Anthropic, raw, Edits{}); err != nil || !bytes.Equal(same, raw) {
			t.Errorf("the empty edit gives %q, %v", same, err)
		}
		again, err := Merge(Anthropic, [][]byte{raw, NewMessage(Anthropic, wireRole(m.Role), "")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(Anthropic, again); err != nil {
			t.Errorf("merged: %v in %s", err, again)
		}
		Extract(m)
	})
}

// An edit changes the results that it names, and nothing else.
func FuzzEditChangesOnlyWhatItNames(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s), "1", "stub")
	}
	f.Fuzz(func(t *testing.T, raw []byte, id, text string) {
		before, err := Decode(Anthropic, raw)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		out, err := Edit(Anthropic, raw, Edits{Results: map[string]string{id: text}})
		if err != nil {
			for _, p := range before.Parts {
				if p.Kind == KindResult && p.ID == id {
					t.Fatalf("the result is there: %v", err)
				}
			}
			return
		}
		after, err := Decode(Anthropic, out)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%v in %s", err, out)
		}
		for i, p := range before.Parts {
			if p.Kind == KindResult && p.ID == id && !p.Sealed {
				p.Text = text
			}
			if !reflect.DeepEqual(p, after.Parts[i]) {
				t.Errorf("part %d: got %+v, want %+v", i, after.Parts[i], p)
			}
		}
		addAndDrop(t, before, raw, id)
	})
}

// addAndDrop checks that results that are added and taken away again leave the message as it was.
func addAndDrop(t *testing.T, before Message, raw []byte, id string) {
	t.Helper()
	const extra = "added by the test"
	more, err := Edit(Anthropic, raw, Edits{AddResults: []Part{{Kind: KindResult, ID: extra}}})
	if err != nil {
		t.Fatal(err)
	}
	less, err := Edit(Anthropic, more, Edits{KeepResults: map[string]int{extra: 0}})
	if err != nil {
		t.Fatal(err)
	}
	if less == nil {
		if len(before.Parts) > 0 && PlainText(before) != "" {
			t.Errorf("nothing is left of %s", raw)
		}
		return
	}
	after, err := Decode(Anthropic, less)
	if err != nil || len(after.Parts) > len(before.Parts) {
		t.Errorf("%v in %s", err, less)
	}
}

// The messages of a conversation are slices of it, in order, and nothing but commas and white space
// stands between them.
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
