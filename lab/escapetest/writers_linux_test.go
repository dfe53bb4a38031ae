package escapetest

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/exports"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// fact is a memory's file.
func fact(body string) string {
	return "---\nname: style\ndescription: how\nmetadata:\n  type: user\n---\n\n" + body + "\n"
}

var memoryImportSubject = subject{
	name: "memory import",
	inside: map[string]string{
		"MEMORY.md": "- [style](style.md) — how\n", "style.md": fact("short"),
		"memory/MEMORY.md": "- [style](style.md) — how\n", "memory/style.md": fact("short"),
	},
	outside: map[string]string{
		"MEMORY.md": "- [" + canary + "](style.md) — " + canary + "\n", "style.md": fact(canary),
		"memory/MEMORY.md": "- [" + canary + "](style.md) — " + canary + "\n", "memory/style.md": fact(canary),
	},
	targets: []target{{path: "MEMORY.md"}, {path: "style.md"}, {path: "memory", dir: true}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(ctx context.Context) (string, bool) {
			return p.run(ctx, p.base, "--in-process", "memory", "import", "--overwrite", "--json", p.inside)
		}
	},
}

// Writers put files into a directory that a user named: links in it may lead elsewhere.

var memoryExportSubject = subject{
	name:   "memory export",
	inside: map[string]string{"user/x": "x"},
	outside: map[string]string{"MEMORY.md": "x", "MEMORY.md.tmp": "x", "user/MEMORY.md": "x",
		"user/MEMORY.md.tmp": "x"},
	targets: []target{{path: "user", dir: true}, {path: "MEMORY.md", plant: true}, {path: "MEMORY.md.tmp", plant: true},
		{path: "user/MEMORY.md.tmp", plant: true}},
	writes: true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		put(t, p.base, map[string]string{"project/x": "x"})
		for _, args := range [][]string{{"style", "--body", "short"}, {"--scope", "user", "me", "--body", "me"}} {
			if said, failed := p.run(t.Context(), p.base,
				append([]string{"--in-process", "--workspace", p.base + "/project", "memory", "save"},
					args...)...); failed {
				t.Fatal(said)
			}
		}
		return func(ctx context.Context) (string, bool) {
			return p.run(ctx, p.base, "--in-process", "--workspace", p.base+"/project", "memory", "export",
				"--overwrite", p.inside)
		}
	},
}

var pageSubject = subject{
	name:    "audit --html",
	inside:  map[string]string{"x": "x"},
	outside: map[string]string{"page.html": "x", "page.html.tmp": "x"},
	targets: []target{{path: "page.html", plant: true}, {path: "page.html.tmp", plant: true}},
	writes:  true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		put(t, p.base, map[string]string{"sessions/s1.jsonl": said("s1", workPlace, "hello")})
		return func(ctx context.Context) (string, bool) {
			return p.run(ctx, p.base, "audit", "--html", filepath.Join(p.inside, "page.html"),
				filepath.Join(p.base, "sessions"))
		}
	},
}

// talk records one message of a session.
func talk(t testing.TB, l *engine.Local, text string, n int64) {
	t.Helper()
	_, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "a", Session: sessions.Session{Host: "h", HostID: "a"}, Offset: n, Next: n + 1, Done: true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Time: time.Now(), Format: transcript.Anthropic,
			Original: []byte(`{"role":"user","content":"` + text + `"}`)}},
	})
	must(t, err)
}

// exported are the files of an export, and what planted names of theirs look like.
var (
	exportedFiles = map[string]string{exports.ChangesFile: "x", exports.IntentsFile: "x"}
	exportedAt    = []target{{path: exports.ChangesFile, plant: true}, {path: exports.IntentsFile, plant: true}}
)

var exportSubject = subject{
	name: "export DIRECTORY", outside: exportedFiles, targets: exportedAt, writes: true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.env(p.inside)
		s := newSpy(t, p, e)
		talk(t, s.Local, "hello", 0)
		return func(ctx context.Context) (string, bool) {
			all, err := s.Sessions(ctx, ledger.SessionsRequest{})
			if err == nil {
				_, err = exports.Write(ctx, s, e, p.inside, all.Sessions)
			}
			if err != nil {
				return err.Error(), true
			}
			return "", false
		}
	},
}

// written is a ledger that reports when its follower has written everything and waits for more.
type written struct {
	*spy
	rounds chan<- struct{}
}

// WaitEvents implements ledger.API.
func (w written) WaitEvents(ctx context.Context, r ledger.WaitEventsRequest) (ledger.WaitEventsResponse, error) {
	if r.WaitMS > 0 {
		select {
		case w.rounds <- struct{}{}:
		case <-ctx.Done():
		}
	}
	return w.spy.WaitEvents(ctx, r)
}

var liveExportsSubject = subject{
	name: "live exports", root: "state",
	inside: map[string]string{exports.Dir + "/x": "x"},
	outside: map[string]string{exports.Dir + "/" + exports.ChangesFile: "x",
		exports.Dir + "/" + exports.IntentsFile: "x", exports.Dir + "/changes.json.1.partial": "x"},
	targets: []target{{path: exports.Dir, dir: true}},
	writes:  true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		e := p.env(p.inside)
		s := newSpy(t, p, e)
		talk(t, s.Local, "hello", 0)
		rounds := make(chan struct{})
		until(t, func(ctx context.Context) error {
			return exports.Follow(ctx, written{s, rounds},
				exports.Options{Env: e, Wait: func(context.Context, time.Duration) {}})
		})
		n := int64(0)
		return func(ctx context.Context) (string, bool) {
			n++
			talk(t, s.Local, "more", n)
			select {
			case <-rounds:
			case <-ctx.Done():
				return "", true
			}
			return "", false
		}
	},
}

// Forgetting empties the directory of exports.
var forgetSubject = subject{
	name: "forgetting", root: "state",
	inside:  map[string]string{exports.Dir + "/" + exports.ChangesFile: "x"},
	outside: map[string]string{exports.Dir + "/" + exports.ChangesFile: "x", exports.Dir + "/deep/file": "x"},
	targets: []target{{path: exports.Dir, dir: true}},
	writes:  true,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		s := newSpy(t, p, p.env(p.inside))
		n := int64(0)
		return func(ctx context.Context) (string, bool) {
			text := fmt.Sprintf("number %d is to be forgotten", n)
			talk(t, s.Local, text, n)
			n++
			_, err := s.Forget(ctx, ledger.ForgetRequest{Text: text})
			if err != nil {
				return err.Error(), true
			}
			return "", false
		}
	},
}
