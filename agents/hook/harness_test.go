package hook_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/agents/hook"
	"ctxledger.dev/changes"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

var update = flag.Bool("update", false, "rewrite the answers of the cases in testdata")

// TestCases plays testdata/*.txtar: events of Claude Code, one after the other, at a ledger of their own, and what is
// printed for each. To add a case, write a file of sections and run the test with -update:
//
//	-- file NAME --, -- home NAME --   a file of the workspace, of the user's home
//	-- memory NAME --                  a memory: a line that describes it, and its body
//	-- log ID --                       what the session file of the session ID has: a message in a line
//	-- note ID --                      notes of an agent in the log of the session ID, as JSON
//	-- file of the session --          what its session file has then: a record in a line
//	-- EVENT --                        the input of the hook: of session "main" in the workspace, if it does not say
//	                                   otherwise; "{{100 of text}}" stands for a long text, "{{root}}" for the workspace
//	-- prints --                       follows each event, written by -update
//	-- ledger --                       at the end: what the ledger knows then, written by -update
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(raw))
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != string(raw) {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// section is a part of a case: its heading and the text below.
type section struct{ head, text string }

// sectionHead matches the heading of a section.
var sectionHead = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// sectionsOf returns the comment of a case and its sections.
func sectionsOf(raw string) (comment string, all []section) {
	heads := sectionHead.FindAllStringSubmatchIndex(raw, -1)
	if heads == nil {
		return raw, nil
	}
	for i, at := range heads {
		end := len(raw)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		all = append(all, section{raw[at[2]:at[3]], raw[at[1]:end]})
	}
	return raw[:heads[0][0]], all
}

// play returns a case with the answers that its events get now.
func play(t *testing.T, raw string) string {
	t.Helper()
	comment, all := sectionsOf(raw)
	w := newWorld(t)
	out := comment
	for _, s := range all {
		kind, name, _ := strings.Cut(s.head, " ")
		if kind == "prints" || kind == "ledger" {
			continue // they are written anew
		}
		w.at = w.at.Add(time.Minute)
		switch kind {
		case "file":
			if name == "of the session" {
				w.write(w.transcript(), offered+s.text)
				break
			}
			w.write(filepath.Join(w.root, name), s.text)
		case "sees":
			w.sees(name, s.text)
		case "home":
			w.write(filepath.Join(w.env.Home, name), s.text)
		case "memory":
			description, body, _ := strings.Cut(s.text, "\n")
			w.remember(memory.Entry{Name: name, Description: description, Body: body, Type: "project"})
		case "log":
			w.record(name, s.text)
		case "note":
			w.note(name, s.text)
		default:
			out += "-- " + s.head + " --\n" + s.text + "-- prints --\n" + w.shown(w.run(kind, w.filled(s.text)))
			continue
		}
		out += "-- " + s.head + " --\n" + s.text
	}
	w.at = w.at.Add(time.Minute)
	return out + "-- ledger --\n" + w.shown(w.known())
}

// now is what the clock of a world says. Each event comes a minute after the one before.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ctxmcp is the server that the person agreed to, installed the file of Claude Code that names it, and offered what a
// session file says of requests that offer its tool.
const (
	ctxmcp    = "/opt/ctxmcp"
	installed = `{"mcpServers": {"ctxledger": {"command": "/opt/ctxmcp", "args": []}}}`
	offered   = `{"type":"api-request-shape","shapeHash":"5a","shape":{"tools":[{"name":"mcp__ctxledger__read_artifact"}]}}` +
		"\n" + `{"type":"api-request","shapeHash":"5a"}` + "\n"
)

// world is a workspace with its ledger.
type world struct {
	t     testing.TB
	root  string
	env   env.Env
	at    time.Time // what the clock says
	l     *engine.Local
	next  map[string]int64     // how often something was recorded of a session
	heard []ledger.LiveSession // by events, in their order

	contexts hook.Contexts
}

func newWorld(t testing.TB) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(top, "shop"), at: now, next: map[string]int64{}}
	n := byte(0)
	w.env = env.Env{
		Now: func() time.Time { return w.at },
		Random: func(p []byte) {
			n++
			for i := range p {
				p[i] = n
			}
		},
		Lookup: func(name string) string { return map[string]string{"SHELL": "/bin/sh"}[name] },
		Dir:    w.root, Home: filepath.Join(top, "home"), Temp: top,
	}
	for _, dir := range []string{w.root, w.env.Home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write(filepath.Join(w.env.Home, ".claude.json"), installed)
	w.l, err = engine.Open(t.Context(),
		engine.Options{State: filepath.Join(top, "state"), Workspace: w.root, Env: w.env, RunTwice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.l.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// ledger hands out the ledger of the world.
func (w *world) ledger(context.Context) (ledger.API, error) { return w.l, nil }

// sees writes a file of the workspace, which its observer sees.
func (w *world) sees(name, content string) {
	w.t.Helper()
	w.write(filepath.Join(w.root, name), content)
	sum := sha256.Sum256([]byte(content))
	plain, err := filetext.Hash(strings.NewReader(content))
	if err != nil {
		w.t.Fatal(err)
	}
	o := ledger.Observation{Seen: w.at, State: changes.State{Path: name, Exists: true,
		Size: int64(len(content)), Modified: w.at, Hash: hex.EncodeToString(sum[:]), Text: plain}}
	r := ledger.RecordStatesRequest{Started: now, States: []ledger.Observation{o}}
	if _, err := w.l.RecordStates(w.t.Context(), r); err != nil {
		w.t.Fatal(err)
	}
}

// run answers an event and returns what is printed.
func (w *world) run(event, input string) string {
	w.t.Helper()
	raw := w.completed(event, []byte(input))
	w.hear(event, raw)
	if e, ok := hooks.Decode(event, raw); ok && e.File() != "" {
		if _, err := os.Stat(e.File()); err != nil {
			w.write(e.File(), offered)
		}
	}
	return w.serve(ctxmcp, event, raw)
}

// serve answers an event where the person agreed to a server, "" for none.
func (w *world) serve(server, event string, raw []byte) string {
	w.t.Helper()
	settings, _ := config.Load(w.env, w.root, "")
	o := hook.Options{Env: w.env, Root: w.root, Open: w.ledger, Index: settings.Index, Given: settings.Given,
		Contexts: &w.contexts, Server: server}
	a, err := hook.Run(w.t.Context(), o, event, raw)
	if err := a.After(w.t.Context(), err == nil); err != nil {
		w.t.Error(err)
	}
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return string(a.Out)
}

// transcript returns where the session file of the main session is.
func (w *world) transcript() string {
	return filepath.Join(w.env.Home, ".claude", "projects", "-shop", "main.jsonl")
}

// completed adds to an event what every event of Claude Code has.
func (w *world) completed(event string, raw []byte) []byte {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	for name, value := range map[string]any{"session_id": "main", "cwd": w.root, "hook_event_name": event,
		"transcript_path": w.transcript()} {
		if _, said := fields[name]; !said {
			fields[name] = value
		}
	}
	full, err := json.Marshal(fields)
	if err != nil {
		w.t.Fatal(err)
	}
	return full
}

// filler matches a long text of a case.
var filler = regexp.MustCompile(`\{\{(\d+) of ([^}]*)\}\}`)

// filled returns the text of a section without its abbreviations.
func (w *world) filled(text string) string {
	text = strings.ReplaceAll(text, "{{root}}", filepath.ToSlash(w.root))
	return filler.ReplaceAllStringFunc(text, func(s string) string {
		m := filler.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[1]) // of digits
		return strings.Repeat(m[2], n)
	})
}

// machine matches what a text says of the machine.
var machine = regexp.MustCompile(`Architecture: \w+`)

// shown returns a text as cases have it, the same on every machine.
func (w *world) shown(text string) string {
	text = strings.ReplaceAll(text, filepath.ToSlash(w.root), "{{root}}")
	text = strings.ReplaceAll(text, filepath.ToSlash(w.env.Home), "{{home}}")
	text = machine.ReplaceAllString(text, "Architecture: {{arch}}")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func (w *world) write(path, content string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(w.filled(content)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remember(e memory.Entry) {
	w.t.Helper()
	if _, err := w.l.SaveMemory(w.t.Context(), ledger.SaveMemoryRequest{Entry: e}); err != nil {
		w.t.Fatal(err)
	}
}

// record appends messages to the log of a session, as following its file does.
func (w *world) record(host, text string) {
	w.t.Helper()
	r := ledger.AppendEntriesRequest{Import: "claude-code:" + host, Offset: w.next[host], Next: w.next[host] + 1,
		Done: true, Session: sessions.Session{Host: "claude-code", HostID: host, Dir: w.root}}
	w.next[host]++
	for i, line := range strings.Split(strings.TrimSpace(w.filled(text)), "\n") {
		r.Entries = append(r.Entries, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
			HostID: fmt.Sprintf("%s-%d-%d", host, r.Offset, i), Original: []byte(line), Time: w.env.Now()})
	}
	if _, err := w.l.AppendEntries(w.t.Context(), r); err != nil {
		w.t.Fatal(err)
	}
}

// note keeps notes of an agent.
func (w *world) note(host, text string) {
	w.t.Helper()
	s, err := w.l.Session(w.t.Context(), ledger.SessionRequest{HostID: host})
	r := ledger.KeepNotesRequest{Session: s.ID}
	if err == nil {
		err = json.Unmarshal([]byte(text), &r.Notes)
	}
	if err == nil {
		_, err = w.l.KeepNotes(w.t.Context(), r)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// known says what the ledger knows: of each session that events named, its intents, and all artifacts.
func (w *world) known() string {
	w.t.Helper()
	var b bytes.Buffer
	ctx := w.t.Context()
	named := map[string]string{}
	for _, live := range w.heard {
		// a stage without texts changes nothing, and tells of a session that is in no list yet
		noted, err := w.l.NoteStage(ctx, ledger.NoteStageRequest{LiveSession: live, Stage: ledger.StageShown})
		if err != nil {
			w.t.Fatal(err)
		}
		s := noted.Session
		named[s.ID] = s.HostID
		h := s.Hooked
		texts := slices.DeleteFunc(slices.Clone(h.Shown), func(d string) bool { return d == sessions.Started })
		fmt.Fprintf(&b, "session %s", s.HostID)
		if s.Parent != "" {
			fmt.Fprintf(&b, " of %s", named[s.Parent])
		}
		fmt.Fprintf(&b, ": %d entries, %d texts shown, emptied %d times, compacting %t, ended %t\n", s.Seq, len(texts),
			h.Emptied, !h.Compacting.IsZero(), !h.Ended.IsZero())
		page, err := w.l.Intents(ctx, ledger.IntentsRequest{Session: s.ID})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, in := range page.Intents {
			fmt.Fprintf(&b, "  %s %s, %s %q: %s, from %s\n", in.CallID, in.Name, in.Op, in.Target+in.Command, in.Status,
				in.Source)
		}
	}
	found, err := w.l.Artifacts(ctx, ledger.ArtifactsRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, a := range found.Artifacts {
		fmt.Fprintf(&b, "artifact %s: %d bytes, %s\n", a.ID, a.Bytes, a.Title)
	}
	return b.String()
}

// hear remembers the session of an event.
func (w *world) hear(event string, raw []byte) {
	e, ok := hooks.Decode(event, raw)
	if !ok {
		return
	}
	id, parent := e.HostID()
	live := ledger.LiveSession{Host: "claude-code", HostID: id, Parent: parent, Dir: w.root}
	if !slices.Contains(w.heard, live) {
		w.heard = append(w.heard, live)
	}
}
