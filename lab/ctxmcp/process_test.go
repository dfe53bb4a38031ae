package ctxmcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		binary = filepath.Join(dir, "ctxmcp")
		return programtest.Build(dir, "ctxledger.dev/cmd/ctxmcp")
	}))
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *sandbox.Tail
	early  map[string]answer // came before they were asked for
}

// answer is a JSON-RPC answer.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, stderr: &sandbox.Tail{}, early: map[string]answer{}}
	cmd.Stderr = p.stderr
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// send writes lines.
func (p *process) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.in, l+"\n"); err != nil {
			t.Fatalf("%v; standard error: %s", err, p.stderr)
		}
	}
}

// next reads one answer. Every line of standard output must be one.
func (p *process) next(t *testing.T) answer {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v after %q; standard error: %s", err, line, p.stderr)
	}
	var a answer
	if err := json.Unmarshal([]byte(line), &a); err != nil || a.ID == nil || (a.Result == nil) == (a.Error == nil) {
		t.Fatalf("%v: not an answer: %.300s", err, line)
	}
	return a
}

// answer waits for the answer to one request; they come in any order.
func (p *process) answer(t *testing.T, id string) answer {
	t.Helper()
	for {
		if a, ok := p.early[id]; ok {
			delete(p.early, id)
			return a
		}
		a := p.next(t)
		if _, twice := p.early[string(a.ID)]; twice && string(a.ID) != "null" {
			t.Fatalf("id %s is answered twice", a.ID)
		}
		p.early[string(a.ID)] = a
	}
}

// end closes the input and waits for the process.
func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.in.Close(); err != nil {
		t.Error(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v; standard error: %s", err, p.stderr)
	}
}

// request returns a request as a line.
func request(id, method string, params any) string {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, raw)
}

// call returns a tool call as a line.
func call(id, tool string, arguments map[string]any) string {
	return request(id, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// callFrom is a call that the host ties to its session, as Claude Code does.
func callFrom(id, tool, use string, arguments map[string]any) string {
	return request(id, "tools/call", map[string]any{"name": tool, "arguments": arguments,
		"_meta": map[string]any{"claudecode/toolUseId": use}})
}

// text returns the text of a tool's result.
func (a answer) text(t *testing.T) string {
	t.Helper()
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if a.Error != nil {
		t.Fatalf("id %s: error %d: %s", a.ID, a.Error.Code, a.Error.Message)
	}
	if err := json.Unmarshal(a.Result, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("%v in %s", err, a.Result)
	}
	return r.Content[0].Text
}

// has fails unless text holds part.
func has(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q is missing in: %.2000s", part, text)
	}
}
