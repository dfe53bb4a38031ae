package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// compactedFile is a session that the real Claude Code has compacted, see testdata/sessions/README.md.
const compactedFile = "../testdata/sessions/compacted.jsonl"

// said returns the beginning of what each message of a session's view says.
func said(t *testing.T, l *engine.Local, session string) (out []string) {
	t.Helper()
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range v.Messages {
		read, err := transcript.Decode(m.Format, m.JSON)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(transcript.PlainText(read), "\n")
		out = append(out, fmt.Sprintf("%s: %.40s", m.Role, line))
	}
	return out
}

func TestTheViewOfASessionThatItsHostCompacted(t *testing.T) {
	l := open(t)
	r, err := agents.Import(t.Context(), l, agents.Source{Path: compactedFile}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{ // as in the next request of the agent, which adds reminders
		"user: This session is being continued from a p", "assistant: The note is written.",
		"user: <local-command-caveat>The command below ", "user: <command-name>/compact</command-name>",
		"user: <local-command-stdout>Compacted (ctrl+o ", "user: Is it still there?", "assistant: It still is.",
	}
	if got := said(t, l, r.Session); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the view is\n%s", strings.Join(got, "\n"))
	}
	if st, err := l.Status(t.Context(), ledger.StatusRequest{Session: r.Session}); err != nil ||
		st.CompactsAt != 0 { // it was the user's wish
		t.Errorf("compacts at %d, %v", st.CompactsAt, err)
	} else {
		of := func(all []ledger.Category, name string) int {
			at := slices.IndexFunc(all, func(c ledger.Category) bool { return c.Name == name })
			if at < 0 {
				return 0
			}
			return all[at].Tokens.N
		}
		for _, name := range []string{"summary", "user"} { // as they are in the agent's own window
			if sent, own := of(st.Categories, name), of(st.Own, name); sent == 0 || sent != own {
				t.Errorf("%s: ctxledger would send %d tokens, the agent's window has %d", name, sent, own)
			}
		}
	}
}

func TestACompactionBehindTheHostsOwn(t *testing.T) {
	l := openWith(t, without())
	var entries []sessions.NewEntry
	add := func(turns int) {
		for _, raw := range talkOf(turns, 4_000) {
			entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
				Original: raw})
		}
	}
	add(5)
	entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
		Original: []byte(`{"role":"user","content":"Never touch the schema."}`)}, answered(150_000))
	entries = append(entries, hostCut(true, 150_000)...)
	add(6)
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "h"}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	before := said(t, l, r.Session)
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: r.Session})
	if err != nil || st.Measured != 0 || !strings.HasPrefix(before[0], "user: This session is being continued") {
		t.Fatalf("measured %d, %q, %v", st.Measured, before, err)
	}
	p := compact(t, l, r.Session, compaction.Options{Mode: compaction.Intent, Budget: 1_500, Keep: 1})
	if p.Outcome != compaction.Compacted || p.Summary.From != 1 || p.Summary.TokensBefore.N != st.Used.N {
		t.Fatalf("%s, %s: from %d, before %s of %s", p.Outcome, p.Why, p.Summary.From, p.Summary.TokensBefore, st.Used)
	}
	// The document is of the whole log, and has the host's words.
	for _, text := range []string{"Never touch the schema.", "The parser is fixed."} {
		if !strings.Contains(p.Summary.Text, text) {
			t.Errorf("%q is missing in:\n%s", text, p.Summary.Text)
		}
	}
	after := said(t, l, r.Session)
	if len(after) >= len(before) || strings.HasPrefix(after[0], "user: This session") {
		t.Errorf("after it the view is %q", after)
	}
	if _, err := l.Restore(t.Context(), ledger.RestoreRequest{ID: p.Summary.ID}); err != nil {
		t.Fatal(err)
	}
	if got := said(t, l, r.Session); strings.Join(got, "\n") != strings.Join(before, "\n") {
		t.Errorf("restored the view is %q", got)
	}
}

// answered is an answer whose request had so many tokens.
func answered(input int64) sessions.NewEntry {
	return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: "claude-opus-4-6",
		Original: []byte(`{"role":"assistant","content":"x"}`), Usage: &sessions.Usage{Input: input, Output: 1}}
}

// answeredBy is an answer of another model.
func answeredBy(model string, input int64) sessions.NewEntry {
	e := answered(input)
	e.Model = model
	return e
}

// hostCut is what a host writes when it compacts.
func hostCut(auto bool, before int64) []sessions.NewEntry {
	summary, _ := json.Marshal(map[string]string{"role": "user",
		"content": "This session is being continued from a previous conversation that ran out of context. The summary " +
			"below covers the earlier portion of the conversation.\n\nSummary:\nThe parser is fixed."})
	return []sessions.NewEntry{
		{Kind: sessions.KindNote, Original: []byte("{}"), Cut: &sessions.HostCut{Auto: auto, Before: before}},
		{Kind: sessions.KindMessage, Format: transcript.Anthropic, Hidden: true, Original: summary},
	}
}

// Where its host is set to compact goes before where it did, also that it does not any more; and that before its default,
// which does not apply where a larger request was not compacted.
func TestTheHostCompactsWhereItIsSet(t *testing.T) {
	at, why := 0, ""
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/home/dev/shop",
		Env: env.System(), Settings: engine.Settings{CompactsAt: func(s sessions.Session, window int) (int, string) {
			if s.Host != "h" || window != 200_000 {
				t.Errorf("asked about %s with a window of %d", s.Host, window)
			}
			return at, why
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()                    // nothing is lost with a test's
	const sonnet = "claude-sonnet-4-5" // has a window of 200,000
	id, batches := imported(t, l, 0, answeredBy(sonnet, 0)), int64(1)
	for _, c := range []struct {
		entries []sessions.NewEntry // that come
		at      int
		why     string
		want    string
	}{
		{nil, 0, "", "0 not known"}, // it was "the agent's default", without a figure
		{[]sessions.NewEntry{answeredBy(sonnet, 50_000)}, 167_000, "", "167000 the agent's default"},
		{[]sessions.NewEntry{answeredBy(sonnet, 168_000)}, 167_000, "", "0 not known"},
		{hostCut(true, 167_361), 167_000, "", "167361 the agent compacted here automatically"},
		{nil, 117_000, "it was set", "117000 it was set"},
		{nil, 0, "it is off", "0 it is off"},
	} {
		at, why = c.at, c.why
		if len(c.entries) > 0 {
			imported(t, l, batches, c.entries...)
			batches++
		}
		if st := status(t, l, id); fmt.Sprint(st.CompactsAt, " ", st.CompactsFrom) != c.want {
			t.Errorf("it compacts at %d: %s, want %s", st.CompactsAt, st.CompactsFrom, c.want)
		}
	}
}

// saysWindow is a note in which a host says how large its window is.
func saysWindow(tokens int) sessions.NewEntry {
	return sessions.NewEntry{Kind: sessions.KindNote, Note: "task_started", Original: []byte("{}"), Window: tokens}
}

// The name claude-opus-4-6 was taken for a window of a million while files showed compactions at 167,000.
func TestTheWindowIsTheOneThatTheHostHas(t *testing.T) {
	for _, tt := range []struct {
		name             string
		earlier, entries []sessions.NewEntry
		window, compacts int
	}{
		{"nothing is known", nil, []sessions.NewEntry{answered(100_000)}, 1_000_000, 0},
		{"it compacted by itself", nil, append(hostCut(true, 167_361), answered(50_000)), 200_000, 167_361},
		{"the user had it compacted", nil, append(hostCut(false, 90_000), answered(50_000)), 1_000_000, 0},
		{"it compacted late", nil, append(hostCut(true, 967_000), answered(50_000)), 1_000_000, 967_000},
		{"a request was larger", nil, []sessions.NewEntry{answered(200_001)}, 1_000_000, 0},
		{"an earlier session compacted", append(hostCut(true, 167_000), answered(50_000)),
			[]sessions.NewEntry{answered(60_000)}, 200_000, 167_000},
		{"an earlier session compacted, this one is larger", append(hostCut(true, 167_000), answered(50_000)),
			[]sessions.NewEntry{answered(210_000)}, 1_000_000, 0},
		{"the host says it", nil, []sessions.NewEntry{saysWindow(400_000), answered(50_000), saysWindow(258_400)},
			258_400, 0},
		{"the host says it, and compacted", nil, append(hostCut(true, 240_000), saysWindow(258_400)), 258_400, 240_000},
		{"a host that exaggerates", nil, append(hostCut(true, 1<<60), answered(50_000)), 1_000_000, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t)
			add := func(hostID string, entries []sessions.NewEntry) string {
				if len(entries) == 0 {
					return ""
				}
				entries = append([]sessions.NewEntry{answered(1_000)}, entries...) // names the model
				r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
					Import: hostID, Session: sessions.Session{Host: "claude-code", HostID: hostID}, Next: 1, Done: true,
					Entries: entries,
				})
				if err != nil {
					t.Fatal(err)
				}
				return r.Session
			}
			add("earlier", tt.earlier)
			st, err := l.Status(t.Context(), ledger.StatusRequest{Session: add("this", tt.entries)})
			if err != nil || st.Window != tt.window || st.CompactsAt != tt.compacts {
				t.Errorf("window %d, compacts at %d, %v; want %d, %d", st.Window, st.CompactsAt, err, tt.window,
					tt.compacts)
			}
		})
	}
}

// A session of 305,882 tokens made every other one of its model one of 1,000,000, which at 133,165 was then 13% full.
func TestALargeWindowIsThatOfTheSessionThatShowedIt(t *testing.T) {
	const ordinary = "claude-sonnet-4-5-20250929"
	given := 0
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/home/dev/shop",
		Env: env.System(), Settings: engine.Settings{Window: func(sessions.Session) int { return given }}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nothing is lost with a test's
	session := func(tokens int64) string {
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: fmt.Sprint(tokens), Next: 1, Done: true,
			Session: sessions.Session{Host: "claude-code", HostID: fmt.Sprint(tokens)},
			Entries: []sessions.NewEntry{answeredBy(ordinary, 1_000), answeredBy(ordinary, tokens)}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	long, short := session(305_882), session(133_165)
	for _, c := range []struct {
		name, session string
		given         int
		want          string
	}{
		{"the one that showed it", long, 0, "1000000 sessions"},
		{"another one", short, 0, "200000 known, 1000000 sessions"},
		{"another one, to which its host gives it", short, 1_000_000, "1000000 settings, 200000 known"},
		{"one to which its host gives less", short, 150_000, "150000 default, 1000000 sessions, 200000 known"},
	} {
		given = c.given
		var sizes []string
		for _, s := range status(t, l, c.session).Windows {
			sizes = append(sizes, fmt.Sprint(s.Tokens, " ", s.From))
		}
		if got := strings.Join(sizes, ", "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What the user set holds over what sessions show, also where it is what the program knows; a compaction that does not
// fit it was of another window.
func TestTheWindowThatTheUserSetHolds(t *testing.T) {
	for _, tt := range []struct {
		set, told, compacts int
		sizes               string
	}{
		{0, 258_400, 167_000, "258400 told, 1000000 known, 167000 compacted"},
		{300_000, 258_400, 167_000, "300000 configured, 258400 told, 1000000 known, 167000 compacted"},
		{0, 0, 167_000, "200000 sessions, 1000000 known, 167000 compacted"},
		{1_000_000, 0, 0, "1000000 configured, 200000 sessions, 167000 compacted"},
		{200_000, 0, 167_000, "200000 configured, 1000000 known, 167000 compacted"},
		{167_000, 0, 167_000, "167000 configured, 200000 sessions, 1000000 known"},
		{120_000, 0, 0, "120000 configured, 200000 sessions, 1000000 known, 167000 compacted"},
	} {
		models, err := tokens.Builtin().With(tokens.Model{Name: "claude-opus-4-6", Window: tt.set})
		if err != nil {
			t.Fatal(err)
		}
		e, _ := testEnv()
		l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
			Settings: engine.Settings{Models: models}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		entries := append([]sessions.NewEntry{answered(1_000), saysWindow(tt.told)}, hostCut(true, 167_000)...)
		id := imported(t, l, 0, entries...)
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		var sizes []string
		for _, s := range st.Windows {
			sizes = append(sizes, fmt.Sprint(s.Tokens, " ", s.From))
		}
		if got := strings.Join(sizes, ", "); got != tt.sizes || st.CompactsAt != tt.compacts ||
			st.Windows[0].Tokens != st.Window || st.Windows[0].From != st.WindowFrom {
			t.Errorf("set to %d: window %d (%s) of %s, compacts at %d", tt.set, st.Window, st.WindowFrom, got,
				st.CompactsAt)
		}
	}
}

// TestAModelThatNoTableHasIsSaidToBeAssumed: "known for this model" was said of models that do not exist.
func TestAModelThatNoTableHasIsSaidToBeAssumed(t *testing.T) {
	l := open(t)
	for i, c := range []struct{ model, from string }{
		{"claude-opus-9", ledger.WindowAssumed}, {"claude-opus-4-5-20251101", ledger.WindowKnown},
	} {
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: c.model, Next: 1, Done: true,
			Session: sessions.Session{Host: "h", HostID: fmt.Sprint(i)},
			Entries: []sessions.NewEntry{answeredBy(c.model, 1_000)}})
		if err != nil {
			t.Fatal(err)
		}
		if st := status(t, l, r.Session); st.Window != 200_000 || st.WindowFrom != c.from || len(st.Windows) != 1 ||
			st.Windows[0].From != c.from {
			t.Errorf("%s has %d, %s: %+v", c.model, st.Window, st.WindowFrom, st.Windows)
		}
	}
}
