package jsonspan

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// texts are near the border between what is JSON and what is not.
var texts = []string{
	`{}`, ` {} `, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`,
	`{"a":01}`, `{"a":-}`, `{"a":-0}`, `{"a":1.}`, `[1,]`, `[,]`,
	`{"a":1.5e+3}`, `{"a":1e}`, `{"a":1E-}`, `{"a":.5}`, `{"a":tru}`,
	`{"a":true}`, `{"a":nul}`, `{"a":null}`, `{"a":false}`,
	`{"a":[1,2]}`, `{"a":[]}`, `{"a":["x"}`, `{"a":["x"}]`, `{"a":"\u00e4"}`,
	`{"a":"\u00g4"}`, `{"a":"\x"}`, `{"a":"\`, `"\u+123"`,
	`{"a":"\u12`, `{"a":"` + "\t" + `"}`, `{"a":"` + "\xff" + `"}`,
	`{"a":1}x`, `{"a":1}{"b":2}`, `[]`, `"x"`, `1`, ``, ` `, `-`,
	`{"a":1`, "{\"a\":1}\x00", "\x00{}", "\x00", "\ufeff{}", `{'a':1}`,
	`{"a":NaN}`, `{"a":+1}`, `{"a":1 2}`, `{a:1}`, `{"a" 1}`, `{"a":1 "b"}`,
	`"\ud83d\ude00\ud83d\u0041\ude00\"\\\/\b\f\n\r\t"`, "\"\xff\\t\"",
	`"01234567\n89abcdef"`, "\"0123456\x1f\"", "\"0123456789abcde\x00\"",
	`{"m\u0065ssage":"x","message":[2,{"b":["c",null,-1.5e3]}]}`, ` [ {"a" : [ ] } , { } , "é" ] `,
	strings.Repeat(`{"a":[`, 50) + strings.Repeat(`]}`, 50), strings.Repeat(`[`, 100),
}

func same(a, b json.RawMessage) bool { return bytes.Equal(a, b) }

// sound goes through a value by Inside alone and holds each value's bytes against encoding/json's.
func sound(t *testing.T, w *Walker, src []byte, want json.RawMessage) {
	t.Helper()
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	switch w.Peek() {
	case '{':
		got := map[string]json.RawMessage{}
		for name, value := range At(src, Span{w.Pos(), len(src)}, MaxDepth).Members {
			got[Unquote(name.In(src))] = value.In(src)
		}
		if err := json.Unmarshal(want, &members); err != nil || !maps.EqualFunc(got, members, same) {
			t.Fatalf("members of %q: %q, want %q", want, got, members)
		}
	case '[':
		var got []json.RawMessage
		for value := range At(src, Span{w.Pos(), len(src)}, MaxDepth).Elements {
			got = append(got, value.In(src))
		}
		if err := json.Unmarshal(want, &elements); err != nil || !slices.EqualFunc(got, elements, same) {
			t.Fatalf("elements of %q: %q, want %q", want, got, elements)
		}
	default:
		if got := w.Value().In(src); !bytes.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
		return
	}
	n := 0
	for name := range w.Inside {
		if n++; len(src)%3 == n%3 {
			continue // it is passed over
		}
		inner := json.RawMessage(nil)
		if name.Empty() {
			inner = elements[n-1]
		} else { // of several members of a name encoding/json has the last
			inner = At(src, Span{w.Pos(), len(src)}, MaxDepth).Value().In(src)
		}
		sound(t, w, src, inner)
	}
	if w.Err() != nil {
		t.Fatalf("%q: %v", want, w.Err())
	}
}

// FuzzWalkerAgreesWithEncodingJSON: a walker accepts what encoding/json accepts, up to its limit on nesting, and each span
// holds the bytes that encoding/json finds.
func FuzzWalkerAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s), 30)
	}
	f.Fuzz(func(t *testing.T, src []byte, limit int) {
		limit = min(max(limit, 0), MaxDepth)
		w := New(src, limit)
		at := w.Value()
		err := w.End()
		valid := json.Valid(src)
		bad, is := errors.AsType[*Error](err)
		switch {
		case err != nil && !is, is && (bad.Pos < 0 || bad.Pos > len(src)):
			t.Fatalf("%q: %#v", src, err)
		case is && bad.TooDeep:
			if depth := deepest(src); depth <= limit {
				t.Fatalf("%q is %d deep, the limit is %d", src, depth, limit)
			}
			return
		case valid != (err == nil):
			t.Fatalf("%q: encoding/json says %v, the walker %v", src, valid, err)
		case err != nil:
			return
		case deepest(src) > limit:
			t.Fatalf("%q is deeper than %d", src, limit)
		case !bytes.Equal(at.In(src), bytes.Trim(src, " \t\r\n")):
			t.Fatalf("%q: %q", src, at.In(src))
		}
		sound(t, New(src, MaxDepth), src, at.In(src))
		var text string
		if json.Unmarshal(src, &text) == nil && src[at.From] == '"' {
			if got := Unquote(at.In(src)); got != text {
				t.Errorf("unquoted: %q, want %q", got, text)
			}
		}
	})
}

// deepest returns how deep the brackets of a text are nested outside strings.
func deepest(src []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

func TestADeepTextIsRefusedAtTheLimit(t *testing.T) {
	for _, depth := range []int{1, 500, MaxDepth} {
		src := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		w := New(src, depth)
		if w.Value(); w.End() != nil {
			t.Errorf("%d levels: %v", depth, w.Err())
		}
		w = New(src, depth-1)
		w.Value()
		if bad, ok := errors.AsType[*Error](w.Err()); !ok || !bad.TooDeep || bad.Pos != depth-1 {
			t.Errorf("%d levels with a limit of %d: %v", depth, depth-1, w.Err())
		}
	}
}

func TestMembersOfATextThatIsCutOffAreThoseThatAreWhole(t *testing.T) {
	const src = `{"a":1,"b":{"c":[2,3]},"d":"x`
	w := New([]byte(src), MaxDepth)
	var got []string
	for name, value := range w.Members {
		got = append(got, src[name.From:value.To])
	}
	if want := []string{`"a":1`, `"b":{"c":[2,3]}`}; !slices.Equal(got, want) || w.Err() == nil {
		t.Errorf("%q, %v; want %q", got, w.Err(), want)
	}
	if at := w.Value(); !at.Empty() {
		t.Errorf("a value after the error: %v", at)
	}
}

func TestMembersAndElementsWantTheirKind(t *testing.T) {
	for _, src := range []string{`[1]`, `"x"`, `7`, ``} {
		w := New([]byte(src), MaxDepth)
		for range w.Members {
			t.Errorf("%q has a member", src)
		}
		if w.Err() == nil {
			t.Errorf("%q is taken for an object", src)
		}
	}
	w := New([]byte(`{"a":1}`), MaxDepth)
	for range w.Elements {
		t.Error("an object has an element")
	}
	if w.Err() == nil {
		t.Error("an object is taken for an array")
	}
}

func TestWalkingAllocatesNothing(t *testing.T) {
	src := []byte(`{"a":[1,2,{"b":"c\n\u00e4"}],"d":{"e":null}}`)
	n := 0
	if allocs := testing.AllocsPerRun(100, func() {
		w := New(src, MaxDepth)
		for name, value := range w.Members {
			n += name.To + value.To
		}
		for range At(src, Span{5, len(src)}, MaxDepth).Inside {
			n++
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkValue(b *testing.B) {
	line, err := json.Marshal(strings.Repeat("\tif err != nil { return fmt.Errorf(\"line: %w\", err) }\n", 20_000))
	if err != nil {
		b.Fatal(err)
	}
	for name, src := range map[string]string{
		"text":  string(line),
		"plain": `"` + strings.Repeat("abcdefghijklmnop ", 60_000) + `"`,
		"small": "[" +
			strings.Repeat(`{"type":"text","n":12,"ok":true,"list":[1,2.5],"text":"a short one"},`, 10_000) + "0]",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			raw := []byte(src)
			for b.Loop() {
				w := New(raw, MaxDepth)
				if w.Value(); w.End() != nil {
					b.Fatal(w.Err())
				}
			}
		})
	}
}
