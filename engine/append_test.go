package engine_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// batchOf is the first batch of an import.
func batchOf(entries ...sessions.NewEntry) ledger.AppendEntriesRequest {
	return ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "i"}, Next: 1, Done: true, Entries: entries,
	}
}

// message is an entry with a message of Anthropic's.
func message(original []byte) sessions.NewEntry {
	return sessions.NewEntry{Kind: sessions.KindMessage, Time: start, Format: transcript.Anthropic, Original: original}
}

func TestBatchesThatAreRefused(t *testing.T) {
	l := open(t)
	span := func(from, to int) sessions.NewEntry {
		e := message(raw(`{"role":"user","content":"x"}`))
		e.Message = transcript.Span{From: from, To: to}
		return e
	}
	blob := func(hash string, original []byte) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindNote, Blob: hash, Original: original}
	}
	long := strings.Repeat("x", 1000)
	note := sessions.NewEntry{Kind: sessions.KindNote, Original: []byte("x")}
	for name, test := range map[string]struct {
		change func(*ledger.AppendEntriesRequest)
		code   fault.Code
	}{
		"a compaction": {func(r *ledger.AppendEntriesRequest) {
			r.Entries[0].Kind = sessions.KindCompaction
		}, fault.Invalid},
		"a restore": {func(r *ledger.AppendEntriesRequest) {
			r.Entries[0].Kind = sessions.KindRestore
		}, fault.Invalid},
		"an unknown kind": {func(r *ledger.AppendEntriesRequest) { r.Entries[0].Kind = "x" }, fault.Invalid},
		"a span beyond the original": {func(r *ledger.AppendEntriesRequest) { r.Entries[0] = span(0, 1000) },
			fault.Invalid},
		"a negative span": {func(r *ledger.AppendEntriesRequest) { r.Entries[0] = span(-3, 3) },
			fault.Invalid},
		"a span that runs backwards": {func(r *ledger.AppendEntriesRequest) { r.Entries[0] = span(5, 3) },
			fault.Invalid},
		"an unknown blob": {func(r *ledger.AppendEntriesRequest) {
			r.Entries[0] = blob(strings.Repeat("0", 64), nil)
		}, fault.NotFound},
		"no hash of a blob": {func(r *ledger.AppendEntriesRequest) { r.Entries[0] = blob("../x", nil) },
			fault.NotFound},
		"a blob and an original": {func(r *ledger.AppendEntriesRequest) {
			r.Entries[0] = blob(strings.Repeat("0", 64), []byte("x"))
		}, fault.Invalid},
		"a long original": {func(r *ledger.AppendEntriesRequest) {
			r.Entries[0].Original = make([]byte, limits.EntryInline+1)
		}, fault.TooLarge},
		"too many entries": {func(r *ledger.AppendEntriesRequest) {
			r.Entries = make([]sessions.NewEntry, limits.AppendCount+1)
		}, fault.TooLarge},
		"too many bytes": {func(r *ledger.AppendEntriesRequest) {
			e := note
			e.Original = make([]byte, limits.EntryInline)
			r.Entries = slices.Repeat([]sessions.NewEntry{e},
				(limits.AppendBatch+limits.EntryInline)/limits.EntryInline+1)
		}, fault.TooLarge},
		"an end before the start": {func(r *ledger.AppendEntriesRequest) { r.Offset, r.Next = 5, 3 }, fault.Invalid},
		"no import id":            {func(r *ledger.AppendEntriesRequest) { r.Import = "" }, fault.Invalid},
		"a long import id":        {func(r *ledger.AppendEntriesRequest) { r.Import = long }, fault.Invalid},
		"a long host":             {func(r *ledger.AppendEntriesRequest) { r.Session.Host = long }, fault.TooLarge},
		"a long host's id":        {func(r *ledger.AppendEntriesRequest) { r.Session.HostID = long }, fault.TooLarge},
		"a long parent":           {func(r *ledger.AppendEntriesRequest) { r.Session.Parent = long }, fault.TooLarge},
		"a long check":            {func(r *ledger.AppendEntriesRequest) { r.Check = long }, fault.TooLarge},
	} {
		r := batchOf(note)
		test.change(&r)
		if _, err := l.AppendEntries(t.Context(), r); !fault.Is(err, test.code) {
			t.Errorf("%s: %v (%s), want %s", name, err, fault.CodeOf(err), test.code)
		}
	}
	if n := newest(t, l); n != 0 {
		t.Errorf("%d events after refused requests", n)
	}
}

// TestEveryLineOfAFileIsRecorded: a session file cannot be repaired, so every line is kept, and what the log stores of
// it fits its record.
func TestEveryLineOfAFileIsRecorded(t *testing.T) {
	huge := strings.Repeat("\x01", 100_000)
	var calls, results []string
	for i := range 5000 {
		calls = append(calls,
			fmt.Sprintf(`{"type":"tool_use","id":"toolu_%024d","name":"Read","input":{"file_path":"f%d"}}`, i, i))
		results = append(results, string(raw(`{"type":"tool_result","tool_use_id":"toolu_%024d","content":"x"}`, i)))
	}
	labels := message(raw(`{"role":"user","content":"x"}`))
	labels.HostID, labels.HostParent, labels.Group = huge, huge, huge
	labels.Author, labels.Model, labels.Note = huge, huge, huge
	early, late := message(raw(`{"role":"user","content":"x"}`)), message(raw(`{"role":"user","content":"x"}`))
	early.Time = time.Time{}
	late.Time = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -12*3600))
	bash := func(command string) []byte {
		return raw(`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Bash","input":%s}]}`,
			asJSON(t, map[string]string{"command": command}))
	}
	for name, test := range map[string]struct {
		entry sessions.NewEntry
		kind  sessions.Kind
	}{
		"long labels":                 {labels, sessions.KindMessage},
		"no time":                     {early, sessions.KindMessage},
		"a year that JSON cannot say": {late, sessions.KindMessage},
		"nothing":                     {message(nil), sessions.KindNote},
		"no JSON":                     {message([]byte("\xff\xfe")), sessions.KindNote},
		"thousands of calls": {message(raw(`{"role":"assistant","content":[%s]}`, strings.Join(calls, ","))),
			sessions.KindNote},
		"thousands of results": {message(raw(`{"role":"user","content":[%s]}`, strings.Join(results, ","))),
			sessions.KindNote},
		"forty calls": {message(raw(`{"role":"assistant","content":[%s]}`,
			strings.Join(calls[:40], ","))), sessions.KindMessage},
		"a long command":        {message(bash(strings.Repeat("echo x\n", 60_000))), sessions.KindMessage},
		"a command of controls": {message(bash(huge[:50_000])), sessions.KindMessage},
		"a long call id":        {message(toolUse(strings.Repeat("c", 100_000), "Bash", "{}")), sessions.KindNote},
		"a long tool name":      {message(toolUse("c", strings.Repeat("n", 100_000), "{}")), sessions.KindMessage},
		"many arguments": {message(toolUse("c", "Bash",
			"{"+strings.Repeat(`"\u0001\u0001":"\u0001\u0001",`, 10_000)+`"z":1}`)), sessions.KindMessage},
		"a long path": {message(toolUse("c", "Read", `{"file_path":"`+strings.Repeat("d/", 2000)+`"}`)),
			sessions.KindMessage},
		"a path too long": {message(toolUse("c", "Write", `{"file_path":"`+strings.Repeat("d/", 20_000)+`"}`)),
			sessions.KindMessage},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			resp, err := l.AppendEntries(t.Context(), batchOf(test.entry))
			if err != nil {
				t.Fatal(err)
			}
			e := log(t, l, resp.Session)[0]
			if e.Kind != test.kind || e.Size != int64(len(test.entry.Original)) {
				t.Errorf("kind %s of %d bytes, note %q", e.Kind, e.Size, e.Note)
			}
			if got := originals(t, l, resp.Session, 0, 0); !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")),
				test.entry.Original) {
				t.Errorf("%d bytes come back of %d", len(got), len(test.entry.Original))
			}
			render(t, l, resp.Session)
			status(t, l, resp.Session)
		})
	}
}

func TestASessionsLabelsAreBounded(t *testing.T) {
	l := open(t)
	r := batchOf(message(raw(`{"role":"user","content":"x"}`)))
	r.Session = sessions.Session{
		Host: "h", HostID: "i", Title: strings.Repeat("é", 5000), Dir: "/" + strings.Repeat("d", 10_000),
		Model: strings.Repeat("m", 5000),
		ID:    "forged", Seq: 99, Turns: 9, Chain: "forged", Usage: sessions.Usage{Input: 7},
		Updated: start.Add(1000 * time.Hour),
	}
	resp, err := l.AppendEntries(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Session(t.Context(), ledger.SessionRequest{Name: resp.Session})
	if err != nil || len([]rune(s.Title)) != 120 || s.Dir != "" || len(s.Model) > 300 || s.Seq != 1 || s.Turns != 1 ||
		s.Usage.Input != 0 || !s.Updated.Equal(start) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestEntriesInBlobs: originals beyond a record, up to the longest line, come back from the log, the
// view and by handle.
func TestEntriesInBlobs(t *testing.T) {
	volume(t)
	l := open(t)
	var entries []sessions.NewEntry
	var want [][]byte
	for _, size := range []int{10, 40_000, 500_000, 3 << 20, 15 << 20} {
		original := raw(`{"role":"user","content":"%s"}`, strings.Repeat("word ", size/5))
		want = append(want, original)
		e := message(original)
		if len(original) > limits.EntryInline {
			ref, err := l.PutBlob(t.Context(), bytes.NewReader(original))
			if err != nil {
				t.Fatal(err)
			}
			e.Original, e.Blob = nil, ref.Hash
		}
		entries = append(entries, e)
	}
	resp, err := l.AppendEntries(t.Context(), batchOf(entries...))
	if err != nil {
		t.Fatal(err)
	}
	all := log(t, l, resp.Session)
	view := render(t, l, resp.Session)
	for i, w := range want {
		if all[i].Size != int64(len(w)) || all[i].Tokens == 0 || !all[i].Prompt {
			t.Errorf("entry %d: size %d, %d tokens, prompt %v", i+1, all[i].Size, all[i].Tokens, all[i].Prompt)
		}
		if !bytes.Equal(view[i], w) || readHandle(t, l, all[i].ID) != string(w) {
			t.Errorf("entry %d differs in the view or by its handle", i+1)
		}
	}
	if got := originals(t, l, resp.Session, 0, 0); !bytes.Equal(got, append(bytes.Join(want, []byte("\n")), '\n')) {
		t.Error("the originals differ")
	}
	for r := (ledger.ViewRequest{Session: resp.Session}); ; {
		page, err := l.View(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if raw := asJSON(t, page); len(raw) > limits.Frame {
			t.Errorf("a page of %d bytes", len(raw))
		}
		if r.From = page.Next; r.From == 0 {
			break
		}
	}
}

func TestManySmallMessagesFitTheirPages(t *testing.T) {
	volume(t)
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/w", Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var messages [][]byte
	for i := range 14_000 {
		messages = append(messages, raw(`{"role":"user","content":"%d"}`, i))
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	page, err := l.View(t.Context(), ledger.ViewRequest{Session: id})
	if err != nil || page.Next == 0 {
		t.Fatalf("all %d messages on one page, %v", len(page.Messages), err)
	}
	if raw := asJSON(t, page); len(raw) > limits.Frame {
		t.Errorf("a page of %d bytes", len(raw))
	}
	if n := len(render(t, l, id)); n != len(messages) {
		t.Errorf("%d messages in all pages", n)
	}
}

func TestAnImportIsVisibleWhenItIsDone(t *testing.T) {
	l := open(t)
	r := batchOf(message(raw(`{"role":"user","content":"x"}`)))
	r.Done = false
	if _, err := l.AppendEntries(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	before := newest(t, l)
	r.Offset, r.Next, r.Entries, r.Done = 1, 2, nil, true
	resp, err := l.AppendEntries(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if e := events(t, l, ledger.WaitEventsRequest{After: before}).Events; len(e) != 1 || e[0].Session != resp.Session {
		t.Errorf("events of the end of an import: %+v", e)
	}
	st, err := l.ImportState(t.Context(), ledger.ImportStateRequest{Import: "i"})
	if err != nil || st.Session != resp.Session || st.Offset != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	for _, id := range []string{"", strings.Repeat("i", 1000)} {
		_, err := l.ImportState(t.Context(), ledger.ImportStateRequest{Import: id})
		wantCode(t, err, fault.Invalid)
	}
	if st, err := l.ImportState(t.Context(), ledger.ImportStateRequest{Import: "unknown"}); err != nil ||
		st.Offset != 0 || st.Session != "" {
		t.Errorf("an unknown import: %+v, %v", st, err)
	}
}

func TestTwoImportsOfOneConversationShareItsSession(t *testing.T) {
	l := open(t)
	var ids []string
	for i := range 2 {
		r := batchOf(message(raw(`{"role":"user","content":"%d"}`, i)))
		r.Import = fmt.Sprint(i)
		resp, err := l.AppendEntries(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, resp.Session)
	}
	if ids[0] != ids[1] || len(log(t, l, ids[0])) != 2 {
		t.Errorf("sessions %v", ids)
	}
}
