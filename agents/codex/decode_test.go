package codex

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

var update = flag.Bool("update", false, "rewrite what the rollouts in testdata are read as")

// TestRollouts compares what is read of the rollouts in testdata with files. real.jsonl is what Codex 0.169.0 wrote with a
// scripted model, its instructions shortened; the others are made by hand.
func TestRollouts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			about, err := Adapter().About(path, bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%+v %+v\n", about.Session, about.Identity)
			for _, r := range records(t, text) {
				got += described(r)
			}
			golden := strings.TrimSuffix(path, ".jsonl") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != got {
				t.Errorf("%v: got\n%s", err, got)
			}
		})
	}
}

// records decodes a rollout.
func records(t testing.TB, text []byte) (out []sessionfile.Record) {
	t.Helper()
	for r, err := range sessionfile.Records(bytes.NewReader(text), sessionfile.Position{}, Adapter().Decoder("x")) {
		if err != nil {
			t.Fatal(err)
		}
		r.Text = bytes.Clone(r.Text)
		out = append(out, *r)
	}
	return out
}

// described says in a line what a record is.
func described(r sessionfile.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", r.Number)
	if r.State != sessionfile.Whole {
		return b.String() + " broken\n"
	}
	for _, x := range []struct {
		is   bool
		name string
	}{{r.Aside, "aside"}, {r.Summary, "summary"}, {r.Compaction != nil, "compaction"}, {r.Cut != nil, "cut"}} {
		if x.is {
			b.WriteString(" " + x.name)
		}
	}
	for _, x := range [][2]string{{"id", r.ID}, {"dir", r.Dir}, {"title", r.Title}, {"continues", r.Continues},
		{"model", r.Model}, {"reply", r.Reply}, {"note", r.Note}} {
		if x[1] != "" {
			fmt.Fprintf(&b, " %s=%q", x[0], x[1])
		}
	}
	if r.Usage != (sessions.Usage{}) {
		fmt.Fprintf(&b, " usage=%+v", r.Usage)
	}
	if r.Window > 0 {
		fmt.Fprintf(&b, " window=%d", r.Window)
	}
	if m := r.Spoken(); !r.Message.Empty() {
		fmt.Fprintf(&b, " %s", m.Role)
		for _, p := range m.Parts {
			fmt.Fprintf(&b, " %s(%s)%s %.60q", p.Kind, p.Name, p.ID, p.Text+string(p.Args))
		}
	}
	return b.String() + "\n"
}

// TestACountOfTotalsAloneIsReadTheSameTwice: the newest record may be decoded again, as after a pause.
func TestACountOfTotalsAloneIsReadTheSameTwice(t *testing.T) {
	d := new(decoder)
	for i, c := range []struct {
		info string
		want sessions.Usage
	}{
		{`"total_token_usage":{"input_tokens":100,"output_tokens":10}`, sessions.Usage{Input: 100, Output: 10}},
		{`"total_token_usage":{"input_tokens":250,"cached_input_tokens":90,"output_tokens":"30"}`,
			sessions.Usage{Input: 60, CacheRead: 90, Output: 20}},
		{`"last_token_usage":{"input_tokens":50,"output_tokens":5}`, sessions.Usage{Input: 50, Output: 5}},
		{`"total_token_usage":{"input_tokens":301,"cached_input_tokens":null,"output_tokens":35}`,
			sessions.Usage{Input: 1}},
		{`"total_token_usage":{"input_tokens":301,"output_tokens":35},"last_token_usage":null`, sessions.Usage{}},
		{`"total_token_usage":{"input_tokens":400,"output_tokens":36},"last_token_usage":{"input_tokens":0}`,
			sessions.Usage{}},
		{`"total_token_usage":{"input_tokens":20,"output_tokens":40},"last_token_usage":{}`, // counted from 0 again
			sessions.Usage{Input: 20, Output: 40}},
		{`"total_token_usage":{"input_tokens":25,"output_tokens":-1}`, sessions.Usage{Input: 5}},
	} {
		for range 2 {
			r := sessionfile.Record{Line: sessionfile.Line{Offset: int64(100 * i),
				Text: []byte(`{"type":"event_msg","payload":{"type":"token_count","info":{` + c.info + `}}}`)}}
			if !d.decode(&r) || r.Usage != c.want {
				t.Errorf("%s: %+v, want %+v", c.info, r.Usage, c.want)
			}
		}
	}
}

func TestWhereRolloutsLie(t *testing.T) {
	home := t.TempDir()
	e := env.Env{Home: home, Lookup: func(string) string { return "" }}
	root := filepath.Join(home, ".codex", "sessions")
	for _, dir := range []string{"2025/12/31", "2026/11/02", "2026/11/25", "2026/x", "archive/11/25"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, dir := range Adapter().Dirs(e, []string{"/w"}, func(path string, why error) {
		if !errors.Is(why, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, why)
		}
	}) {
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	want := "archive/11/25 archive/11 archive 2026/x 2026/11/25 2026/11/02 2026/11 2026 2025/12/31 2025/12 2025 ."
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	name := "rollout-2026-11-25T12-00-00-0b6ab0f4-4f6b-4a3c-9d0e-0123456789ab.jsonl"
	if a := Adapter(); !a.IsSession(name) || a.Identify("/d/"+name, "").ID != "0b6ab0f4-4f6b-4a3c-9d0e-0123456789ab" ||
		a.IsSession("history.jsonl") || a.Identify("/d/x.jsonl", "s").ID != "s" {
		t.Error("names of rollouts")
	}
}

// FuzzRolloutIsReadTheSameAndWhole: any text is read the same twice, spans lie inside of their line, what is said
// decodes, and a usage is never negative.
func FuzzRolloutIsReadTheSameAndWhole(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, again := records(t, text), records(t, text)
		if !reflect.DeepEqual(first, again) {
			t.Fatal("read differently the second time")
		}
		for _, r := range first {
			if r.Message.From < 0 || r.Message.To > len(r.Text) || r.Message.Empty() == (r.Note == "") &&
				r.State == sessionfile.Whole {
				t.Fatalf("line %d: span %+v, note %q", r.Number, r.Message, r.Note)
			}
			if !r.Message.Empty() {
				if m, err := transcript.Decode(r.Format, r.Message.In(r.Text)); err != nil || m.Role != r.Role {
					t.Fatalf("line %d: %v, role %q is %q", r.Number, err, m.Role, r.Role)
				}
			}
			u := r.Usage
			if min(u.Input, u.CacheRead, u.CacheWrite, u.Output) < 0 || u != (sessions.Usage{}) && r.Reply == "" {
				t.Fatalf("line %d: usage %+v of %q", r.Number, u, r.Reply)
			}
		}
	})
}

// TestAResultSaysWhichFilesAPatchChanged: an import did not know which files Codex had changed.
func TestAResultSaysWhichFilesAPatchChanged(t *testing.T) {
	const said = `Success. Updated the following files:\nA new.go\nM sub/a b.go\nD old.go\n`
	all := []sessions.Effect{{Path: "new.go", Op: "created"}, {Path: "sub/a b.go", Op: "modified"},
		{Path: "old.go", Op: "deleted"}}
	for _, c := range []struct {
		kind, output string
		want         []sessions.Effect
	}{
		{"custom_tool_call_output", `"Exit code: 0\nWall time: 0 seconds\nOutput:\n` + said + `"`, all},
		{"custom_tool_call_output",
			`"{\"output\":\"Success. Updated the following files:\\nM a.go\\n\",\"metadata\":{\"exit_code\":0}}"`,
			[]sessions.Effect{{Path: "a.go", Op: "modified"}}},
		{"function_call_output", `"` + said + `\nM later.go"`, all},
		{"function_call_output", `[{"type":"input_text","text":"` + said + `"}]`, all},
		{"custom_tool_call_output", `"Failed to find context"`, nil},
		{"custom_tool_call_output", `""`, nil},
	} {
		r := records(t, []byte(`{"timestamp":"2026-11-20T12:00:00Z","type":"response_item","payload":{"type":"`+c.kind+
			`","call_id":"c","output":`+c.output+`}}`+"\n"))
		if len(r) != 1 || !reflect.DeepEqual(r[0].Effects, c.want) {
			t.Errorf("%s: %+v", c.output, r[0].Effects)
		}
	}
}
