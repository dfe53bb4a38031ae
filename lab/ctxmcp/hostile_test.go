package ctxmcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hostile is a line that no client should send, and the expected answer.
type hostile struct {
	name string
	line string
	id   string // of the answer; "" means that there is none
	code int    // of the error; 0: a result
	// told are the fault codes that the text of a tool's result may start with; empty: any text.
	told []string
}

// refused is a line that is answered with an error of the protocol.
func refused(name, line, id string, code int) hostile {
	return hostile{name: name, line: line, id: id, code: code}
}

// dropped is a line that is not answered.
func dropped(name, line string) hostile { return hostile{name: name, line: line} }

// frames are wrong lines on standard input.
func frames() []hostile {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	out := []hostile{
		refused("a byte order mark", "\ufeff"+ping, "null", -32700),
		refused("a byte order mark of UTF-16", "\xff\xfe{\x00}\x00", "null", -32700),
		refused("invalid UTF-8 in a string", strings.Replace(ping, "ping", "p\xffing", 1), "null", -32700),
		refused("an overlong encoding", strings.Replace(ping, "ping", "\xc0\xaf", 1), "null", -32700),
		refused("a surrogate as UTF-8", strings.Replace(ping, "ping", "\xed\xa0\x80", 1), "null", -32700),
		refused("two objects", ping+ping, "null", -32700),
		refused("two objects with a blank", ping+" "+ping, "null", -32700),
		refused("a comma after it", ping+",", "null", -32700),
		refused("a NUL after it", ping+"\x00", "null", -32700),
		refused("a carriage return inside", `{"jsonrpc":"2.0",`+"\r\x01"+`"id":1}`, "null", -32700),
		refused("a header of the language server protocol", "Content-Length: 40\r", "null", -32700),
		refused("an event stream", "data: "+ping, "null", -32700),
		refused("http", "POST / HTTP/1.1", "null", -32700),
		refused("a colour", "\x1b[31mred\x1b[0m", "null", -32700),
		refused("a batch", "["+ping+"]", "null", -32600),
		refused("an empty batch", "[]", "null", -32600),
		refused("a nested batch", "[["+ping+"]]", "null", -32600),
		refused("a batch of many", "["+strings.Repeat(ping+",", 10_000)+ping+"]", "null", -32600),
		refused("deep arrays", strings.Repeat("[", 100_000), "null", -32600),
		refused("deep objects", strings.Repeat(`{"a":`, 100_000), "null", -32600),
		refused("a control character in a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\x01\"}",
			"null", -32700),
		refused("a line of 64 MiB", strings.Repeat("x", 64<<20), "null", -32600),
		refused("a long line of text", strings.Repeat("log ", 1<<20), "null", -32700),
	}
	for i, text := range []string{"", " ", "\t", "\r", "\x00", "null", "true", "0", `"text"`, "log: started", "{", "}",
		"{}}", "[", `{"a"}`, `{"a":}`, `{a:1}`, "'", "NaN", "-", "\u2028", "\v", "\f"} {
		code := -32700
		if json.Valid([]byte(text)) {
			code = -32600
		}
		out = append(out, refused(fmt.Sprintf("text %d", i), text, "null", code))
	}
	for cut := 1; cut < len(ping); cut += 4 {
		out = append(out, refused(fmt.Sprintf("cut after %d bytes", cut), ping[:cut], "null", -32700))
	}
	return out
}

// envelopes are JSON that is no request.
func envelopes() []hostile {
	var out []hostile
	with := func(name, members, id string, code int) {
		out = append(out, refused(name, `{"jsonrpc":"2.0",`+members+`}`, id, code))
	}
	for _, version := range []string{"", `"jsonrpc":"1.0",`, `"jsonrpc":2.0,`, `"jsonrpc":null,`, `"jsonrpc":"2",`,
		`"jsonrpc":"2.0 ",`, `"JSONRPC":"2.0",`, `"jsonrpc":["2.0"],`} {
		out = append(out, refused("version "+version, `{`+version+`"id":"v","method":"ping"}`, `"v"`, -32600))
	}
	for _, id := range []string{"null", "true", "false", "{}", "[]", "[1]", "1.5", "-0", "1e1", "1e400",
		"9007199254740993", "-9007199254740993", "123456789012345678901234567890", `"` + strings.Repeat("x", 1100) +
			`"`, `{"id":1}`} {
		with("id "+id[:min(len(id), 20)], `"id":`+id+`,"method":"ping"`, "null", -32600)
	}
	for _, method := range []string{`""`, "1", "null", "true", "{}", `["ping"]`,
		`"` + strings.Repeat("x", 1<<20) + `"`} {
		with("method "+method[:min(len(method), 20)], `"id":"m","method":`+method, `"m"`, -32600)
	}
	for _, method := range []string{"nothing", "$/x", "$/cancelRequest", "tools/call/", "tools//call", "Tools/Call",
		"../tools/list", "ping ", "rpc.discover", "shutdown", "exit", "textDocument/didOpen", "sampling/createMessage",
		"роверка", "\\u0000"} {
		with("unknown method "+method, `"id":"u","method":"`+method+`"`, `"u"`, -32601)
	}
	for _, params := range []string{"null", "[]", "[1]", `"x"`, "1", "true"} {
		with("params "+params, `"id":"p","method":"tools/list","params":`+params, `"p"`, -32602)
	}
	for _, key := range []string{"METHOD", "Method", "methoD"} {
		with("key "+key, `"id":"k","`+key+`":"ping"`, `"k"`, -32600)
	}
	for _, members := range []string{`"id":"k","method":"ping","paramſ":{}`, `"id":"k","method":"ping","method":"ping"`,
		`"id":"k","method":"ping","m\u0065thod":"tools/list"`, `"id":"k","method":"ping","params":{},"params":{}`,
		`"id":"k","method":"ping","PARAMS":{}`, `"id":"k","method":"ping","result":{}`,
		`"id":"k","method":"ping","error":{}`, `"id":"k"`, `"id":"k","params":{}`} {
		with("members "+members, members, `"k"`, -32600)
	}
	with("two ids", `"id":"1","id":"2","method":"ping"`, "null", -32600)
	with("another ID", `"ID":1,"method":"ping"`, "null", -32600)
	for _, key := range []string{"Name", "NAME", "Arguments", "_META", "ARGUMENTS"} {
		with("params with "+key, `"id":"n","method":"tools/call","params":{"`+key+`":{}}`, `"n"`, -32602)
	}
	with("depth in params", `"id":"d","method":"ping","params":{"x":`+strings.Repeat("[", 5000)+strings.Repeat(
		"]", 5000)+`}`, `"d"`, -32600)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":99,"result":null}`,
		`{"jsonrpc":"2.0","method":"notifications/unknown"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"memory","arguments":{"action":"save","name":"n",` +
			`"body":"b"}}}`,
		`{"jsonrpc":"2.0","method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		out = append(out, dropped(line, line))
	}
	return out
}

// orders are requests at the wrong time, and what hosts of other eras say. They may be answered either
// way, but once.
func orders() []hostile {
	var out []hostile
	for _, version := range []string{`"2024-11-05"`, `"2025-03-26"`, `"2025-06-18"`, `"2025-11-25"`, `"2026-07-28"`,
		`"1999-01-01"`, `"9999-99-99"`, `""`, `"latest"`} {
		line := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":` + version +
			`,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		out = append(out, hostile{name: "initialize again with " + version, line: line, id: `"i"`})
	}
	for i, line := range []string{
		`"method":"tools/list","params":{"cursor":"forged"}`, `"method":"resources/list","params":{"cursor":"forged"}`,
		`"method":"tools/call","params":{"name":"changes","_meta":{"progressToken":1}}`,
		`"method":"tools/call","params":{"name":"changes","_meta":{"progressToken":1}}`,
		`"method":"tools/call","params":{"name":"changes","task":{"ttl":1}}`, `"method":"tools/call","params":{}`,
		`"method":"tools/call"`,
		`"method":"prompts/get","params":{"name":"nothing"}`, `"method":"prompts/get","params":{}`,
		`"method":"resources/read","params":{"uri":"file:///etc/passwd"}`,
		`"method":"resources/read","params":{"uri":"ctxledger://artifact/../../x"}`,
		`"method":"resources/read","params":{}`, `"method":"logging/setLevel","params":{"level":"loud"}`,
		`"method":"completion/complete","params":{"ref":{"type":"x"}}`, `"method":"initialize"`,
		`"method":"initialize","params":{"protocolVersion":1}`,
		`"method":"notifications/initialized"`, `"method":"notifications/cancelled","params":{"requestId":"o"}`,
	} {
		out = append(out, hostile{name: fmt.Sprintf("order %d: %s", i, line),
			line: `{"jsonrpc":"2.0","id":"o",` + line + `}`, id: `"o"`})
	}
	return out
}

// arguments are wrong arguments for each argument of each tool, by the schemas that the server lists.
func arguments(t *testing.T, listed json.RawMessage) []hostile {
	t.Helper()
	var list struct {
		Tools []struct {
			Name        string `json:"name"`
			InputSchema struct {
				Properties map[string]struct {
					Type string   `json:"type"`
					Enum []string `json:"enum"`
				} `json:"properties"`
				Required []string `json:"required"`
			} `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(listed, &list); err != nil || len(list.Tools) < 5 {
		t.Fatalf("%v in %s", err, listed)
	}
	wrong := map[string][]string{
		"string":  {"true", "{}", "[]", "1.5"},
		"integer": {`"x"`, "1.5", "true", "[]", "{}", "1e99", "2147483648", "-2147483649"},
		"boolean": {"1", `"yes"`, "[]", "{}", "0"}, "array": {`"x"`, "1", "{}", "true"}, "object": {`"x"`, "1", "[]"},
	}
	var out []hostile
	for _, tool := range list.Tools {
		add := func(what, args string, told ...string) {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":%q,"arguments":%s}}`,
				tool.Name, args)
			out = append(out, hostile{name: tool.Name + " " + what, line: line, id: `"a"`, told: told})
		}
		for _, args := range []string{"[]", `"x"`, "1", "true"} {
			add("arguments "+args, args)
		}
		add("an argument that there is not", `{"nothing":1}`, "invalid:")
		for name, p := range tool.InputSchema.Properties {
			for _, v := range wrong[p.Type] {
				add(name+" = "+v, fmt.Sprintf(`{%q:%s}`, name, v), "invalid:")
			}
			if len(p.Enum) > 0 {
				add(name+" of no known value", fmt.Sprintf(`{%q:"nobody"}`, name), "invalid:")
			}
			add(name+" twice", fmt.Sprintf(`{%q:null,%q:null}`, name, name), "invalid:")
			add(strings.ToUpper(name), fmt.Sprintf(`{%q:null}`, strings.ToUpper(name)), "invalid:")
		}
		for _, name := range tool.InputSchema.Required {
			add("without "+name, "{}", "invalid:")
			add(name+" empty", fmt.Sprintf(`{%q:""}`, name), "invalid:")
		}
	}
	slices.SortFunc(out, func(a, b hostile) int { return strings.Compare(a.name, b.name) })
	return append(out, values()...)
}

// values are arguments of the right type that make no sense.
func values() []hostile {
	var out []hostile
	add := func(told []string, tool, args string) {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":%q,"arguments":%s}}`,
			tool, args)
		out = append(out, hostile{name: tool + " " + args[:min(len(args), 80)], line: line, id: `"w"`, told: told})
	}
	bad := []string{"invalid:", "not_found:", "too_large:", "conflict:"}
	long := strings.Repeat("x", 1<<20)
	for _, id := range []string{"000000000000", "zzzz", "../../etc/passwd", "/dev/zero", `a\u0000b`, `\ud800`,
		"%2e%2e", long} {
		add(bad, "read_artifact", `{"id":"`+id+`"}`)
		add(bad, "context_status", `{"session":"`+id+`"}`)
		add(bad, "compact_conversation", `{"session":"`+id+`"}`)
		add(bad, "memory", `{"action":"get","name":"`+id+`"}`)
		add(bad, "memory", `{"action":"delete","name":"`+id+`"}`)
	}
	for _, parts := range []string{`"lines":"10-40","head":1`, `"lines":"x"`, `"lines":"40-10"`, `"lines":"-1--2"`,
		`"bytes":"99999999999999999999-1"`, `"head":-1`, `"tail":-2147483648`, `"grep":"("`, `"grep":"(a+)+$"`,
		`"json_path":"$["`, `"json_path":"$..*"`, `"search":""`, `"limit":-1`, `"limit":0`, `"limit":2147483647`,
		`"context":-5`} {
		add(bad, "read_artifact", `{"id":"000000000000",`+parts+`}`)
	}
	for _, body := range []string{strings.Repeat("x", 4<<10+1), long} {
		add(bad, "memory", `{"action":"save","name":"n","body":"`+body+`"}`)
	}
	for _, args := range []string{`{"action":"save"}`, `{"action":"save","name":"n"}`, `{"action":"save","body":"b"}`,
		`{"action":"save","name":" ","body":"b"}`, `{"action":"save","name":"a\nb","body":"b"}`,
		`{"action":"save","name":"` + strings.Repeat("n", 101) + `","body":"b"}`,
		`{"action":"save","name":"n","body":"b","scope":"everyone"}`,
		`{"action":"save","name":"n","body":"b","type":"` + strings.Repeat("t", 51) + `"}`, `{"action":"recall"}`,
		`{"action":"get"}`, `{"action":"delete"}`, `{"action":"forget"}`} {
		add(bad, "memory", args)
	}
	for _, since := range []string{"yesterday", "2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z",
		"2026-01-01T00:00:60Z", "2026-01-01T00:00:00+25:00", "99999-01-01T00:00:00Z", "-1"} {
		add(nil, "changes", `{"since":"`+since+`"}`)
	}
	for _, args := range []string{`{"limit":-1}`, `{"limit":0}`, `{"limit":2147483647}`, `{"path":"../../etc/passwd"}`,
		`{"path":"a\u0000b"}`, `{"path":"` + long + `"}`} {
		add(nil, "changes", args)
	}
	for _, args := range []string{`{"messages":[1]}`, `{"messages":[[]]}`, `{"messages":[{}]}`,
		`{"messages":[{"role":"nobody","content":"x"}]}`, `{"messages":[{"role":"user"}]}`,
		`{"messages":[{"role":"user","content":1}]}`, `{"messages":[],"format":"none"}`,
		`{"messages":[{"role":"system","content":"x"}],"format":"anthropic"}`, `{"mode":"none"}`, `{"budget_tokens":-1}`,
		`{"keep_turns":-1}`, `{"messages":[],"since":true}`, `{"return":"nothing"}`} {
		add(bad, "compact_conversation", args)
	}
	return out
}
