package ctxmcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/lab/programtest"
)

func TestGarbageBetweenCallsIsAnsweredAndEndsNothing(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	garbage := []struct {
		line, id string
		code     int
	}{
		{"", "null", -32700},
		{"starting…", "null", -32700},
		{"\x00\xff", "null", -32700},
		{"\ufeff{}", "null", -32700},
		{`{"jsonrpc":"2.0",`, "null", -32700},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32600},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}`, `"a"`, -32600},
		{`{"jsonrpc":"2.0","id":"b","METHOD":"ping"}`, `"b"`, -32600},
		{`{"jsonrpc":"2.0","id":"c","method":"ping","method":"ping"}`, `"c"`, -32600},
		{`{"jsonrpc":"2.0","id":"d","method":"ping","paramſ":{}}`, `"d"`, -32600},
		{`{"jsonrpc":"2.0","id":"e","method":"ping","params":[]}`, `"e"`, -32602},
		{`{"jsonrpc":"2.0","id":"f","method":"no/such/method"}`, `"f"`, -32601},
		{`{"jsonrpc":"2.0","id":"g","method":"tools/call","params":{"name":"no_such_tool"}}`, `"g"`, -32602},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":"h","method":"ping","params":{"x":` + strings.Repeat("[", 5000) + strings.Repeat(
			"]", 5000) + `}}`, `"h"`, -32600},
	}
	for i, g := range garbage {
		id := strconv.Itoa(i + 1)
		p.send(t, g.line)
		if a := p.answer(t, g.id); a.Error == nil || a.Error.Code != g.code || strings.Contains(a.Error.Message, "\n") {
			t.Errorf("%.60q is answered %s %+v, not with %d", g.line, a.Result, a.Error, g.code)
		}
		p.send(t, `{"jsonrpc":"2.0","method":"notifications/unknown","params":[]}`,
			`{"jsonrpc":"2.0","id":99,"result":{}}`)
		p.send(t, call(id, "changes", nil)+"\r")
		has(t, p.answer(t, id).text(t), "no changes are known")
	}
	p.end(t)
}

func TestALineThatIsTooLongIsAnsweredUnderItsID(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	big := strings.Repeat("x", 17<<20)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":{"body":"` + big + `"}}}`,
		`{"method":"tools/call","params":{"name":"memory","arguments":{"body":"` + big + `"}},"jsonrpc":"2.0","id":2}`,
		`log line ` + big,
	} {
		p.send(t, line)
	}
	for _, id := range []string{"1", "2", "null"} {
		if a := p.answer(t, id); a.Error == nil || a.Error.Code != -32600 {
			t.Errorf("id %s: %+v", id, a)
		} else {
			has(t, a.Error.Message, "longer than 16 MiB")
		}
	}
	p.send(t, call("3", "changes", nil))
	p.answer(t, "3").text(t)
	p.end(t)
}

// conversation returns messages as JSON, at least size bytes.
func conversation(size int) []map[string]any {
	var out []map[string]any
	for n, i := 0, 0; n < size; i++ {
		text := strings.Repeat(fmt.Sprintf("turn %d of the <work> & ", i), 200)
		n += len(text)
		out = append(out, map[string]any{"role": "user", "content": text},
			map[string]any{"role": "assistant", "content": fmt.Sprintf("answer %d", i)})
	}
	return out
}

func TestWhatWasAskedBeforeTheEndOfInputIsAnswered(t *testing.T) {
	cmd := programtest.NewPlace(t).Command(t, binary, "--in-process")
	lines := []string{call("1", "compact_conversation",
		map[string]any{"format": "anthropic", "messages": conversation(2 << 20)})}
	for i := range 40 {
		lines = append(lines, call(strconv.Itoa(i+2), "changes", nil))
	}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n")) // no newline at the end
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(out) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil || a.Error != nil || seen[string(a.ID)] {
			t.Fatalf("%v: %.300s", err, line)
		}
		seen[string(a.ID)] = true
	}
	if len(seen) != len(lines) {
		t.Errorf("%d of %d requests are answered", len(seen), len(lines))
	}
}

func TestAnswersComeInAnyOrderEachOnce(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	p.send(t, call("0", "compact_conversation",
		map[string]any{"format": "anthropic", "messages": conversation(1 << 20)}))
	for i := 1; i <= 200; i++ {
		p.send(t, call(strconv.Itoa(i), "changes", nil))
	}
	p.send(t, request(`"list"`, "tools/list", map[string]any{}))
	p.answer(t, `"list"`)
	for i := 200; i >= 0; i-- {
		p.answer(t, strconv.Itoa(i)).text(t)
	}
	if len(p.early) > 0 {
		t.Errorf("answers to nothing: %v", p.early)
	}
	p.end(t)
}

func TestAnIDInUseIsRefusedAndTheFirstRequestKeepsIt(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	slow := call("1", "compact_conversation", map[string]any{"format": "anthropic", "messages": conversation(4 << 20)})
	p.send(t, slow, call("1", "changes", nil))
	a := p.answer(t, "null")
	if a.Error == nil || a.Error.Code != -32600 {
		t.Errorf("the second request is answered %s", a.Result)
	}
	has(t, p.answer(t, "1").text(t), "session ")
	p.send(t, call("1", "changes", nil)) // free again
	has(t, p.answer(t, "1").text(t), "no changes are known")
	p.end(t)
}

func TestInvariant9TheToolListIsTheSameInEveryProcess(t *testing.T) {
	var want json.RawMessage
	for i := range 3 {
		cmd := programtest.NewPlace(t).Command(t, binary, "--in-process")
		cmd.Env = append(cmd.Env, fmt.Sprintf("CLAUDE_CODE_SESSION_ID=%d", i))
		p := start(t, cmd)
		p.send(t, call("1", "memory", map[string]any{"action": "save", "name": fmt.Sprintf("n%d", i), "body": "x"}))
		p.answer(t, "1").text(t)
		p.send(t, request("2", "tools/list", map[string]any{}))
		got := p.answer(t, "2").Result
		if want != nil && !bytes.Equal(want, got) {
			t.Errorf("process %d lists\n%s\nnot\n%s", i, got, want)
		}
		want = got
		p.end(t)
	}
}

func TestToolListDoesNotWaitForTheLedger(t *testing.T) {
	pl := programtest.NewPlace(t)
	pl.StopDaemons(t)
	began := time.Now()
	p := start(t, pl.Command(t, binary))
	p.send(t, request("1", "initialize",
		map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "t", "version": "1"}}),
		request("2", "tools/list", map[string]any{}))
	p.answer(t, "2")
	listed := time.Since(began)
	p.send(t, call("3", "changes", nil))
	has(t, p.answer(t, "3").text(t), "no changes are known")
	t.Logf("tool list after %v, first answer of a daemon that had to be started after %v", listed, time.Since(began))
	if listed > 2*time.Second { // 100 ms on an idle machine
		t.Errorf("the tool list took %v", listed)
	}
	p.end(t)
}

func TestTwoServersShareOneLedgerThroughADaemon(t *testing.T) {
	pl := programtest.NewPlace(t)
	pl.StopDaemons(t)
	one, two := start(t, pl.Command(t, binary)), start(t, pl.Command(t, binary))
	one.send(t, call("1", "memory", map[string]any{"action": "save", "name": "shared", "body": "by both"}))
	one.answer(t, "1").text(t)
	two.send(t, call("1", "memory", map[string]any{"action": "get", "name": "shared"}))
	has(t, two.answer(t, "1").text(t), "by both")
	// A conversation longer than a frame to the daemon, spelled as encoders would not.
	messages := strings.ReplaceAll(asJSON(t, conversation(limits.Frame+1<<20)), `{"content"`, `{ "content"`)
	one.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"compact_conversation",`+
		`"arguments":{"format":"anthropic","return":"messages","keep_turns":1,"messages":`+messages+`}}}`)
	got := one.answer(t, "2").text(t)
	var r struct {
		Status   string            `json:"status"`
		Session  string            `json:"session"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal([]byte(got), &r); err != nil || r.Status != "compacted" {
		t.Fatalf("%v in %.500s", err, got)
	}
	if last := string(r.Messages[len(r.Messages)-1]); !strings.HasPrefix(last, `{ "content":"answer `) ||
		!strings.HasSuffix(messages, last+"]") {
		t.Errorf("the last message came back as %s", last)
	}
	two.send(t, call("2", "context_status", map[string]any{"session": r.Session}))
	has(t, two.answer(t, "2").text(t), "summary in effect")
	one.end(t)
	two.end(t)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestADaemonThatIsKilledIsNotNoticed(t *testing.T) {
	pl := programtest.NewPlace(t)
	pl.StopDaemons(t)
	p := start(t, pl.Command(t, binary))
	save := func(id, name string) {
		p.send(t, call(id, "memory", map[string]any{"action": "save", "name": name, "body": "b"}))
		has(t, p.answer(t, id).text(t), "saved")
	}
	save("1", "before")
	state, err := daemon.Status(t.Context(), pl.Workspace(t).State)
	if err != nil || !state.Running {
		t.Fatalf("%v: %+v", err, state)
	}
	owner, err := os.FindProcess(state.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Kill(); err != nil {
		t.Fatal(err)
	}
	save("2", "after")
	p.send(t, call(`"all"`, "memory", map[string]any{"action": "list"}))
	text := p.answer(t, `"all"`).text(t)
	has(t, text, "before")
	has(t, text, "after")
	p.end(t)
}

func TestALedgerThatCannotBeOpenedIsToldByTheTools(t *testing.T) {
	pl := programtest.NewPlace(t)
	file := pl.Root + "/file"
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ state, workspace, want, out string }{
		{file + "/state", "", "", "state"},
		{"relative", "", "invalid:", "CTXLEDGER_STATE"},
		{pl.State, "/no/such/directory", "invalid:", "--workspace"},
		{pl.State, "/", "invalid:", "root of a file system"},
	} {
		cmd := pl.Command(t, binary, "--in-process", "--workspace", x.workspace)
		cmd.Env = append(cmd.Env, "CTXLEDGER_STATE="+x.state)
		p := start(t, cmd)
		p.send(t, request("1", "tools/list", map[string]any{}), call("2", "changes", nil))
		p.answer(t, "1")
		text := p.answer(t, "2").text(t)
		has(t, text, x.want)
		has(t, text, x.out)
		p.end(t)
	}
}

func TestStartedOutsideAnyProjectItKeepsTheUsersMemoryAlone(t *testing.T) {
	for _, dir := range []string{"/", "home"} {
		pl := programtest.NewPlace(t)
		if dir == "home" {
			dir = pl.Home
		}
		before, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		cmd := pl.Command(t, binary, "--in-process")
		cmd.Dir = dir
		p := start(t, cmd)
		p.send(t, call("1", "memory", map[string]any{"action": "save", "name": "n", "body": "b", "scope": "user"}))
		has(t, p.answer(t, "1").text(t), "in scope user")
		p.send(t, call("2", "memory", map[string]any{"action": "save", "name": "n", "body": "b", "scope": "project"}))
		has(t, p.answer(t, "2").text(t), "no project memory without a workspace")
		p.end(t)
		after, err := os.ReadDir(dir)
		if err != nil || len(after) != len(before) {
			t.Errorf("%s had %d entries, has %d; %v", dir, len(before), len(after), err)
		}
	}
}

// TestStartedNowhereItAsksTheClientForItsRoots is what desktop hosts need: they start servers in /, and
// know the project.
func TestStartedNowhereItAsksTheClientForItsRoots(t *testing.T) {
	pl := programtest.NewPlace(t)
	cmd := pl.Command(t, binary, "--in-process")
	cmd.Dir = "/"
	p := start(t, cmd)
	p.send(t, request("1", "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{"roots": map[string]any{}},
		"clientInfo": map[string]any{"name": "desk", "version": "1"},
	}), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.answer(t, "1")
	p.send(t, call("2", "memory", map[string]any{"action": "save", "name": "n", "body": "b", "scope": "project"}))
	line, err := p.out.ReadString('\n')
	var asked struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err != nil || json.Unmarshal([]byte(line), &asked) != nil || asked.Method != "roots/list" {
		t.Fatalf("not a question for roots: %q, %v", line, err)
	}
	p.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[{"uri":%q}]}}`, asked.ID, "file://"+pl.Root))
	has(t, p.answer(t, "2").text(t), "in scope project")
	p.end(t)
}

func TestFlagsAndSignals(t *testing.T) {
	pl := programtest.NewPlace(t)
	if out, err := pl.Command(t, binary, "--version").Output(); err != nil ||
		!strings.HasPrefix(string(out), "ctxmcp ") {
		t.Errorf("%v: %s", err, out)
	}
	for _, wrong := range [][]string{{"--frob"}, {"file"}, {"--tool-prefix", "a b"}} {
		cmd := pl.Command(t, binary, wrong...)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || len(out) == 0 {
			t.Errorf("%v: %v: %s", wrong, err, out)
		}
	}
	p := start(t, pl.Command(t, binary, "--in-process"))
	p.send(t, call("1", "changes", nil))
	p.answer(t, "1")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("after a signal: %v; %s", err, p.stderr)
	}
}

func TestAWaitingSubscriptionDoesNotHoldUpTheEnd(t *testing.T) {
	p := start(t, programtest.NewPlace(t).Command(t, binary, "--in-process"))
	modern := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	p.send(t, request("1", "subscriptions/listen", map[string]any{"_meta": modern, "notifications": map[string]any{}}),
		call("2", "changes", nil))
	for { // the acknowledgement is a notification: it has no id
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, `"id":2`) {
			break
		}
	}
	p.end(t) // nothing else ends the subscription
}

func TestTheLibrarysOwnClientIsServedInBothEras(t *testing.T) {
	for _, options := range [][]client.ClientOption{nil, {client.WithProtocolVersion("2025-11-25")}} {
		pl := programtest.NewPlace(t)
		c := client.NewClient(transport.NewStdio(binary, pl.Variables(), "--in-process", "--structured", "--workspace",
			pl.Root), options...)
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = "2025-11-25"
		hello.Params.ClientInfo = mcp.Implementation{Name: "library", Version: "1"}
		if _, err := c.Initialize(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		var save mcp.CallToolRequest
		save.Params.Name, save.Params.Arguments = "memory", map[string]any{"action": "save", "name": "n", "body": "b"}
		r, err := c.CallTool(t.Context(), save)
		if err != nil || r.IsError {
			t.Fatalf("%v: %+v", err, r)
		}
		has(t, asJSON(t, r.StructuredContent), `"source":"agent:library"`)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
