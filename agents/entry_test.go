package agents

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// maker makes entries of lines as an import does.
type maker struct {
	decode sessionfile.Decode
	offset int64
	entries
}

func newMaker(path string) *maker { return &maker{decode: Adapters()[0].Decoder(path)} }

func (m *maker) line(text []byte) (sessions.NewEntry, bool) {
	r := &sessionfile.Record{Line: sessionfile.Line{Text: text, Offset: m.offset}}
	m.offset += int64(len(text)) + 1
	if !m.decode(r) {
		return sessions.NewEntry{}, false
	}
	return m.entry(r), true
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestEveryRecordTypeBecomesAnEntry(t *testing.T) {
	const common = `"uuid":"u2","parentUuid":"u1","sessionId":"s","timestamp":"2026-11-20T12:00:00Z"`
	base := sessions.NewEntry{Kind: sessions.KindNote, Time: noon, HostID: "u2", HostParent: "u1"}
	note := func(text string) sessions.NewEntry { e := base; e.Note = text; return e }
	queue := func(q sessions.Queue) sessions.NewEntry { e := note("queue-operation"); e.Queue = q; return e }
	loaded := func(text string) sessions.NewEntry {
		e := note(text)
		e.Kind, e.Loaded, e.Format = sessions.KindMessage, true, transcript.Anthropic
		return e
	}
	sent := func() sessions.NewEntry {
		e := loaded("attachment queued_command")
		e.Queue = sessions.QueueSent
		return e
	}
	cleared := func(text string, calls ...string) sessions.NewEntry {
		e := note(text)
		for _, call := range calls {
			e.Cleared = append(e.Cleared, sessions.Cleared{Call: call, Tokens: 7})
		}
		return e
	}
	cut := func(c *sessions.HostCut) sessions.NewEntry { e := note("system compact_boundary"); e.Cut = c; return e }
	message := func(change func(*sessions.NewEntry)) sessions.NewEntry {
		e := base
		e.Kind, e.Format = sessions.KindMessage, transcript.Anthropic
		if change != nil {
			change(&e)
		}
		return e
	}
	for _, c := range []struct {
		name, line string
		want       sessions.NewEntry
	}{
		{"request", `{"type":"user","message":{"role":"user","content":"fix it"},` + common + `}`, message(nil)},
		{"copy of a forked record", `{"type":"user","forkedFrom":{"sessionId":"s0","messageUuid":"u0"},` +
			`"message":{"role":"user","content":"fix it"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Origin = sessions.Origin{Session: "s0", Record: "u0"} })},
		{"request in blocks",
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x"}]},` + common + `}`,
			message(nil)},
		{"answer",
			`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"opus","content":[],"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4,"service_tier":"x"}},` + common + `}`,
			message(func(e *sessions.NewEntry) {
				e.Group, e.Model = "m1", "opus"
				e.Usage, e.Unfinished = &sessions.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, true
				e.Bill = sessions.Bill{{Model: "opus", Terms: tokens.Terms{Named: "x"}, Usage: *e.Usage}}
			})},
		{"end of an answer",
			`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"opus","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}},` + common + `}`,
			message(func(e *sessions.NewEntry) {
				e.Group, e.Model = "m1", "opus"
				e.Usage = &sessions.Usage{Input: 1, Output: 2}
			})},
		{"report of a failed request",
			`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"m1","role":"assistant","model":"<synthetic>","content":[],"usage":{"input_tokens":0}},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Group, e.Hidden = "m1", true })},
		{"interrupt",
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},` +
				common + `}`, message(nil)},
		{"output of a local command",
			`{"type":"user","message":{"role":"user","content":"<local-command-stdout>ok</local-command-stdout>"},` +
				common + `}`, message(nil)},
		{"meta", `{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Loaded = true })},
		{"body of a skill", `{"type":"user","isMeta":true,"sourceToolUseID":"c1","message":{"role":"user",` +
			`"content":[{"type":"text","text":"x"}]},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Loaded = true })},
		{"result that only the agent sees", `{"type":"user","isMeta":true,"message":{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"c1"}]},` + common + `}`,
			message(nil)},
		{"copy of a skill's body", `{"type":"user","isMeta":true,"ctxledger":{"continues":"a"},` +
			`"message":{"role":"user","content":"x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Loaded, e.Copied = true, true })},
		{"what a local command said", `{"type":"system","subtype":"local_command","content":"x",` + common + `}`,
			loaded("system local_command")},
		{"summary of the host",
			`{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Hidden = true })},
		{"subagent",
			`{"type":"user","isSidechain":true,"agentId":"a7","message":{"role":"user","content":"x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Hidden, e.Author = true, "a7" })},
		{"named subagent",
			`{"type":"user","isSidechain":true,"agentId":"a7","agentName":"explorer","message":{"role":"user","content":"x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Hidden, e.Author = true, "explorer" })},
		{"nameless subagent",
			`{"type":"user","isSidechain":true,"message":{"role":"user","content":"x"},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Hidden, e.Author = true, "subagent" })},
		{"written file",
			`{"type":"user","message":{"role":"user","content":[]},"toolUseResult":{"type":"create","filePath":"/w/a.go","content":"x","structuredPatch":[],"originalFile":null},` + common + `}`,
			message(func(e *sessions.NewEntry) { e.Effects = []sessions.Effect{{Path: "/w/a.go", Op: "created"}} })},
		{"boundary of a compaction",
			`{"type":"system","subtype":"compact_boundary","uuid":"u2","parentUuid":null,"logicalParentUuid":"u1","timestamp":"2026-11-20T12:00:00Z","compactMetadata":{"trigger":"auto"}}`,
			cut(&sessions.HostCut{Auto: true})},
		{"boundary of a compaction that keeps messages",
			`{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"manual","preTokens":20548,` +
				`"preservedMessages":{"anchorUuid":"a","uuids":["b"],"allUuids":["b","c"]}},` + common + `}`,
			cut(&sessions.HostCut{Before: 20_548, Kept: []string{"b", "c"}})},
		{"attachment of the agent's state", `{"type":"attachment","attachment":{"type":"date","date":"x"},` + common + `}`,
			func() sessions.NewEntry { e := loaded("attachment date"); e.Loaded, e.Hidden = false, true; return e }()},
		{"attachment as the model reads it", `{"type":"attachment","attachment":{"type":"of_the_future"},` +
			`"rendered":[{"content":"It is x."}],` + common + `}`, loaded("attachment of_the_future")},
		{"attachment that is not sent", `{"type":"attachment","attachment":{"type":"prompt_snapshot"},` + common + `}`,
			note("attachment prompt_snapshot")},
		{"what a hook said to the model", `{"type":"attachment","attachment":{"type":"hook_success","stdout":"x"},` +
			`"rendered":[{"content":"x"}],` + common + `}`, loaded("attachment hook_success")},
		{"file that the user named", `{"type":"attachment","attachment":{"type":"file","content":"x"},` + common + `}`,
			loaded("attachment file")},
		{"text of a file that the user named",
			`{"type":"attachment","attachment":{"type":"file","content":{"type":"text",` +
				`"file":{"filePath":"/w/a.go","content":"x","numLines":1,"startLine":1,"totalLines":9}}},` + common + `}`,
			func() sessions.NewEntry {
				e := loaded("attachment file")
				text := transcript.Span{From: 113, To: 116}
				e.Attached = &sessions.Attached{Path: "/w/a.go", Partial: true, Text: text}
				return e
			}()},
		{"what a hook did", `{"type":"attachment","attachment":{"type":"hook_success","stdout":"x"},` + common + `}`,
			note("attachment hook_success")},
		{"what a hook adds",
			`{"type":"attachment","attachment":{"type":"hook_additional_context","content":"x"},` + common + `}`,
			loaded("attachment hook_additional_context")},
		{"queued message", `{"type":"queue-operation","operation":"enqueue","content":"stop",` + common + `}`,
			func() sessions.NewEntry {
				e := queue(sessions.QueueAdded)
				e.Format, e.Message = transcript.Anthropic, transcript.Span{From: 58, To: 64}
				return e
			}()},
		{"queued message without content", `{"type":"queue-operation","operation":"enqueue",` + common + `}`,
			func() sessions.NewEntry { e := queue(sessions.QueueAdded); e.Format = transcript.Anthropic; return e }()},
		{"queued message that the agent got", `{"type":"queue-operation","operation":"remove",` + common + `}`,
			queue(sessions.QueueGiven)},
		{"queued message that begins a turn", `{"type":"queue-operation","operation":"dequeue",` + common + `}`,
			queue(sessions.QueueLeft)},
		{"queued messages that went back", `{"type":"queue-operation","operation":"popAll",` + common + `}`,
			queue(sessions.QueueReturned)},
		{"queued message whose attachment follows",
			`{"type":"queue-operation","operation":"remove","reason":"absorbed_mid_turn","content":"stop",` + common + `}`,
			queue(sessions.QueueLeft)},
		{"message within a turn",
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"stop","commandMode":"prompt"},` + common + `}`,
			sent()},
		{"message within a turn, typed in a terminal",
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"a"}],` +
				`"commandMode":"prompt","origin":{"kind":"human"}},` + common + `}`, sent()},
		{"report of a task within a turn",
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>",` +
				`"commandMode":"task-notification","origin":{"kind":"task-notification"}},` + common + `}`,
			loaded("attachment queued_command")},
		{"report of a task, as the model reads it",
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>",` +
				`"commandMode":"task-notification"},"rendered":[{"content":"<system-reminder>"}],` + common + `}`,
			loaded("attachment queued_command")},
		{"message of a peer within a turn",
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"x","commandMode":"prompt",` +
				`"origin":{"kind":"peer"}},` + common + `}`, loaded("attachment queued_command")},
		{"queue of the future", `{"type":"queue-operation","operation":"x",` + common + `}`, note("queue-operation")},
		{"last prompt", `{"type":"last-prompt",` + common + `}`, note("last-prompt")},
		{"tools used", `{"type":"tools-used",` + common + `}`, note("tools-used")},
		{"latch", `{"type":"atis-latch",` + common + `}`, note("atis-latch")},
		{"cost", `{"type":"cost-state",` + common + `}`, note("cost-state")},
		{"file history", `{"type":"file-history-snapshot",` + common + `}`, note("file-history-snapshot")},
		{"title", `{"type":"summary","summary":"x",` + common + `}`, note("summary")},
		{"request record", `{"type":"api-request",` + common + `}`, note("api-request")},
		{"request shape", `{"type":"api-request-shape",` + common + `}`, note("api-request-shape")},
		{"request body, which has a message",
			`{"type":"api-request-blob","message":{"role":"user","content":"x"},` + common + `}`,
			note("api-request-blob")},
		{"old results were cleared", `{"type":"attachment","attachment":{"type":"tool_results_cut","callIds":["c1","c2"],` +
			`"standIn":"[Old tool result content cleared]","roughTokens":900},` + common + `}`,
			cleared("attachment tool_results_cut", "c1", "c2")},
		{"old results were cleared, in earlier versions", `{"type":"system","subtype":"microcompact_boundary",` +
			`"microcompactMetadata":{"trigger":"auto","compactedToolIds":["c1"],"clearedAttachmentUUIDs":[]},` + common + `}`,
			cleared("system microcompact_boundary", "c1")},
		{"results were filed", `{"type":"content-replacement","replacements":[{"kind":"tool-result","toolUseId":"c1",` +
			`"replacement":"[Old tool result content cleared]"},{"kind":"other"}],` + common + `}`,
			cleared("content-replacement", "c1")},
		{"results were cleared in a way that nobody knows", `{"type":"attachment","attachment":{"type":"tool_results_cut",` +
			`"callIds":"c1"},` + common + `}`, note("attachment tool_results_cut")},
		{"unknown type", `{"type":"from-the-future","message":{"role":"user","content":"x"},` + common + `}`,
			note("from-the-future")},
		{"no type", `{` + common + `}`, note("record without a type")},
		{"type of another kind", `{"type":7,` + common + `}`, note("record without a type")},
		{"message missing", `{"type":"user",` + common + `}`, note("user record without a message")},
		{"message of another kind", `{"type":"assistant","message":"x",` + common + `}`,
			note("assistant record without a message")},
		{"message without content", `{"type":"user","message":{"role":"user"},` + common + `}`,
			note("user record without a message")},
		{"message of another agent", `{"type":"assistant","message":{"role":"model","parts":[]},` + common + `}`,
			note("assistant record without a message")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := newMaker("x.jsonl").line([]byte(c.line))
			if !ok {
				t.Fatal("not taken for a record")
			}
			c.want.Original = []byte(c.line)
			if c.want.Kind == sessions.KindMessage {
				checkSpan(t, got)
				got.Message = transcript.Span{}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// checkSpan checks that an entry's message is the value of "message" in its original, or what the agent loaded.
func checkSpan(t *testing.T, e sessions.NewEntry) {
	t.Helper()
	var line map[string]json.RawMessage
	if err := json.Unmarshal(e.Original, &line); err != nil {
		t.Fatal(err)
	}
	want := line["message"]
	for _, name := range []string{"attachment", "content", "rendered"} {
		if v := line[name]; e.Note != "" && v != nil {
			want = v
		}
	}
	var queued struct {
		Prompt json.RawMessage
		Mode   string `json:"commandMode"`
	}
	if err := json.Unmarshal(line["attachment"], &queued); e.Queue == sessions.QueueSent && err != nil {
		t.Fatal(err)
	}
	if e.Queue == sessions.QueueSent || queued.Mode == "task-notification" && line["rendered"] == nil {
		want = queued.Prompt
	}
	got := e.Original[e.Message.From:e.Message.To]
	if !json.Valid(got) || string(got) != string(want) {
		t.Errorf("message span gives %.80q, want %.80q", got, want)
	}
}

func TestOddLines(t *testing.T) {
	for _, c := range []struct {
		name, line string
		ok         bool
	}{
		{"damaged", `{"type":"user","mess`, false},
		{"text", `hello`, false},
		{"number", `42`, false},
		{"list", `[{"type":"user"}]`, false},
		{"NUL bytes of a crashed disk", "\x00\x00\x00", false},
		{"two records on one line", `{"type":"user"}{"type":"user"}`, false},
		{"invalid UTF-8", "{\"type\":\"a\xff\"}", true},
		{"spaces around", ` {"type":"user"} `, true},
	} {
		if _, ok := newMaker("x.jsonl").line([]byte(c.line)); ok != c.ok {
			t.Errorf("%s: taken for a record: %v", c.name, ok)
		}
	}
}

func TestAnEntryDoesNotShareTheReadersMemory(t *testing.T) {
	line := []byte(`{"type":"x","uuid":"abc"}`)
	e, _ := newMaker("x.jsonl").line(line)
	clear(line)
	if e.HostID != "abc" || string(e.Original) != `{"type":"x","uuid":"abc"}` {
		t.Errorf("the entry changed with the line: %+v", e)
	}
}

func TestARecordWithoutATimeHasThatOfTheOneBefore(t *testing.T) {
	d := newMaker("x.jsonl")
	d.line([]byte(`{"type":"user","timestamp":"2026-11-20T13:00:00+01:00"}`))
	if e, _ := d.line([]byte(`{"type":"last-prompt","timestamp":"yesterday"}`)); !e.Time.Equal(noon) {
		t.Errorf("time %v, want %v", e.Time, noon)
	}
}

func TestASubagentsOwnFileIsItsConversation(t *testing.T) {
	d := newMaker("agent-a7.jsonl")
	e, _ := d.line([]byte(`{"type":"user","isSidechain":true,"agentId":"a7","message":{"role":"user","content":"x"}}`))
	if e.Hidden || e.Author != "" {
		t.Errorf("hidden %v, author %q", e.Hidden, e.Author)
	}
}

func TestUsageIsCountedOncePerMessage(t *testing.T) {
	line := func(id string, out int) []byte {
		raw, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{
			"id": id, "role": "assistant", "content": []any{},
			"usage": map[string]int{"input_tokens": 10, "output_tokens": out}}})
		return raw
	}
	for _, c := range []struct {
		name  string
		lines [][]byte
		want  sessions.Usage
	}{
		{"repeated", [][]byte{line("a", 5), line("a", 5), line("a", 5)}, sessions.Usage{Input: 10, Output: 5}},
		{"growing", [][]byte{line("a", 1), line("a", 5), line("b", 2)}, sessions.Usage{Input: 20, Output: 7}},
		{"corrected downwards", [][]byte{line("a", 5), line("a", 3)}, sessions.Usage{Input: 10, Output: 3}},
		{"side by side", [][]byte{line("a", 1), line("b", 2), line("a", 5), line("b", 2)},
			sessions.Usage{Input: 20, Output: 7}},
		{"without an id", [][]byte{line("", 1), line("", 1)}, sessions.Usage{Input: 20, Output: 2}},
		{"absurd", [][]byte{line("a", -5), line("b", 1<<50)}, sessions.Usage{Input: 20}},
	} {
		d := newMaker("x.jsonl")
		var sum sessions.Usage
		for _, l := range c.lines {
			if e, _ := d.line(l); e.Usage != nil {
				sum = sum.Add(*e.Usage)
			}
		}
		if sum != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, sum, c.want)
		}
	}
}

// What is written into the provider's cache for an hour is a part of what is written into it.
func TestUsageSaysHowLongACacheIsKept(t *testing.T) {
	for usage, want := range map[string]sessions.Usage{
		`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":9}}`: {CacheWrite: 9, CacheLong: 9},
		`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":9,"ephemeral_1h_input_tokens":0}}`: {CacheWrite: 9},
		`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":10}}`:                              {CacheWrite: 9, CacheLong: 9},
		`{"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":-1}}`:                              {CacheWrite: 9},
	} {
		d := newMaker("x.jsonl")
		e, _ := d.line([]byte(`{"type":"assistant","message":{"id":"a","role":"assistant","content":[],"usage":` +
			usage + `}}`))
		if e.Usage == nil || *e.Usage != want {
			t.Errorf("%s: %+v, want %+v", usage, e.Usage, want)
		}
	}
}

func FuzzEntryKeepsTheLineAndFindsTheMessage(f *testing.F) {
	f.Add([]byte(`{"type":"user","message":{"role":"user","content":"x"},"toolUseResult":{"type":"create","filePath":"/a"}}`))
	f.Add([]byte(`{"message":{"role":"assistant","content":[],"usage":{"input_tokens":1}},"type":"assistant","isSidechain":true}`))
	f.Add([]byte(`{"type":"queue-operation","operation":"enqueue","content":"a \"b\""}`))
	f.Add([]byte(`{"type":"attachment","attachment":{"prompt":[{"type":"text","text":"x"}],"commandMode":"prompt","type":"queued_command"}}`))
	f.Add([]byte("{\"type\":\"\xff\",\"attachment\":{\"type\":\"\\u00e4\"}}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := newMaker("x.jsonl").line(line)
		if !ok {
			return
		}
		if !bytes.Equal(e.Original, line) {
			t.Fatal("the original is not the line")
		}
		aside := e.Loaded || e.Hidden
		if (e.Kind == sessions.KindNote) != (e.Note != "") && !aside || e.Kind == sessions.KindNote && e.Note == "" {
			t.Fatalf("kind %s with note %q", e.Kind, e.Note)
		}
		if e.Kind == sessions.KindMessage && e.Note == "" {
			checkSpan(t, e)
		}
		if span := e.Message; e.Note != "" && !span.Empty() {
			// Whatever stands there is one value of the line: it decodes as a message, or is refused.
			if !json.Valid(span.In(line)) {
				t.Fatalf("the message is %q", span.In(line))
			}
			_, _ = transcript.Decode(e.Format, transcript.MessageIn(e.Format, line, span))
		}
		if !utf8.ValidString(e.HostID + e.Note + e.Group + e.Author + e.Model) {
			t.Fatal("invalid text outside the original")
		}
	})
}
