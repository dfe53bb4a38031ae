package ctxlsp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

// hostile is something that no editor should send.
type hostile struct {
	name string
	raw  string // bytes as they are
	id   string // under which it is refused, "null" where the server cannot know it; "": it is not answered
	code int    // that it is refused with; 0: it is answered well
}

// framed puts a message behind its length.
func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// ping is a message that does no harm.
const ping = `{"jsonrpc":"2.0","method":"$/ping"}`

// The codes of refusals.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	requestFailed  = -32803
)

// frames are malformed headers of messages.
func frames() []hostile {
	cases := []hostile{
		{"lower case", "content-length: " + strconv.Itoa(len(ping)) + "\r\n\r\n" + ping, "", 0},
		{"line feeds only", "Content-Length: " + strconv.Itoa(len(ping)) + "\n\n" + ping, "", 0},
		{"a type", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + framed(ping), "", 0},
		{"the old spelling", "Content-Type: application/vscode-jsonrpc; charset=utf8\r\n" + framed(ping), "", 0},
		{"an unknown line", "X-Whatever: 1\r\n" + framed(ping), "", 0},
		{"a wrong charset", "Content-Type: application/vscode-jsonrpc; charset=utf-16\r\n" + framed(ping),
			"null", parseError},
		{"the same length twice", "Content-Length: 35\r\n" + framed(ping), "", 0},
		{"two lengths", "Content-Length: 7\r\n" + framed(ping), "null", parseError},
		{"no length", "Content-Type: x\r\n\r\n" + ping, "null", parseError},
		{"no header", ping, "null", parseError},
		{"carriage returns only", "Content-Length: 2\r\r{}", "null", parseError},
		{"bytes between messages", "what is this?\r\n", "null", parseError},
		{"a header of 1 MB", "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "null", parseError},
		{"many lines", strings.Repeat("X: y\r\n", 1000) + "\r\n", "null", parseError},
		// it eats the next one
		{"too long for its body", "Content-Length: 40\r\n\r\n" + ping + framed(ping), "null", parseError},
		{"too short for its body", "Content-Length: 20\r\n\r\n" + ping, "null", parseError},
	}
	for _, n := range []string{"", "0", "-1", "+5", "1e3", "0x10", "2147483647", "2147483648", "9223372036854775808",
		strings.Repeat("9", 1000), "134217729"} {
		cases = append(cases, hostile{fmt.Sprintf("the length %.30q", n), "Content-Length: " + n + "\r\n\r\n",
			"null", parseError})
	}
	return cases
}

// messages are bodies that are no message of JSON-RPC, or no good one.
func messages() []hostile {
	var cases []hostile
	add := func(name, body, id string, code int) {
		cases = append(cases, hostile{name, framed(body), id, code})
	}
	for _, body := range []string{"{", "x", `"x"`, "NaN", "Infinity", "-", `{"jsonrpc":"2.0",}`, "\xff\xfe", "\x00",
		`{"jsonrpc":"2.0","method":"$/ping"}{}`} {
		add("no JSON: "+body, body, "null", parseError)
	}
	for _, body := range []string{"[]", "[1]", "[" + ping + "]", "[[" + ping + "]]",
		"[" + strings.Repeat("1,", 1_000_000) + "1]", "{}", `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","result":1,"method":"x"}`, `{"jsonrpc":"2.0","METHOD":"$/ping"}`,
		`{"jsonrpc":"2.0","Method":"$/ping"}`,
		`{"jsonrpc":"2.0","method":"a","method":"b"}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`,
		`{"jsonrpc":"2.0","method":""`[:0] + `{"jsonrpc":"2.0","method":7}`,
		`{"jsonrpc":"2.0","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"method":"a"}`} {
		add("no request: "+body[:min(50, len(body))], body, "null", invalidRequest)
	}
	for _, id := range []string{"null", "true", "1.5", "{}", "[]", "1e400", "9223372036854775808"} {
		add("the id "+id, `{"jsonrpc":"2.0","id":`+id+`,"method":"textDocument/hover"}`, "null", invalidRequest)
	}
	for _, version := range []string{`"1.0"`, "2", "null", `"2.1"`} {
		add("version "+version, `{"jsonrpc":`+version+`,"id":801,"method":"shutdown"}`, "801", invalidRequest)
	}
	add("no version", `{"id":"s","method":"shutdown"}`, `"s"`, invalidRequest)
	for _, id := range []string{"-7", `""`, `"x y"`, "9223372036854775807"} {
		add("unknown, the id "+id, `{"jsonrpc":"2.0","id":`+id+`,"method":"ctxledger/unknown","params":{}}`, id,
			methodNotFound)
	}
	add("unknown without parameters", `{"jsonrpc":"2.0","id":802,"method":"ctxledger/unknown"}`, "802", methodNotFound)
	add("an unknown method that could be left out", `{"jsonrpc":"2.0","id":807,"method":"$/unknown"}`, "807",
		methodNotFound)
	add("parameters by a name that folds to theirs", `{"jsonrpc":"2.0","id":808,"method":"textDocument/hover",`+
		`"paramſ":{"textDocument":{"uri":"untitled:good"},"position":{"line":0,"character":0}}}`, "808", invalidParams)
	add("an empty method", `{"jsonrpc":"2.0","id":803,"method":""}`, "803", methodNotFound)
	add("a long method", `{"jsonrpc":"2.0","id":804,"method":"`+strings.Repeat("m", 1<<20)+`"}`, "804", methodNotFound)
	add("an unknown notification", `{"jsonrpc":"2.0","method":"$/unknown","params":{"x":1}}`, "", 0)
	add("an unknown notification without parameters", `{"jsonrpc":"2.0","method":"workspace/unknown"}`, "", 0)
	add("a notification with an id", `{"jsonrpc":"2.0","id":805,"method":"textDocument/didOpen","params":{}}`, "805",
		invalidRequest)
	add("a request without one", `{"jsonrpc":"2.0","method":"textDocument/hover","params":{}}`, "", 0)
	add("an answer to nothing", `{"jsonrpc":"2.0","id":900,"result":null}`, "", 0)
	add("a failure of nothing", `{"jsonrpc":"2.0","id":901,"error":{"code":1,"message":"x"}}`, "", 0)
	add("escaped slashes", `{"jsonrpc":"2.0","id":806,"method":"textDocument\/unknown"}`, "806", methodNotFound)
	return cases
}

// requests are good messages with bad parameters, or at the wrong time.
func requests() []hostile {
	var cases []hostile
	id := 1000
	add := func(name, method, params string, code int) {
		id++
		cases = append(cases, hostile{
			name, framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method,
				params)), strconv.Itoa(id), code})
	}
	tell := func(name, method, params string) {
		cases = append(cases, hostile{
			name, framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)), "", 0})
	}
	add("initialize twice", "initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`, invalidRequest)
	for _, p := range []string{"null", "[]", `"x"`, "7", `{"textDocument":7}`, `{"textDocument":{"uri":7}}`,
		`{"textDocument":{"uri":"x"},"position":"x"}`} {
		add("hover with "+p, "textDocument/hover", p, invalidParams)
		tell("a change with "+p, "textDocument/didChange", p)
		tell("a cancellation with "+p, "$/cancelRequest", p)
	}
	for _, u := range []string{"", "not a uri", "file:///gone.md", "untitled:x", "vscode-remote://ssh+x/a",
		"file://server/share/a", "file://host", "file:///%zz", "file://", "file:///c%3A/a.md", "FILE:///A",
		"file:///a%00b", strings.Repeat("x", 1<<20)} {
		add("hover on "+u[:min(30, len(u))], "textDocument/hover",
			`{"textDocument":{"uri":"`+u+`"},"position":{"line":0,"character":0}}`, 0)
		tell("a change of "+u[:min(30, len(u))], "textDocument/didChange",
			`{"textDocument":{"uri":"`+u+`","version":2},"contentChanges":[{"text":"x"}]}`)
		tell("closing "+u[:min(30, len(u))], "textDocument/didClose", `{"textDocument":{"uri":"`+u+`"}}`)
	}
	for _, p := range []string{`{"line":4294967295,"character":4294967295}`, `{"line":0,"character":1000000}`,
		`{"line":99,"character":0}`, `{"line":0,"line":0,"character":0}`} {
		add("hover at "+p, "textDocument/hover", `{"textDocument":{"uri":"untitled:good"},"position":`+p+`}`, 0)
	}
	for _, p := range []string{`{"line":4294967296,"character":0}`, `{"line":-1,"character":0}`,
		`{"line":1.5,"character":0}`, `{"line":1e3,"character":0}`, `{"line":"0","character":0}`} {
		add("hover at "+p, "textDocument/hover", `{"textDocument":{"uri":"untitled:good"},"position":`+p+`}`,
			invalidParams)
	}
	for _, args := range []string{"[]", `[7]`,
		`[{"uri":"untitled:none","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}},2]`} {
		add("a command with "+args, "workspace/executeCommand",
			`{"command":"ctxledger.server.countSelection","arguments":`+args+`}`, invalidParams)
	}
	add("an unknown command", "workspace/executeCommand", `{"command":"rm"}`, invalidParams)
	tell("settings that are none", "workspace/didChangeConfiguration", `{"settings":{"ctxledger":{"lens":7}}}`)
	tell("settings with a wrong word", "workspace/didChangeConfiguration",
		`{"settings":{"ctxledger":{"hover":"maybe"}}}`)
	tell("cancelling what is answered", "$/cancelRequest", `{"id":1001}`)
	tell("cancelling nothing", "$/cancelRequest", `{"id":123456}`)
	tell("cancelling without an id", "$/cancelRequest", `{}`)
	tell("closing twice", "textDocument/didClose", `{"textDocument":{"uri":"untitled:none"}}`)
	return cases
}

// TestNothingThatIsSentEndsTheServer sends what no editor should, each followed by a good call.
func TestNothingThatIsSentEndsTheServer(t *testing.T) {
	s := newPlace(t).start(t)
	s.initialize(t)
	must(t, s.Open("untitled:good", "markdown", guide))
	cases := append(append(frames(), messages()...), requests()...)
	seen, last := 0, ""
	defer func() { t.Logf("%d cases, the last one was %s", len(cases), last) }()
	for _, c := range cases {
		last = c.name
		must(t, s.Raw([]byte(c.raw)))
		if got := s.cost(t, "untitled:good"); got != count(guide) {
			t.Fatalf("%s: then the lens says %q", c.name, got)
		}
		if c.id == "" {
			continue
		}
		told, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
			for _, m := range told[seen:] {
				if string(m.ID) == c.id || m.Method == "" && m.ID == nil && c.id == "null" {
					return true
				}
			}
			return false
		})
		if err != nil {
			t.Fatalf("%s: %v; told %+v", c.name, err, told[seen:])
		}
		judge(t, c, told[seen:])
		seen = len(told)
	}
	told, err := s.Until(s.ctx, func([]scriptededitor.Message) bool { return true })
	must(t, err)
	for _, m := range told[seen:] {
		t.Errorf("unasked: %+v", m)
	}
	s.leave(t)
}

// judge holds what was answered against the rule of the case.
func judge(t *testing.T, c hostile, told []scriptededitor.Message) {
	t.Helper()
	for _, m := range told {
		switch {
		case c.code == 0 && m.Error != nil, c.code != 0 && (m.Error == nil || m.Error.Code != c.code):
			t.Errorf("%s: answered %s %v, not %d", c.name, m.Result, m.Error, c.code)
		case m.Error != nil && (m.Error.Message == "" || regexp.MustCompile(`[\x00-\x1f]|panic|incident`).MatchString(m.Error.Message)):
			t.Errorf("%s: the error says %q", c.name, m.Error.Message)
		}
	}
}

func TestTheOrderOfALifeIsKept(t *testing.T) {
	s := newPlace(t).start(t)
	code := func(method string, params any) int {
		err := s.Call(s.ctx, method, params, nil)
		wire, _ := err.(*scriptededitor.Error)
		if wire == nil {
			t.Fatalf("%s: %v", method, err)
		}
		return wire.Code
	}
	hover := scriptededitor.Document("untitled:a", map[string]any{"position": scriptededitor.Position{}})
	if got := code("textDocument/hover", hover); got != -32002 {
		t.Errorf("hover before initialize: %d", got)
	}
	must(t, s.Open("untitled:a", "markdown", guide)) // dropped
	s.initialize(t)
	if got := ask[json.RawMessage](t, s, "textDocument/codeLens", "untitled:a", nil); string(got) != "null" {
		t.Errorf("a document opened before initialize: %s", got)
	}
	must(t, s.Call(s.ctx, "shutdown", nil, nil))
	for _, method := range []string{"textDocument/hover", "initialize", "shutdown"} {
		if got := code(method, hover); got != invalidRequest {
			t.Errorf("%s after shutdown: %d", method, got)
		}
	}
	must(t, s.Notify("exit", nil))
	<-s.Gone()
	must(t, s.cmd.Wait())
}

func TestTheServerEndsWithItsEditor(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(*server) error
		status int
	}{
		{"exit without shutdown", func(s *server) error { return s.Notify("exit", nil) }, 1},
		{"the end of the input", func(s *server) error { return s.Close() }, 0},
		{"in the middle of a message",
			func(s *server) error { _ = s.Raw([]byte("Content-Length: 99\r\n\r\n{")); return s.Close() }, 0},
		{"in the middle of a header", func(s *server) error { _ = s.Raw([]byte("Content-Len")); return s.Close() }, 0},
		{"asked by the system", func(s *server) error { return s.cmd.Process.Signal(os.Interrupt) }, 0},
	} {
		s := newPlace(t).start(t)
		s.initialize(t)
		must(t, c.end(s))
		<-s.Gone()
		_ = s.cmd.Wait() // its status is looked at
		if got := s.cmd.ProcessState.ExitCode(); got != c.status {
			t.Errorf("%s: status %d, not %d; %s", c.name, got, c.status, s.stderr)
		}
	}
}

// TestTheServerEndsWithTheProcessOfItsEditor holds the inputs of servers open whose editors have ended. One that never
// saw the process of its editor stays, and one whose editor lives leaves at its word.
func TestTheServerEndsWithTheProcessOfItsEditor(t *testing.T) {
	editor := exec.Command("cat")
	in, err := editor.StdinPipe()
	must(t, err)
	must(t, editor.Start())
	begin := func(pid int) *server {
		s := newPlace(t).start(t)
		_, err := s.Initialize(s.ctx, nil, everything, map[string]any{"processId": pid})
		must(t, err)
		must(t, s.Open("untitled:good", "markdown", guide))
		return s
	}
	orphan, polite, stranger := begin(editor.Process.Pid), begin(editor.Process.Pid), begin(1<<30)
	polite.leave(t)
	must(t, in.Close())
	must(t, editor.Wait())
	if _, err := orphan.Until(
		orphan.ctx, func([]scriptededitor.Message) bool { return false }); orphan.ctx.Err() != nil {
		t.Fatal(err)
	}
	if err := orphan.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, orphan.stderr)
	}
	if got := stranger.cost(t, "untitled:good"); got != count(guide) {
		t.Errorf("the lens says %q", got)
	}
	stranger.leave(t)
}
