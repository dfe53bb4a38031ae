package engine_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestWhetherAFileIsAsItWasReadIsSaidOnlyIfItIsKnown: the file was read before the ledger began to watch it, as on the first
// day. Such files were told to be unchanged whatever had become of them.
func TestWhetherAFileIsAsItWasReadIsSaidOnlyIfItIsKnown(t *testing.T) {
	const content = "package a\n\nvar x = 1\n"
	const shown = "1\tpackage a\n2\t\n3\tvar x = 1\n4\t"
	read := func(result string) did {
		return did{tool: "Read", args: `{"file_path":"/w/a.go"}`, result: result}
	}
	part := did{tool: "Read", args: `{"file_path":"/w/a.go","offset":1,"limit":2}`, result: "1\tpackage a\n2\t"}
	written := func(text string) did {
		return did{tool: "Write", args: fmt.Sprintf(`{"file_path":"/w/a.go","content":%q}`, text)}
	}
	edit := func(old, with, more string) did {
		return did{tool: "Edit",
			args: fmt.Sprintf(`{"file_path":"/w/a.go","old_string":%q,"new_string":%q%s}`, old, with, more)}
	}
	lines := func(from, n int, result string) did {
		return did{tool: "Read", result: result,
			args: fmt.Sprintf(`{"file_path":"/w/a.go","offset":%d,"limit":%d}`, from, n)}
	}
	bash := func(command string) did { return did{tool: "Bash", args: fmt.Sprintf(`{"command":%q}`, command)} }
	failed, pending := written("x"), written("x")
	failed.failed, pending.pending = true, true
	write := written("x")
	const edited, note = "package a\n\nvar x = 2\n", "File unchanged since last read. The content is still current."
	edits := did{tool: "MultiEdit", args: `{"file_path":"/w/a.go","edits":[{"old_string":"x = 1","new_string":"y = 1"},` +
		`{"old_string":"y = 1","new_string":"x = 2"}]}`}
	notebook := read("<cell id=\"1\">print(1)</cell id=\"1\">")
	wide := "\xff\xfep\x00a\x00c\x00k\x00a\x00g\x00e\x00 \x00b\x00\n\x00"
	long := "1\t" + strings.Repeat("x", 50_000)
	seen := start.Add(2 * time.Hour)
	before, after, late := start.Add(-time.Hour), start.Add(150*time.Second), start.Add(time.Hour)
	for _, c := range []struct {
		name     string
		calls    []did
		text     string // that is on disk when it is first looked at; "": the file is gone
		modified time.Time
		want     string // fresh, stale, or nothing
	}{
		{"older than the read, the same text", []did{read(shown)}, content, before, "fresh"},
		{"older than the read, another text", []did{read(shown)}, "package b\n", before, "stale"},
		{"older than the read, with mixed line ends", []did{read(shown + "x\n5\ty\n6\tz\n7\ta\n8\tb\n")},
			"package a\r\n\r\nvar x = 1\r\nx\r\ny\nz\na\nb\n", before, "fresh"},
		{"older than the read, a little longer", []did{read(shown + "x\n5\ty\n6\tz\n7\ta\n8\tb\n")},
			"package a\n\nvar x = 1\nxyz\ny\nz\na\nb\n", before, "stale"},
		{"older than the read, of a text that is not known", []did{read("whatever")}, content, before, ""},
		{"older than the read, read in part", []did{part}, content, before, ""},
		{"older than what the session wrote since", []did{read(shown), write}, content, before, "stale"},
		{"older than the read, of a text that may be cut", []did{read(long)}, "package b\n", before, ""},
		{"with a mark of the byte order", []did{read(shown)}, "\ufeff" + content, before, "fresh"},
		{"modified in the tick of the read", []did{read(shown)}, "package b\n",
			start.Add(time.Minute - 3*time.Millisecond), "stale"},
		{"written anew with the same text", []did{read(shown)}, content, after, "fresh"},
		{"the same without a line end", []did{read(shown)}, strings.TrimSpace(content), after, "fresh"},
		{"the same with other line ends", []did{read(shown)}, strings.ReplaceAll(content, "\n", "\r\n"), after,
			"fresh"},
		{"the same as printed with arrows", []did{read("     1→package a\n     2→\n     3→var x = 1\n")}, content,
			after, "fresh"},
		{"the same without numbers", []did{read(content)}, content, after, "fresh"},
		{"another text", []did{read(shown)}, "package b\n", after, "stale"},
		{"read again, before it changed", []did{read(shown), read(shown)}, "package b\n", late, "stale"},
		{"another text, read in part", []did{part}, content, after, ""},
		{"another text, from a tool that may cut", []did{read("package a")}, content, after, ""},
		{"the read failed", []did{{tool: "Read", args: read("").args, result: "no such file", failed: true}}, content,
			after, ""},
		{"no result yet", []did{{tool: "Read", args: read("").args, pending: true}}, content, after, ""},
		{"written by the session since", []did{read(shown), write}, "x", start.Add(230 * time.Second), "fresh"},
		{"written by the session, and the same later by somebody", []did{read(shown), write}, "x", late, "fresh"},
		{"written by the session, and another text later", []did{read(shown), write}, "y", late, "stale"},
		{"written, with a mark of the byte order", []did{read(shown), written("package b\n")},
			"\ufeffpackage b\n", late, "fresh"},
		{"written, with other line ends", []did{read(shown), written(content)},
			strings.ReplaceAll(content, "\n", "\r\n"), late, "fresh"},
		{"written, without a line end", []did{read(shown), written("package b\n")}, "package b", late, "fresh"},
		{"written, in UTF-16", []did{read(shown), written("package b\n")}, wide, late, "fresh"},
		{"written with mixed line ends", []did{read(shown), written("a\r\nb\nc")}, "a\nb\r\nc", late, "fresh"},
		{"written, and read in part", []did{read(shown), written(edited), part}, edited, late, "fresh"},
		{"written, read in part, another text", []did{read(shown), written(edited), part}, content, late, "stale"},
		{"read in part another text than was written", []did{read(shown), write, part}, "x", late, ""},
		{"not written, because it failed", []did{read(shown), failed}, content, late, "fresh"},
		{"maybe written", []did{read(shown), pending}, content, late, ""},
		{"edited by the session", []did{read(shown), edit("x = 1", "x = 2", "")}, edited, late, "fresh"},
		{"edited by the session, another text", []did{read(shown), edit("x = 1", "x = 2", "")}, content, late, "stale"},
		{"edited by several edits of a call", []did{read(shown), edits}, edited, late, "fresh"},
		{"edited everywhere", []did{read(shown), edit("a", "b", `,"replace_all":true`)},
			"pbckbge b\n\nvbr x = 1\n", late, "fresh"},
		{"edited where it is not known", []did{read(shown), edit("a", "b", "")}, content, late, ""},
		{"a line was deleted", []did{read(shown), edit("var x = 1", "", "")}, "package a\n\n", late, "fresh"},
		{"edited with white space that hosts take off", []did{read(shown), edit("x = 1", "x = 2 ", "")}, edited, late,
			"fresh"},
		{"edited with white space at an end", []did{read(shown), edit("x = 1", "x = 2 ", "")},
			"package a\n\nvar x = 2 \n", late, "fresh"},
		{"edited with white space at an end, another text", []did{read(shown), edit("x = 1", "x = 2 ", "")}, content,
			late, "stale"},
		{"edited with white space within a line, another text", []did{read(shown), edit("var x ", "const x ", "")},
			"package a\n\nconst x = 1\nuser\n", late, "stale"},
		{"written and edited", []did{read(shown), written(content), edit("x = 1", "x = 2", "")}, edited, late, "fresh"},
		{"read in part and edited", []did{part, edit("package a", "package b", "")}, "package b\n\nvar x = 1\n", late,
			""},
		{"read in part and edited, and watched since the edit", []did{part, edit("package a", "package b", "")},
			"package b\n\nvar x = 1\n", start.Add(230 * time.Second), ""},
		{"read in parts that are all", []did{lines(3, 2, "3\tvar x = 1\n4\t"), part}, content, late, "fresh"},
		{"read in parts that are all, another text", []did{part, lines(3, 2, "3\tvar x = 1\n4\t")}, edited, late, ""},
		{"read in parts to its end", []did{part, lines(3, 20, "3\tvar x = 1\n4\t")}, content, late, "fresh"},
		{"read in parts to its end, another text", []did{part, lines(3, 20, "3\tvar x = 1\n4\t")}, edited, late,
			"stale"},
		{"read in parts, the end first, another text", []did{lines(3, 20, "3\tvar x = 1\n4\t"), part}, edited, late,
			"stale"},
		{"read from a line to its end, another text", []did{lines(3, 20, "3\tvar x = 1\n4\t")}, edited, late, ""},
		{"read in parts with a gap", []did{part, lines(4, 2, "4\tvar x = 1\n5\t")}, content, late, ""},
		{"read up to a limit that it has not", []did{lines(1, 100, shown)}, edited, late, "stale"},
		{"read again, unchanged", []did{read(shown), read(note)}, content, late, "fresh"},
		{"read again, unchanged, and then another text", []did{read(shown), read(note)}, edited, late, "stale"},
		{"formatted by a command of the session", []did{read(shown), bash("make fmt")}, edited,
			start.Add(210 * time.Second), ""},
		{"moved there by the session", []did{read(shown), bash("mv b.go a.go")}, edited, late, ""},
		{"a notebook", []did{notebook}, "{}", late, ""},
		{"with a line that may be cut", []did{read("1\t" + strings.Repeat("x", 2000))}, "package b\n", late, ""},
		{"with one other line end", []did{read(shown)}, "package a\r\n\nvar x = 1\n", late, "fresh"},
		{"gone", []did{read(shown)}, "", after, ""},
		{"only written, the same", []did{written(content)}, content, late, "fresh"},
		{"only written, and emptied later", []did{written(content)}, "\n", late, "stale"},
		{"read, and emptied later", []did{read(shown)}, "\n\n", late, "stale"},
		{"only written, and another text later", []did{written(content)}, edited, late, "stale"},
		{"only written, which failed", []did{failed}, edited, late, ""},
		{"only edited, of a text that is not known", []did{edit("x = 1", "x = 2", "")}, edited, late, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), "/w")
			session := act(t, l, "me", "/w", start, c.calls...)
			known := func() string {
				resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
				if err != nil {
					t.Fatal(err)
				}
				var out []string
				for _, s := range resp.Stale {
					if s.Path == "a.go" && s.By == changes.External &&
						(s.Changed.Equal(c.modified) && !s.Seen ||
							c.modified == before && s.Changed.Equal(seen) && s.Seen) {
						out = append(out, "stale")
					}
				}
				if slices.Contains(resp.Fresh, "a.go") {
					out = append(out, "fresh")
				}
				return strings.Join(out, " ")
			}
			if got := known(); got != "" {
				t.Errorf("before anybody looked at the file it is %s", got)
			}
			events, err := l.WaitEvents(t.Context(), ledger.WaitEventsRequest{After: -1})
			if err != nil {
				t.Fatal(err)
			}
			observe(t, l, holds(t, c.text, c.modified, seen))
			if got := known(); got != c.want {
				t.Errorf("it is %q, not %q", got, c.want)
			}
			told, err := l.WaitEvents(t.Context(),
				ledger.WaitEventsRequest{After: events.Next, Kinds: []string{ledger.EventSeen}})
			if err != nil || len(told.Events) != 1 || told.Events[0].Count != 1 {
				t.Errorf("the events are %+v, %v", told, err)
			}
		})
	}
}

// TestAFileThatWasWatchedSinceBeforeItsReadIsKnown: its text is not needed, and not its time.
func TestAFileThatWasWatchedSinceBeforeItsReadIsKnown(t *testing.T) {
	l, _ := openIn(t, t.TempDir(), "/w")
	observe(t, l, ledger.Observation{Seen: start, State: changes.State{Path: "a.go", Exists: true, Size: 1,
		Modified: start.Add(-time.Hour), Hash: strings.Repeat("0", 64)}})
	session := act(t, l, "me", "/w", start,
		did{tool: "Read", args: `{"file_path":"/w/a.go","offset":1,"limit":2}`, result: "1\tpackage a\n2\t"})
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
	if err != nil || !slices.Equal(resp.Fresh, []string{"a.go"}) {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestAPartThatIsStillThereIsNotOutOfDate: a part of a file was read, and another part of it changed. It was said to be out of date.
func TestAPartThatIsStillThereIsNotOutOfDate(t *testing.T) {
	const content = "package a\n\nvar x = 1\nvar y = 2\n"
	part := func(from, n int, result string) did {
		return did{tool: "Read", result: result,
			args: fmt.Sprintf(`{"file_path":"a.go","offset":%d,"limit":%d}`, from, n)}
	}
	x, y := part(3, 1, "3\tvar x = 1"), part(4, 20, "4\tvar y = 2\n5\t")
	first := part(1, 1, "1\tpackage a")
	all := did{tool: "Read", args: `{"file_path":"a.go"}`,
		result: "1\tpackage a\n2\t\n3\tvar x = 1\n4\tvar y = 2"}
	edit := did{tool: "Edit", args: `{"file_path":"a.go","old_string":"var x = 1","new_string":"var x = 3"}`}
	edited := strings.ReplaceAll(content, "x = 1", "x = 3")
	printed := did{tool: "Bash", args: `{"command":"tail -n 1 a.go"}`, result: "var y = 2"}
	above := func(text string) string { return "// Package a.\n" + text }
	for _, c := range []struct {
		name     string
		calls    []did
		now      string // "": it is gone
		observed string // "": what is there
		want     string // part, fresh, stale
	}{
		{"another line", []did{x}, "package b\n\nvar x = 1\nvar y = 3\n", "", "part"},
		{"a line before it", []did{x}, "// Package a.\n" + content, "", "moved"},
		{"a line before it is gone", []did{x}, strings.TrimPrefix(content, "package a\n"), "", "moved"},
		{"what follows is gone", []did{x}, "package a\n\nvar x = 1", "", "part"},
		{"line ends", []did{x}, strings.ReplaceAll(content+"//\n", "\n", "\r\n"), "", "part"},
		{"a mark of the byte order", []did{part(2, 2, "2\t\n3\tvar x = 1")}, "\ufeff\nvar x = 1\n", "", "moved"},
		{"the line itself", []did{x}, strings.ReplaceAll(content, "x = 1", "x = 2"), "", "stale"},
		{"the end of the line", []did{x}, strings.ReplaceAll(content, "x = 1", "x = 10"), "", "stale"},
		{"one of two parts", []did{first, y}, strings.ReplaceAll(content, "y = 2", "y = 3"), "", "stale"},
		{"two parts that were one", []did{y, x}, strings.ReplaceAll(content, "var y", "\nvar y"), "", "stale"},
		{"what is between two parts", []did{first, y}, strings.ReplaceAll(content, "var x = 1\n", ""), "", "moved"},
		{"all was read", []did{all}, content + "//\n", "", "stale"},
		{"another text than was observed", []did{x}, content, "package b\n", "stale"},
		{"edited after it was read", []did{x, edit}, content + "//\n", "", "stale"},
		{"edited after it was read, and a line before it", []did{x, edit}, above(edited), "", "part"},
		{"read in part after an edit elsewhere, and a line before it", []did{edit, y}, above(edited), "", "moved"},
		{"read in parts around an edit, and a line before it", []did{x, edit, y}, above(edited), "", "moved"},
		{"read in parts around an edit, one of them", []did{x, edit, y},
			strings.ReplaceAll(content, "x = 1", "x = 4"), "", "stale"},
		{"printed by a command and read in part, and a line before it", []did{printed, x}, above(content), "", "moved"},
		{"printed by a command and read in part, the printed one", []did{printed, x},
			strings.ReplaceAll(content, "y = 2", "y = 3"), "", "stale"},
		{"printed by a command alone", []did{printed}, above(content), "", "stale"},
		{"gone", []did{x}, "", "", "stale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			l, _ := openIn(t, t.TempDir(), root)
			observe(t, l, holds(t, content, start.Add(-time.Hour), start.Add(-time.Minute)))
			session := act(t, l, "me", root, start, c.calls...)
			if c.now != "" {
				if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(c.now), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			observe(t, l, holds(t, cmp.Or(c.observed, c.now), start.Add(time.Hour), start.Add(time.Hour)))
			resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Repeat("part", len(resp.Parts)) + strings.Repeat("moved", len(resp.Moved)) +
				strings.Repeat("fresh", len(resp.Fresh)) + strings.Repeat("stale", len(resp.Stale))
			if got != c.want {
				t.Errorf("it is %q, not %q", got, c.want)
			}
		})
	}
}

// holds describes a look at a.go: text "" means that it is not there.
func holds(t *testing.T, text string, modified, seen time.Time) ledger.Observation {
	t.Helper()
	o := ledger.Observation{State: changes.State{Path: "a.go"}, Seen: seen}
	if text == "" {
		return o
	}
	sum := sha256.Sum256([]byte(text))
	o.Exists, o.Size, o.Modified, o.Hash = true, int64(len(text)), modified, hex.EncodeToString(sum[:])
	var err error
	if o.Text, err = filetext.Hash(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOnlyAKnownTextIsUnchanged: what was on the disk when the ledger first looked is not what was read because others, or
// an edit, made something of it and maybe put it back.
func TestOnlyAKnownTextIsUnchanged(t *testing.T) {
	const first, other, edited = "package a\n\nvar x = 3\n", "package b\n", "package c\n\nvar x = 3\n"
	args := `{"file_path":"/w/a.go","offset":1,"limit":2}`
	part := did{tool: "Read", args: args, result: "1\tpackage a\n2\t"}
	edit := did{tool: "Edit", args: `{"file_path":"/w/a.go","old_string":"package a","new_string":"package c"}`}
	begin := start.Add(24 * time.Hour)
	old, read, later := begin.Add(-time.Hour), begin.Add(time.Minute), begin.Add(time.Hour)
	for _, c := range []struct {
		name  string
		looks []ledger.Observation
		edits bool   // the session, three minutes after it began
		want  string // fresh, stale, or nothing
	}{
		{"changed and put back", []ledger.Observation{holds(t, first, old, read.Add(9*time.Second)),
			holds(t, other, later, later), holds(t, first, later.Add(9), later.Add(9))}, false, ""},
		{"changed", []ledger.Observation{holds(t, first, old, read.Add(9*time.Second)),
			holds(t, other, later, later)}, false, "stale"},
		{"watched, changed and put back", []ledger.Observation{holds(t, first, old, old),
			holds(t, other, later, later), holds(t, first, later.Add(9), later.Add(9))}, false, "fresh"},
		{"edited", []ledger.Observation{holds(t, first, old, read.Add(9*time.Second)),
			holds(t, edited, read.Add(2*time.Minute), read.Add(2*time.Minute))}, true, ""},
		{"watched and edited", []ledger.Observation{holds(t, first, old, old),
			holds(t, edited, read.Add(2*time.Minute), read.Add(2*time.Minute))}, true, "fresh"},
		{"changed and edited", []ledger.Observation{holds(t, first, old, old),
			holds(t, other, read.Add(9*time.Second), read.Add(9*time.Second)),
			holds(t, edited, read.Add(2*time.Minute), read.Add(2*time.Minute))}, true, ""},
		{"edited, changed and put back", []ledger.Observation{holds(t, first, old, read.Add(9*time.Second)),
			holds(t, edited, read.Add(2*time.Minute), read.Add(2*time.Minute)),
			holds(t, other, later, later), holds(t, edited, later.Add(9), later.Add(9))}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := openIn(t, t.TempDir(), "/w")
			calls := []did{part}
			if c.edits {
				calls = append(calls, edit)
			}
			if c.looks[0].Seen.Before(read) { // as it was watched
				observe(t, l, c.looks[0])
				c.looks = c.looks[1:]
			}
			session := act(t, l, "me", "/w", begin, calls...)
			for _, o := range c.looks {
				observe(t, l, o)
			}
			resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(resp.Stale) > 0 {
				got = "stale"
			}
			if len(resp.Fresh) > 0 {
				got += "fresh"
			}
			if got != c.want {
				t.Errorf("it is %q, not %q: %+v", got, c.want, resp)
			}
		})
	}
}

// TestTheTextOfAFileThatTheUserNamedIsOfTheFile: Claude Code puts it into the conversation. It was nobody's: no history had
// it, it was no source, and it was never out of date.
func TestTheTextOfAFileThatTheUserNamedIsOfTheFile(t *testing.T) {
	const content = "package a\n\nvar x = 1\n"
	const message = `{"role":"user","content":"the file named a.go"}`
	const line = `{"attachment":"package a\n\nvar x = 1\n","rendered":` + message + `}`
	at, rendered := strings.Index(line, `"package`), strings.Index(line, message)
	for text, want := range map[string]string{content: "fresh", "package b\n": "stale"} {
		l, _ := openIn(t, t.TempDir(), "/w")
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
			Session: sessions.Session{Host: "claude-code", HostID: "h", Dir: "/w"},
			Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Time: start, HostID: "a", Loaded: true,
				Format: transcript.Anthropic, Original: []byte(line),
				Message: transcript.Span{From: rendered, To: rendered + len(message)},
				Attached: &sessions.Attached{Path: "/w/a.go",
					Text: transcript.Span{From: at, To: rendered - len(`,"rendered":`)}}}}})
		if err != nil {
			t.Fatal(err)
		}
		observe(t, l, holds(t, text, start.Add(-time.Hour), start.Add(time.Minute)))
		resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: r.Session})
		got := ""
		if len(resp.Stale) > 0 {
			got = "stale"
		}
		if len(resp.Fresh) > 0 {
			got += "fresh"
		}
		if err != nil || got != want || len(resp.Reads) != 1 || resp.Reads[0].Held == (tokens.Amount{}) {
			t.Errorf("it is %q, not %q: %+v, %v", got, want, resp, err)
		}
		h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: "/w/a.go"})
		if err != nil || len(h.Reads) != 1 {
			t.Errorf("its history is %+v, %v", h, err)
		}
		if st := status(t, l, r.Session); len(st.Sources) != 1 || st.Sources[0].Name != "a.go" {
			t.Errorf("the sources are %+v", st.Sources)
		}
	}
}

// TestWhatTheHostToldOfAFileIsKnown: Claude Code tells the agent what others changed in a file that it has read. Its
// copy was said to be out of date, and the advice was to have it read again.
func TestWhatTheHostToldOfAFileIsKnown(t *testing.T) {
	const content, other = "package a\n\nvar x = 1\n", "package b\n"
	for _, c := range []struct {
		name     string
		modified time.Duration // after the session began; the host tells of the file after five minutes
		want     int           // stale reads
	}{{"changed before that", 4 * time.Minute, 0}, {"changed after that", 6 * time.Minute, 1}} {
		l, _ := openIn(t, t.TempDir(), "/w")
		observe(t, l, holds(t, content, start.Add(-time.Hour), start.Add(-time.Minute)))
		session := act(t, l, "me", "/w", start, did{tool: "Read", args: `{"file_path":"/w/a.go"}`,
			result: "1\tpackage a\n2\t\n3\tvar x = 1\n4\t"})
		told := sessions.NewEntry{Kind: sessions.KindMessage, Time: start.Add(5 * time.Minute), HostID: "told",
			Format: transcript.Anthropic, Original: []byte(`{"role":"user","content":"a.go changed on disk"}`),
			Loaded: true, Effects: []sessions.Effect{{Path: "/w/a.go", Op: sessions.EffectTold}}}
		if _, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "told", Next: 1, Done: true,
			Session: sessions.Session{Host: "h", HostID: "me", Dir: "/w"},
			Entries: []sessions.NewEntry{told}}); err != nil {
			t.Fatal(err)
		}
		at := start.Add(c.modified)
		observe(t, l, holds(t, other, at, at))
		resp, err := l.Changes(t.Context(), ledger.ChangesRequest{Session: session})
		if err != nil || len(resp.Stale) != c.want || len(resp.Fresh) != 0 {
			t.Errorf("%s: stale %+v, fresh %v, %v", c.name, resp.Stale, resp.Fresh, err)
		}
	}
}
