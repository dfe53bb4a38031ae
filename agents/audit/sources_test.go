package audit_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// session is the text of a session file with so many requests, whose ids begin with name.
func session(name string, requests int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b,
		`{"type":"user","uuid":"%s-u","sessionId":"%s","cwd":"/p/%s","timestamp":"2026-11-20T10:00:00Z","message":{"role":"user","content":"Go."}}`+"\n",
		name, name, name)
	for i := range requests {
		fmt.Fprintf(&b,
			`{"type":"assistant","uuid":"%s-%d","sessionId":"%s","timestamp":"2026-11-20T10:00:01Z","message":{"id":"%s-m%d","role":"assistant",`+
				`"model":"claude-opus-4-6","stop_reason":"end_turn","content":[{"type":"text","text":"Answer %d."}],"usage":{"input_tokens":%d,"output_tokens":7}}}`+"\n",
			name, i, name, name, i, i, 100+i)
	}
	return []byte(b.String())
}

func TestWithoutPathsTheAgentsPlacesAreRead(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, "elsewhere")
	write(t, filepath.Join(home, ".claude/projects/-p/a.jsonl"), session("a", 2))
	write(t, filepath.Join(config, "projects/-p/b.jsonl"), session("b", 3))
	rollout := `{"type":"session_meta","payload":{"id":"c","cwd":"/p"}}
{"type":"turn_context","payload":{"turn_id":"t","model":"gpt-5"}}
{"type":"token_usage_record","payload":{"thread_id":"c","usage":{"input_tokens":9},"thread_token_usage":{"input_tokens":9}}}
`
	for _, name := range []string{"rollout-1.jsonl", "rollout-2.jsonl"} { // the second one repeats the first
		write(t, filepath.Join(home, ".codex/sessions/2026/11/25", name), []byte(rollout))
	}
	for name, c := range map[string]struct {
		config string
		want   int
	}{
		"in the home directory": {"", 3}, "where a variable says": {config, 4},
		"nowhere": {filepath.Join(home, "nothing"), 1},
	} {
		o := options(c.config)
		o.Env.Home = home
		found, err := audit.Run(context.Background(), o)
		if err != nil || found.Total.Requests != c.want || len(found.Looked) < 2 || len(found.Failed) > 0 {
			t.Errorf("%s: %v, %d requests in %q, failed %v", name, err, found.Total.Requests,
				found.Looked, found.Failed)
		}
	}
}

// options are those of an audit with a variable set.
func options(config string) audit.Options {
	return audit.Options{
		Mask: strings.Clone,
		Env: env.Env{Lookup: func(name string) string {
			return map[string]string{"CLAUDE_CONFIG_DIR": config}[name]
		}},
		Models: tokens.Builtin(), Zone: time.UTC, Expect: func(int64) {}, Advance: func(int64) {},
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "good/a.jsonl"), session("a", 2))
	write(t, filepath.Join(dir, "good/other.jsonl"), []byte("no session\n"))
	write(t, filepath.Join(dir, "good/empty.jsonl"), nil)
	write(t, filepath.Join(dir, "good/notes.txt"), session("c", 1))
	write(t, filepath.Join(dir, "gemini.jsonl"), []byte(`{"sessionId":"x","projectHash":"y"}`+"\n"))
	if err := os.Symlink(filepath.Join(dir, "gemini.jsonl"), filepath.Join(dir, "good/link.jsonl")); err != nil {
		t.Fatal(err)
	}
	found := run(t, filepath.Join(dir, "good"), filepath.Join(dir, "missing"), filepath.Join(dir, "gemini.jsonl"),
		filepath.Join(dir, "good/notes.txt"))
	if found.Files != 2 || found.Total.Requests != 3 || len(found.Skipped) != 2 {
		t.Errorf("%d files, %d requests, skipped %v", found.Files, found.Total.Requests, found.Skipped)
	}
	var reasons []string
	for _, f := range found.Failed {
		reasons = append(reasons, filepath.Base(f.Path)+": "+f.Reason)
	}
	want := "missing: no such file or directory|gemini.jsonl: it is a Gemini CLI chat file"
	if got := strings.Join(reasons, "|"); got != want {
		t.Errorf("failed: %s, want %s", got, want)
	}
}

// rollout is the text of a Codex rollout with so many requests.
func rollout(id string, requests int) []byte {
	text := fmt.Sprintf(`{"type":"session_meta","payload":{"id":%q,"cwd":"/p"}}
{"type":"turn_context","payload":{"turn_id":"t","model":"gpt-5"}}
`, id)
	for i := range requests {
		text += fmt.Sprintf(`{"type":"token_usage_record","payload":{"thread_id":%q,"usage":{"input_tokens":9},`+
			`"thread_token_usage":{"input_tokens":%d}}}`+"\n", id, 9*i+9)
	}
	return []byte(text)
}

// frame returns a text as a zstd frame of one block that is not compressed.
func frame(text []byte) []byte {
	n := uint32(len(text))
	out := binary.LittleEndian.AppendUint32([]byte("\x28\xb5\x2f\xfd\xa0"), n)
	head := n<<3 | 1
	return append(append(out, byte(head), byte(head>>8), byte(head>>16)), text...)
}

// link makes a symbolic link.
func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no symbolic links here")
	}
}

// TestSessionsAreFoundWhereverAgentsPutThem: each file counts once, and a link that is not followed is named.
func TestSessionsAreFoundWhereverAgentsPutThem(t *testing.T) {
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	write(t, at(".codex/sessions/2026/06/01/rollout-a.jsonl"), rollout("a", 2))
	write(t, at(".codex/sessions/2026/06/01/rollout-a.jsonl.zst"), frame(rollout("a", 1))) // a has gone on since
	write(t, at(".codex/sessions/2026/06/01/rollout-b.jsonl.zst"), frame(rollout("b", 3)))
	write(t, at(".codex/archived_sessions/rollout-c.jsonl"), rollout("c", 5))
	write(t, at(".codex/archived_sessions/rollout-d.jsonl.zst"), frame(rollout("d", 7))[:30])
	projects := at(".claude/projects")
	write(t, at("store/-p-a/a.jsonl"), session("ca", 11))
	write(t, at("store/f.jsonl"), session("cf", 13))
	write(t, at("store/other.jsonl"), []byte("no session\n"))
	agent := strings.ReplaceAll(string(session("w", 17)), `"type"`, `"isSidechain":true,"agentId":"w","type"`)
	write(t, filepath.Join(projects, "-p-b/s/subagents/workflows/wf_1/agent-w.jsonl"), []byte(agent))
	link(t, at("store/-p-a"), filepath.Join(projects, "-p-a"))
	link(t, at("store/-p-a"), filepath.Join(projects, "-p-c")) // the same again
	link(t, at("store/f.jsonl"), filepath.Join(projects, "-p-b/f.jsonl"))
	link(t, filepath.Join(projects, "-p-b/f.jsonl"), filepath.Join(projects, "-p-b/g.jsonl"))
	if err := os.Link(at("store/f.jsonl"), filepath.Join(projects, "-p-b/hard.jsonl")); err != nil {
		t.Fatal(err)
	}
	link(t, projects, at("store/-p-a/loop"))
	link(t, home, filepath.Join(projects, "-p-b/home"))
	link(t, at("nowhere"), filepath.Join(projects, "-p-gone"))
	link(t, at("store/other.jsonl"), filepath.Join(projects, "-p-b/other.jsonl"))
	link(t, at("store/-p-a/a.jsonl"), filepath.Join(projects, "-p-b/notes.txt"))
	write(t, at("store/x.txt"), session("x", 19))
	link(t, at("store/x.txt"), filepath.Join(projects, "-p-b/x.jsonl"))
	write(t, at(".codex/sessions/2026/06/01/rollout-e.json"), []byte(`{"session":{"id":"e"},"items":[]}`))
	write(t, at(".codex/sessions/2026/06/01/rollout-f.jsonl.gz"), []byte("\x1f\x8b"))
	write(t, filepath.Join(projects, "-p-b/h.jsonl.zst"), frame(session("h", 23)))
	write(t, filepath.Join(projects, "-p-b/s/notes.json"), []byte("{}"))
	o := options("")
	o.Env.Home = home
	found, err := audit.Run(context.Background(), o)
	if err != nil || found.Total.Requests != 2+3+5+11+13+17 || found.Files != 6 || len(found.Looked) < 3 {
		t.Errorf("%v: %d files with %d requests in %q", err, found.Files, found.Total.Requests, found.Looked)
	}
	var reasons []string
	for _, f := range append(found.Failed, found.Unfollowed...) {
		reasons = append(reasons, filepath.Base(f.Path)+": "+f.Reason)
	}
	for i, want := range []string{"rollout-d.jsonl.zst: ", "h.jsonl.zst: its compression is not supported: decompress it first",
		"other.jsonl: it is text, but not a session file from a known agent", "x.jsonl: it links to a file whose name is not that of a session file",
		"home: a link to a directory above it is not followed", "-p-gone: no such file or directory",
		"rollout-e.json: it is a rollout from an early Codex version, a single JSON document: not supported",
		"rollout-f.jsonl.gz: its compression is not supported: decompress it first"} {
		if len(reasons) != 8 || !strings.HasPrefix(reasons[i], want) {
			t.Errorf("reasons\n%s\nwant number %d to be %q", strings.Join(reasons, "\n"), i, want)
		}
	}
}

// TestAForkWithOtherIdsCountsWhatItCopiedOnce, whatever the files are called.
func TestAForkWithOtherIdsCountsWhatItCopiedOnce(t *testing.T) {
	trunk := string(session("a", 5))
	fork := strings.NewReplacer(`"sessionId":"a"`, `"sessionId":"b"`, `"uuid":"a-`,
		`"forkedFrom":{"sessionId":"a","messageUuid":"x"},"uuid":"b-`).Replace(string(session("a", 3)))
	for _, names := range [][2]string{{"a.jsonl", "b.jsonl"}, {"b.jsonl", "a.jsonl"}} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, names[0]), []byte(trunk))
		write(t, filepath.Join(dir, names[1]), append([]byte(fork), session("c", 2)...))
		if found := run(t, dir); found.Total.Requests != 5+2 {
			t.Errorf("%q: %d requests", names, found.Total.Requests)
		}
	}
}

// TestCopiedRequestsCountInTheOriginal, whatever files are called: a fork names it, has other times, or went on where the
// original had ended.
func TestCopiedRequestsCountInTheOriginal(t *testing.T) {
	trunk, rest := string(session("a", 3)), string(session("c", 2))
	later := func(s string) string { return strings.ReplaceAll(s, `"timestamp":"2026`, `"timestamp":"2027`) }
	rename := func(named string) string {
		return strings.NewReplacer(`"sessionId":"a"`, named+`"sessionId":"b"`).Replace(trunk)
	}
	for name, files := range map[string][2]string{
		"named":   {trunk + later(rest), rename(`"forkedFrom":{"sessionId":"a","messageUuid":"x"},`)},
		"resumed": {trunk, rename("") + later(rest)},
	} {
		for _, names := range [][2]string{{"a.jsonl", "b.jsonl"}, {"b.jsonl", "a.jsonl"}} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, names[0]), []byte(files[0]))
			write(t, filepath.Join(dir, names[1]), []byte(files[1]))
			found := run(t, dir)
			for _, s := range found.Dearest {
				want := strings.Count(files[0], `"role":"assistant"`)
				if s.ID == "b" {
					want = 5 - want
				}
				if s.Requests != want {
					t.Errorf("%s, %q: %s has %d requests, want %d", name, names, s.ID, s.Requests, want)
				}
			}
		}
	}
}

func TestTheNumberOfProcessorsChangesNothing(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		own := string(session(fmt.Sprintf("s%d", i), 20+i))
		shared := string(session("shared", 30)) // copied into every file
		write(t, filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)), []byte(shared+own))
	}
	var first string
	for _, n := range []int{1, 4, 2, 8} {
		old := runtime.GOMAXPROCS(n)
		got, err := json.Marshal(run(t, dir))
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(got)
		}
		if string(got) != first {
			t.Fatalf("with %d processors\n%s\nwith one\n%s", n, got, first)
		}
	}
	if found := run(t, dir); found.Total.Requests != 30+12*20+66 {
		t.Errorf("%d requests: what is shared counts once", found.Total.Requests)
	}
}

func TestALineThatIsStillBeingWrittenIsNoDamage(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), append(session("a", 2), `{"type":"assistant","mess`...))
	if found := run(t, dir); len(found.Damaged) > 0 || found.Total.Requests != 2 {
		t.Errorf("damaged %v, %d requests", found.Damaged, found.Total.Requests)
	}
}

func TestAnAuditEndsWithItsCommand(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), session(fmt.Sprint(i), 2000))
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := options("")
	o.Paths = []string{dir}
	var advanced, expected atomic.Int64
	o.Expect = func(n int64) { expected.Add(n) }
	o.Advance = func(n int64) {
		advanced.Add(n)
		cancel()
	}
	if _, err := audit.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	o.Advance = func(n int64) { advanced.Add(n) }
	advanced.Store(0)
	expected.Store(0)
	_, err := audit.Run(context.Background(), o)
	if err != nil || advanced.Load() != expected.Load() || expected.Load() == 0 {
		t.Errorf("%v: %d of %d bytes", err, advanced.Load(), expected.Load())
	}
}
