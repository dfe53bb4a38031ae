package claudecode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ctxledger.dev/transcript"
)

func TestMembersIsAsStrictAsEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, ` {} `, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":01}`, `{"a":-}`, `{"a":-0}`, `{"a":1.}`,
		`{"a":1.5e+3}`, `{"a":1e}`, `{"a":.5}`, `{"a":tru}`, `{"a":true}`, `{"a":nul}`, `{"a":null}`, `{"a":false}`,
		`{"a":[1,2]}`, `{"a":[1,]}`, `{"a":[]}`, `{"a":["x"}`,
		`{"a":"\u00e4"}`, `{"a":"\u00g4"}`, `{"a":"\x"}`, `{"a":"\`,
		`{"a":"\u12`, `{"a":"` + "\t" + `"}`, `{"a":"` + "\xff" + `"}`, `{"a":1}x`, `{"a":1}{"b":2}`, `[]`, `"x"`, `1`,
		``, ` `, `{"a":1`, "{\"a\":1}\x00", "\x00{}", `{'a':1}`, `{"a":NaN}`, `{"a":+1}`, `{"a":1 2}`, `{a:1}`,
		strings.Repeat(`{"a":`, 9_999) + `1` + strings.Repeat(`}`, 9_999),
		strings.Repeat(`{"a":[`, 6_000) + `1` + strings.Repeat(`]}`, 6_000),
	} {
		isObject := json.Valid([]byte(text)) && bytes.HasPrefix(bytes.TrimSpace([]byte(text)), []byte("{"))
		if got := members([]byte(text), func([]byte, transcript.Span) {}); got != isObject {
			t.Errorf("members(%.60q) = %v, encoding/json says %v", text, got, isObject)
		}
	}
}

func FuzzMembersFindsWhatEncodingJSONFinds(f *testing.F) {
	for _, seed := range []string{
		`{"message":{"role":"user","content":"x"},"type":"user"}`, `{"a":[{"b":"\"\\é"}],"message":null}`,
		"{\"\xff\xfe\":1}", `{"message":1,"message":[2]}`, `{"m\u0065ssage":"x"}`, `{"a":"` + "\xff" + `","b":-1.5e3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want map[string]json.RawMessage
		err := json.Unmarshal(b, &want)
		got := map[string]string{}
		ok := members(b, func(key []byte, v transcript.Span) { got[unquote(key)] = string(b[v.From:v.To]) })
		if ok != (err == nil && want != nil) {
			t.Fatalf("members says %v, encoding/json %v", ok, err)
		}
		if !ok {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%d members, encoding/json has %d", len(got), len(want))
		}
		for k, v := range want {
			if got[k] != string(v) {
				t.Errorf("member %q = %q, want %q", k, got[k], v)
			}
		}
	})
}
