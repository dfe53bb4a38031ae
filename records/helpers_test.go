package records

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is what the clock of tests says.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ledger is a real ledger, and who reads it.
type opened struct {
	*engine.Local
	Reader
	t     *testing.T
	calls int
}

func newLedger(t *testing.T) *opened {
	t.Helper()
	e := env.System()
	e.Lookup = func(string) string { return "" }
	e.Now = func() time.Time { return noon }
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	return &opened{Local: local, Reader: Reader{API: local, Now: noon, Follows: true}, t: t}
}

// must returns v. An error is a defect of the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// say records messages as a session, or as what is new of one.
func (l *opened) say(session string, messages ...[]byte) string {
	l.t.Helper()
	return must(l.AppendMessages(l.t.Context(), ledger.AppendMessagesRequest{Session: session, Since: session != "",
		Host: "test", Model: "gpt-5", Format: transcript.Anthropic, Messages: messages})).Session
}

func user(text string) []byte {
	return transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, text)
}

func assistant(text string) []byte {
	return transcript.NewMessage(transcript.Anthropic, transcript.RoleAssistant, text)
}

// use is a call of a tool, and its result.
func (l *opened) use(tool string, args map[string]any, result string, failed bool) [][]byte {
	l.calls++
	id := fmt.Sprintf("toolu_%d", l.calls)
	return [][]byte{
		encoding(map[string]any{"role": "assistant",
			"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": args}}}),
		encoding(map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
			"tool_use_id": id, "content": result, "is_error": failed}}}),
	}
}

func encoding(v any) []byte {
	return must(json.Marshal(v))
}

// keep keeps content as an artifact.
func (l *opened) keep(content, title string) string {
	l.t.Helper()
	ref := must(l.PutBlob(l.t.Context(), strings.NewReader(content)))
	return must(l.PutArtifact(l.t.Context(), ledger.PutArtifactRequest{Blob: ref.Hash, Title: title})).ID
}

// remember saves a memory.
func (l *opened) remember(name, description, body string) {
	l.t.Helper()
	must(l.SaveMemory(l.t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{
		Name: name, Description: description, Body: body, Scope: memory.Project, Source: "user",
	}}))
}

// open reads the document of a node.
func (l *opened) open(n Node) string {
	l.t.Helper()
	return must(l.Text(l.t.Context(), must(Parse(n.URI))))
}

// walk calls visit for every node of the tree below a parent, and for the parents first.
func (l *opened) walk(parent string, visit func(Node)) {
	l.t.Helper()
	for _, n := range must(l.Nodes(l.t.Context(), parent)) {
		visit(n)
		if n.Children {
			l.walk(n.ID, visit)
		}
	}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must(0, os.WriteFile(file, []byte(got), 0o644))
	}
	if want := must(os.ReadFile(file)); string(want) != got {
		t.Errorf("%s is not what is shown (-update rewrites it):\n%s", file, got)
	}
}
