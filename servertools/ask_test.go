package servertools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/ledger"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// mode is the variable that makes this program a server which behaves in a way; it and what it starts write their process
// ids into the file that pids names.
const (
	mode = "SERVERTOOLS_TEST_MODE"
	pids = "SERVERTOOLS_TEST_PIDS"
)

func TestMain(m *testing.M) {
	e := env.System()
	if how := e.Lookup(mode); how != "" {
		notePID(e)
		behave(e, how)
		os.Exit(0)
	}
	if handled, exit := Main(os.Args, e, os.Stdin, os.Stdout); handled {
		os.Exit(exit)
	}
	if root := e.Lookup(caller); root != "" {
		os.Exit(askAndEnd(e, root))
	}
	goleak.VerifyTestMain(m)
}

func notePID(e env.Env) {
	f, err := os.OpenFile(e.Lookup(pids), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
}

// noted returns how many processes have written their ids into a file.
func noted(file string) int {
	raw, _ := os.ReadFile(file) // none: nothing runs yet
	return bytes.Count(raw, []byte("\n"))
}

// late is a context whose deadline has passed when over is closed.
type late struct {
	context.Context
	over chan struct{}
}

// Done implements context.Context.
func (l late) Done() <-chan struct{} { return l.over }

// Err implements context.Context.
func (l late) Err() error {
	select {
	case <-l.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// lateAfter returns a context whose deadline passes a second after so many processes run.
func lateAfter(t *testing.T, file string, processes int) context.Context {
	t.Helper()
	l := late{t.Context(), make(chan struct{})}
	go func() {
		until(t.Context(), func() bool { return noted(file) >= processes })
		time.AfterFunc(time.Second, func() { close(l.over) })
	}()
	return l
}

// until looks every few milliseconds whether something is so, until it is or ctx ends. It reports whether it is.
func until(ctx context.Context, so func() bool) bool {
	for again := time.NewTicker(5 * time.Millisecond); ; {
		if so() {
			return true
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return false
		}
	}
}

// within is until for as long as a test has patience.
func within(t *testing.T, so func() bool) bool {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	return until(ctx, so)
}

// behave is the server.
func behave(e env.Env, how string) {
	switch how {
	case "hang":
		<-time.After(time.Hour) // without cgo, select {} ends the program: no goroutine is left to wake it
	case "flood":
		for line := []byte(strings.Repeat("x", 1<<16)); ; {
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
	case "notify": // in few messages: what bounds them counts bytes
		for data := strings.Repeat("x", 1<<16); ; {
			if _, err := fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + data + `"}}`); err != nil {
				return
			}
		}
	case "request": // asks instead of answering, and reads nothing
		for i := 0; ; i++ {
			if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`+"\n", i); err != nil {
				return
			}
		}
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot connect: password=hunter2hunter2 \x1b[31mred")
		os.Exit(3)
	case "child", "orphan": // a child that stays and holds the pipes
		self, _ := os.Executable()
		cmd := exec.Command(self)
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), mode+"=hang"), os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		// it runs, however long that takes on a busy machine
		until(context.Background(), func() bool { return noted(e.Lookup(pids)) >= 2 })
		if how == "orphan" {
			return
		}
	}
	converse(os.Stdin, os.Stdout, how)
}

// converse answers requests, in the way that is asked for.
func converse(in io.Reader, out io.Writer, how string) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if answer := answerTo(lines.Bytes(), how); answer != "" {
			fmt.Fprintln(out, answer)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// schema is the input schema of the tools: with what typed forms lose.
const schema = `{"type":"object","properties":{"q":{"type":"string"}},"anyOf":[{"required":["q"]}]}`

func toolJSON(name string) string {
	return `{"name":"` + name + `","title":"not sent","description":"Finds <things>.","inputSchema":` + schema + `}`
}

func answerTo(line []byte, how string) string {
	var r struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	if json.Unmarshal(line, &r) != nil || r.ID == nil {
		return ""
	}
	result, page := "", 0
	fmt.Sscanf(r.Params.Cursor, "p%d", &page)
	switch {
	case r.Method == "initialize":
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"},` +
			`"instructions":"Look things up."}`
	case how == "garbage":
		return "{]\n\x00\xff\nnull\n[]\n\"x\"\n" + `{"jsonrpc":"2.0","id":{"a":[]},"result":7}` + "\n" +
			`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":"no list"}`
	case how == "refuses":
		return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32000,"message":"token=hunter2hunter2 expired"}}`
	case how == "deep":
		result = `{"tools":[{"name":"a","inputSchema":` + strings.Repeat(`{"a":`, 5000) + "1" +
			strings.Repeat("}", 5000) + `}]}`
	case how == "many":
		result = `{"tools":[` + strings.Repeat(toolJSON("a")+",", ledger.MaxServerTools) + toolJSON("b") + `]}`
	case how == "huge":
		result = `{"tools":[{"name":"a","description":"` + strings.Repeat("x", maxBytes) + `"}]}`
	case how == "endless":
		result = fmt.Sprintf(`{"tools":[],"nextCursor":"p%d"}`, page+1)
	case how == "circle":
		result = fmt.Sprintf(`{"tools":[],"nextCursor":"p%d"}`, 1-page)
	case how == "nameless":
		result = `{"tools":[{"name":7}]}`
	case page < 2:
		result = fmt.Sprintf(`{"tools":[%s],"nextCursor":"p%d"}`, toolJSON("find"+strconv.Itoa(page)), page+1)
	default:
		result = `{"tools":[` + toolJSON(strings.Repeat("é", ledger.MaxToolName)) + `]}`
	}
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + result + `}`
}

// approve configures a server in a workspace and approves it, as a person would.
func approve(t *testing.T, entry map[string]any) trust.ApprovedServer {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"docs": entry}})
	if err == nil {
		err = os.WriteFile(filepath.Join(root, ".mcp.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir()) // for processes that ask, too
	approved, err := approveIn(env.System(), root)
	if err != nil {
		t.Fatal(err)
	}
	return approved
}

// approveIn approves the first server of a workspace.
func approveIn(e env.Env, root string) (trust.ApprovedServer, error) {
	report := carried.Find(context.Background(),
		carried.Options{Agents: registry.Carried(), Root: root, Env: e,
			Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
	ask, err := trust.FindServer(e, root, report.Hosts[0], report.Hosts[0].Parts[0])
	if err != nil {
		return trust.ApprovedServer{}, err
	}
	return trust.ApproveServer(ask, ask.Digest())
}

// program is this program as a server, and the file with the ids of its processes.
func program(t *testing.T, how string) (trust.ApprovedServer, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pids")
	return approve(t, map[string]any{"command": self, "env": map[string]string{mode: how, pids: file}}), file
}

func masked(text string) string { return strings.ReplaceAll(text, "hunter2hunter2", "[masked]") }

// allEnded checks that every process which wrote its id has ended.
func allEnded(t *testing.T, file string, n int) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(string(raw))
	if len(ids) < n {
		t.Errorf("%d processes ran, not %d", len(ids), n)
	}
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		if !within(t, func() bool { return !running(pid) }) {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// patience is how long a process may take to start, and one that was killed to end, on a busy machine. That one closes its
// pipes first, which is what Ask waits for.
const patience = time.Minute

// running reports whether a process exists and is no zombie that only waits to be reaped.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process.Alive(pid)
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(state, []byte("Z"))
}

// want is what an honest server answers.
var want = asking.Answer{
	Tools: []ledger.AskedTool{{Name: "find0", Tokens: 40}, {Name: "find1", Tokens: 40}, {
		Name: strings.Repeat("é", ledger.MaxToolName/2), Tokens: 0}},
	Instructions: tokens.O200kBase.CountString("Look things up."),
}

func honest(t *testing.T, a asking.Answer, err error) {
	t.Helper()
	if err != nil || len(a.Tools) != len(want.Tools) || a.Instructions != want.Instructions {
		t.Fatalf("%+v, %v", a, err)
	}
	sent := `{"name":"find0","description":"Finds <things>.","input_schema":` + schema + `}`
	if n := tokens.O200kBase.CountString(sent); a.Tools[0].Tokens != n {
		t.Errorf("the first tool has %d tokens, not %d", a.Tools[0].Tokens, n)
	}
	for i, tool := range a.Tools {
		if tool.Name != want.Tools[i].Name {
			t.Errorf("tool %d is %q", i, tool.Name)
		}
	}
}

func TestAServerIsAskedForAllItsTools(t *testing.T) {
	approved, file := program(t, "good")
	a, err := Ask(t.Context(), approved, masked)
	honest(t, a, err)
	allEnded(t, file, 1)
}

// TestServersThatMisbehave: whatever a server does, asking ends in time with an error that says why, and nothing that it
// started goes on.
func TestServersThatMisbehave(t *testing.T) {
	cases := []struct {
		how, code, says string
		processes       int
	}{
		{"hang", "unavailable", "the server did not answer within", 1},
		{"flood", "limited", "answered with more than 8 MiB", 1},
		{"notify", "limited", "answered with more than 8 MiB", 1},
		{"request", "limited unavailable", "the server ", 1},
		{"dies", "unavailable", "exited without answering: cannot connect: password=[masked] red", 1},
		{"orphan", "unavailable", "the server did not answer within", 2},
		{"garbage", "invalid", "did not answer with a list of tools", 1},
		{"refuses", "unavailable", "token=[masked] expired", 1},
		{"deep", "invalid", "nested deeper than 64", 1},
		{"many", "limited", "more than 256 tools", 1},
		{"huge", "limited", "answered with more than 8 MiB", 1},
		{"endless", "limited", "does not end", 1},
		{"circle", "limited", "does not end", 1},
		{"nameless", "invalid", "names an invalid tool", 1},
	}
	for _, c := range cases {
		t.Run(c.how, func(t *testing.T) {
			approved, file := program(t, c.how)
			ctx := t.Context() // 8 MiB take a busy machine longer than the time that Ask gives
			if strings.HasPrefix(c.says, "the server ") {
				ctx = lateAfter(t, file, c.processes)
			}
			_, err := ask(ctx, approved, masked)
			if !slices.Contains(strings.Fields(c.code), string(fault.CodeOf(err))) ||
				!strings.Contains(fmt.Sprint(err), c.says) {
				t.Errorf("the error is %v", err)
			}
			allEnded(t, file, c.processes)
		})
	}
}

func TestAChildOfAServerIsEndedWithIt(t *testing.T) {
	approved, file := program(t, "child")
	a, err := Ask(t.Context(), approved, masked)
	honest(t, a, err)
	allEnded(t, file, 2)
}

func TestAPersonWhoStopsWaitingEndsTheServer(t *testing.T) {
	approved, file := program(t, "hang")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Ask(ctx, approved, masked)
		ended <- err
	}()
	untilItRuns(t, file)
	stop()
	if err := <-ended; !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
	allEnded(t, file, 1)
}

// untilItRuns waits until a server has written its process id.
func untilItRuns(t *testing.T, file string) {
	t.Helper()
	if !within(t, func() bool { return noted(file) > 0 }) {
		t.Fatal("the server was not started")
	}
}

func TestNothingIsStartedThatWasNotApproved(t *testing.T) {
	if _, err := Ask(t.Context(), trust.ApprovedServer{}, masked); !fault.Is(err, fault.Denied) {
		t.Errorf("nothing: %v", err)
	}
}

// TestServersAreAskedOverHTTP: both transports, with the headers of the configuration. A redirect is not followed.
func TestServersAreAskedOverHTTP(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	defer elsewhere.Close()
	serve := func(how string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer hunter2hunter2" {
				t.Errorf("%s without its header", r.Method)
			}
			body, _ := io.ReadAll(r.Body)
			switch answer := answerTo(body, how); {
			case how == "redirect":
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			case how == "login":
				w.WriteHeader(http.StatusUnauthorized)
			case r.Method != http.MethodPost:
				w.WriteHeader(http.StatusMethodNotAllowed)
			case answer == "":
				w.WriteHeader(http.StatusAccepted)
			default:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, answer)
			}
		}))
		t.Cleanup(s.Close)
		return s
	}
	for how, code := range map[string]fault.Code{"good": "", "redirect": fault.Unavailable, "login": fault.Unavailable,
		"huge": fault.Limited} {
		t.Run(how, func(t *testing.T) {
			approved := approve(t, map[string]any{"type": "http", "url": serve(how).URL,
				"headers": map[string]string{"Authorization": "Bearer hunter2hunter2"}})
			a, err := Ask(t.Context(), approved, masked)
			if code == "" {
				honest(t, a, err)
			} else if !fault.Is(err, code) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestServersOfTheOlderTransportAreAsked: HTTP with events.
func TestServersOfTheOlderTransportAreAsked(t *testing.T) {
	docs := server.NewMCPServer("docs", "1")
	docs.AddTool(mcp.NewTool("find", mcp.WithDescription("Finds things.")), nil)
	events := server.NewSSEServer(docs)
	s := httptest.NewServer(events)
	defer s.Close()
	defer events.Shutdown(t.Context()) // ends what it streams
	approved := approve(t, map[string]any{"type": "sse", "url": s.URL + "/sse"})
	a, err := Ask(t.Context(), approved, masked)
	if err != nil || len(a.Tools) != 1 || a.Tools[0].Name != "find" || a.Tools[0].Tokens == 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// FuzzForeignDefinitions: no text of a server is more than an error.
func FuzzForeignDefinitions(f *testing.F) {
	for _, seed := range []string{toolJSON("a"), `{"name":"x"}`, `{"name":"\ud800","inputSchema":[]}`, "null",
		`{"name":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tool, err := sizeOf(raw)
		if err == nil && (tool.Name == "" || len(tool.Name) > ledger.MaxToolName || tool.Tokens <= 0) {
			t.Errorf("%+v", tool)
		}
	})
}
