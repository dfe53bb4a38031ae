package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEnvelopeRefusesWhatTwoReadersCouldReadDifferently(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory","arguments":{}}}`
	for _, x := range []struct {
		name, line string
		code       int    // 0 with want "": passes; 0 otherwise: dropped
		id         string // of the answer
		want       string
	}{
		{"a call", call, 0, "", ""},
		{"white space around it", " \t" + call + " ", 0, "", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0, "", ""},
		{"a string as id", `{"jsonrpc":"2.0","id":"a\"b","method":"ping"}`, 0, "", ""},
		{"a negative id", `{"jsonrpc":"2.0","id":-3,"method":"ping"}`, 0, "", ""},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","x":{"x":1}}`, 0, "", ""},
		{"a key twice inside arguments",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":{"a":1,"a":2}}}`, 0, "", ""},
		{"a lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":"\ud800"}}`, 0, "", ""},
		{"an escaped key", `{"jsonrpc":"2.0","id":1,"\u006dethod":"ping"}`, 0, "", ""},

		{"an empty line", "", codeParse, "", "empty line"},
		{"blanks", " \t ", codeParse, "", "empty line"},
		{"log text", "starting server…", codeParse, "", "not one JSON value"},
		{"a cut object", call[:len(call)-1], codeParse, "", "not one JSON value"},
		{"two objects", call + call, codeParse, "", "not one JSON value"},
		{"a byte order mark", "\ufeff" + call, codeParse, "", "not one JSON value"},
		{"a NUL", call + "\x00", codeParse, "", "not one JSON value"},
		{"invalid UTF-8", strings.Replace(call, "memory", "mem\xffory", 1), codeParse, "", "UTF-8"},
		{"NaN", `{"jsonrpc":"2.0","id":NaN,"method":"ping"}`, codeParse, "", "not one JSON value"},
		{"a batch", "[" + call + "]", codeRequest, "", "batches"},
		{"an empty batch", "[]", codeRequest, "", "batches"},
		{"a string", `"hello"`, codeRequest, "", "object"},
		{"depth", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":` + strings.Repeat("[", 100_000) +
			strings.Repeat("]", 100_000) + `}}`, codeRequest, "7", "nested deeper"},

		{"no version", `{"id":7,"method":"ping"}`, codeRequest, "7", "jsonrpc"},
		{"version 1.0", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, codeRequest, "7", "jsonrpc"},
		{"version as a number", `{"jsonrpc":2.0,"id":7,"method":"ping"}`, codeRequest, "7", "jsonrpc"},
		{"two ids", `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, codeRequest, "", "twice"},
		{"METHOD", `{"jsonrpc":"2.0","id":7,"METHOD":"ping"}`, codeRequest, "7", `must be spelled \"method\"`},
		{"paramſ", `{"jsonrpc":"2.0","id":7,"method":"ping","paramſ":{}}`, codeRequest, "7", "params"},
		{"ID", `{"jsonrpc":"2.0","ID":7,"method":"ping"}`, codeRequest, "", "id"},
		{"method twice", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`, codeRequest, "7", "twice"},
		{"method twice, once escaped", `{"jsonrpc":"2.0","id":7,"method":"ping","m\u0065thod":"tools/list"}`,
			codeRequest, "7", "twice"},
		{"an empty method", `{"jsonrpc":"2.0","id":7,"method":""}`, codeRequest, "7", "method"},
		{"a number as method", `{"jsonrpc":"2.0","id":7,"method":1}`, codeRequest, "7", "method"},
		{"a long method", `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", maxMethod+1) + `"}`, codeRequest,
			"7", "method"},
		{"no method", `{"jsonrpc":"2.0","id":7}`, codeRequest, "7", "method"},
		{"a result in a request", `{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}`, codeRequest, "7", "result"},

		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, codeRequest, "", "id"},
		{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, codeRequest, "", "id"},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, codeRequest, "", "id"},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, codeRequest, "", "id"},
		{"an exponent in an id", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, codeRequest, "", "id"},
		{"an id beyond 53 bits", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, codeRequest, "", "id"},
		{"minus zero as id", `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, codeRequest, "", "id"},
		{"a long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID) + `","method":"ping"}`, codeRequest, "",
			"id"},

		{"an array as params", `{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}`, codeParams, "7", "params"},
		{"null as params", `{"jsonrpc":"2.0","id":7,"method":"ping","params":null}`, codeParams, "7", "params"},
		{"Name", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"Name":"memory"}}`, codeParams, "7",
			`\"name\"`},
		{"name twice", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}`, codeParams,
			"7", "twice"},
		{"_META", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_META":{}}}`, codeParams, "7", "_meta"},

		{"an answer to nothing", `{"jsonrpc":"2.0","id":7,"result":{}}`, 0, "", "dropped"},
		{"a notification with wrong params", `{"jsonrpc":"2.0","method":"x","params":[]}`, 0, "", "dropped"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m, wrong := check([]byte(x.line))
			switch {
			case x.want == "" && wrong != nil:
				t.Errorf("refused: %s", wrong.text)
			case x.want == "" && m.method == "":
				t.Error("passes without a method")
			case x.want == "":
			case wrong == nil:
				t.Error("passes")
			case wrong.code != x.code || string(wrong.id) != x.id || x.code != 0 &&
				!strings.Contains(strings.ReplaceAll(wrong.text, `"`, `\"`), x.want):
				t.Errorf("code %d, id %q, %q; want %d, %q, %q", wrong.code, wrong.id, wrong.text, x.code, x.id, x.want)
			}
		})
	}
}

func TestIDOfALineThatIsNotKeptIsFoundWhereverItStands(t *testing.T) {
	long := `"params":{"id":1,"x":["` + strings.Repeat(`\"id\":2,{}[]`, 1000) + `",{"id":3}]}`
	for _, x := range []struct{ line, want string }{
		{`{"id":5,` + long + `}`, "5"},
		{`{` + long + `,"id": "last"  }`, `"last"`},
		{`{` + long + `,"id":6`, ""}, // cut off before it is sure
		{`{` + long + `}`, ""},
		{`{"id":{"id":4},` + long + `}`, ""},
		{`{"id":"` + strings.Repeat("x", 2*maxID) + `"}`, ""},
		{`{"a":"id","id":7}`, "7"},
		{`[{"id":7}]`, ""},
		{`}}}{"id":7}`, ""},
	} {
		s := newSeeker()
		for chunk := range bytes.SplitSeq([]byte(x.line), []byte(",")) { // any division will do
			_, _ = s.Write(append(bytes.Clone(chunk), ','))
		}
		if got := string(found(s)); got != x.want && x.want != "" {
			t.Errorf("%.60s…: found %q, want %q", x.line, got, x.want)
		}
		s = newSeeker()
		_, _ = s.Write([]byte(x.line))
		if got := string(found(s)); got != x.want {
			t.Errorf("%.60s…: found %q, want %q", x.line, got, x.want)
		}
	}
}

// FuzzEnvelope: what passes is read by encoding/json in the same way, and by the seeker too.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,{"b":"}"}]}}`,
		`{"jsonrpc":"2.0","id":"\u0041\\","method":"x"}`,
		`[]`, `{"jsonrpc" : "2.0" , "method":"a","params" : { } }`, `{"id":1,"id":2}`, "\ufeff{}",
		`{"jsonrpc":"2.0","id":1e2,"method":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, wrong := check(line)
		if wrong != nil {
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("%q passes: %v", line, err)
		}
		var method string
		err := json.Unmarshal(fields["method"], &method)
		if err != nil || method != m.method || !bytes.Equal(fields["id"], m.id) {
			t.Errorf("%q is read as id %s, method %q", line, m.id, m.method)
		}
		if params := fields["params"]; params != nil {
			got, _ := object(line, nil)
			if !bytes.Equal(got["params"], params) {
				t.Errorf("%q: params %q, not %q", line, got["params"], params)
			}
		}
		s := newSeeker()
		_, _ = s.Write(line)
		if id := found(s); m.id != nil && bytes.Contains(line, []byte(`"id"`)) && !bytes.Equal(id, m.id) {
			t.Errorf("%q: the seeker finds %q, not %q", line, id, m.id)
		}
	})
}
