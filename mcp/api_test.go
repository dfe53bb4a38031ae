package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/tokens"
)

// api is the API of a fixture.
func (f *fixture) api(t *testing.T) *http.ServeMux {
	t.Helper()
	mux := http.NewServeMux()
	stream := func(pattern string, h http.HandlerFunc) { mux.Handle(pattern, h) }
	if err := f.API(mux.Handle, stream); err != nil {
		t.Fatal(err)
	}
	return mux
}

// operate runs an operation and returns the status and its answer.
func operate[T any](t *testing.T, h http.Handler, operation string, arguments any) (int, T) {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", APIPath+operation, strings.NewReader(string(raw)))
	r.Header.Set("Content-Type", typeJSON)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer T
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v: %.300s", operation, err, w.Body)
	}
	return w.Code, answer
}

// TestNothingIsHandedOutBeyondALimit: no view, no copy after a refusal, no splice; what changes nothing of what is sent, and
// what a person reads, stays, with a warning.
func TestNothingIsHandedOutBeyondALimit(t *testing.T) {
	f := fixtureWith(t, engine.Settings{Limits: []config.LimitSet{
		{Key: "limits.session.tokens", Most: 5_000, From: "ctxledger.yaml:1", As: "MaxTotalTokens"}}}, nil)
	h := f.api(t)
	_, a := operate[struct{ Session string }](t, h, "append_messages",
		map[string]any{"messages": chatter(9), "usage": map[string]any{"input_tokens": 4_000, "output_tokens": 1_000}})
	for operation, more := range map[string]map[string]any{
		"view": {}, "recover": {"error": "prompt is too long"},
		"compact_conversation": {"return": "splice"},
	} {
		more["session"] = a.Session
		status, p := operate[problem](t, h, operation, more)
		if status != http.StatusTooManyRequests || p.Error.Code != "limited" ||
			!strings.Contains(p.Error.Message, "this session has used 5,000 tokens of the 5,000 tokens that "+
				"MaxTotalTokens in ctxledger.yaml:1 allows (100%)") {
			t.Errorf("%s: %d %+v", operation, status, p)
		}
	}
	_, made := operate[compactResult](t, h, "compact_conversation",
		map[string]any{"session": a.Session, "keep_turns": 1})
	if made.Status != statusCompacted || len(made.Warnings) != 1 ||
		!strings.Contains(made.Warnings[0], "raise MaxTotalTokens there: it takes effect immediately") {
		t.Errorf("%+v", made)
	}
}

// problem is an error of the API.
type problem struct {
	Error struct{ Code, Message string }
}

// chatter returns a conversation of some turns.
func chatter(turns int) (all []map[string]any) {
	for i := range turns {
		question := fmt.Sprint("question ", i, strings.Repeat(" and why", 60))
		all = append(all, map[string]any{"role": "user", "content": question},
			map[string]any{"role": "assistant", "content": fmt.Sprint("answer ", i, strings.Repeat(" because", 60))})
	}
	return all
}

// TestAConversationThroughTheAPI appends, compacts, recovers, restores and reads one, as a program would.
func TestAConversationThroughTheAPI(t *testing.T) {
	f := newFixture(t, nil)
	h := f.api(t)
	type appended struct {
		Session string
		Added   int
		Created bool
	}
	first := map[string]any{"messages": chatter(8), "model": "gpt-4o", "request_id": "r1"}
	_, a := operate[appended](t, h, "append_messages", first)
	_, again := operate[appended](t, h, "append_messages", first)
	if a.Session == "" || a.Added != 16 || !a.Created || again != a {
		t.Fatalf("%+v, again %+v", a, again)
	}
	_, more := operate[appended](t, h, "append_messages", map[string]any{"messages": chatter(9)}) // the chain is known
	if more.Session != a.Session || more.Added != 2 || more.Created {
		t.Errorf("the same conversation: %+v", more)
	}
	type view struct {
		Messages []map[string]any
		Total    int
		Tokens   tokens.Count
		Summary  string
	}
	of := map[string]any{"session": a.Session}
	if _, v := operate[view](t, h, "view", of); len(v.Messages) != 18 || v.Messages[0]["role"] != "user" {
		t.Errorf("%d messages", len(v.Messages))
	}
	_, made := operate[compactResult](t, h, "compact_conversation",
		map[string]any{"session": a.Session, "keep_turns": 1})
	if made.Status != statusCompacted || made.SummaryID == "" || made.Summary == "" {
		t.Fatalf("%+v", made)
	}
	_, short := operate[view](t, h, "view", of)
	if len(short.Messages) > 4 || short.Summary != made.SummaryID {
		t.Errorf("%d messages, summary %s", len(short.Messages), short.Summary)
	}
	_, r := operate[struct{ Session string }](t, h, "restore", map[string]any{"id": made.SummaryID})
	if r.Session != a.Session {
		t.Errorf("restored %+v", r)
	}
	if _, v := operate[view](t, h, "view", of); len(v.Messages) != 18 {
		t.Errorf("%d messages after restoring", len(v.Messages))
	}
}

// TestAViewAboveWhatIsAskedForSaysSo, and the call that it names makes it fit.
func TestAViewAboveWhatIsAskedForSaysSo(t *testing.T) {
	h := newFixture(t, nil).api(t)
	_, a := operate[struct{ Session string }](t, h, "append_messages", map[string]any{"messages": chatter(40)})
	asked := map[string]any{"enabled": true, "contextWindowTokens": 3_000, "compactAtTokens": 2_000}
	view := func() (tokens int, notice string) {
		_, v := operate[viewed](t, h, "view", map[string]any{"session": a.Session, "overrides": asked})
		return v.Tokens.N, v.Notice
	}
	n, notice := view()
	_, call, named := strings.Cut(notice, "compact_conversation with ")
	if n <= 2_000 || !named {
		t.Fatalf("%d tokens: %q", n, notice)
	}
	_, made := operate[compactResult](t, h, "compact_conversation", json.RawMessage(call))
	if made.Status != statusCompacted {
		t.Errorf("%+v", made)
	}
	if n, notice := view(); n > 2_000 || notice != "" {
		t.Errorf("%d tokens after the compaction: %q", n, notice)
	}
}

// TestARefusedRequestIsRecoveredThroughTheAPI: smaller each time, until nothing helps.
func TestARefusedRequestIsRecoveredThroughTheAPI(t *testing.T) {
	h := newFixture(t, nil).api(t)
	_, a := operate[struct{ Session string }](t, h, "append_messages",
		map[string]any{"messages": chatter(40), "model": "gpt-4"})
	size := 1 << 30
	for i := range 3 {
		_, got := operate[struct {
			Next     string
			Advice   struct{ Action string }
			Messages []json.RawMessage
		}](t, h, "recover", map[string]any{"session": a.Session, "model": "gpt-4", "status": 400,
			"error": "prompt is too long: 20000 tokens > 7000 maximum"})
		now := 0
		for _, m := range got.Messages {
			now += len(m)
		}
		t.Logf("%s: %d bytes: %s", got.Advice.Action, now, got.Next)
		if len(got.Messages) > 0 && now >= size || got.Next == "" || i == 0 && now == 0 {
			t.Errorf("step %d: %d bytes after %d: %s", i, now, size, got.Next)
		}
		size = now
	}
}

// TestASummaryOfTheCallersModel is planned, written by the caller and accepted; a plan that is old is refused.
func TestASummaryOfTheCallersModel(t *testing.T) {
	f := newFixture(t, nil)
	h := f.api(t)
	_, a := operate[struct{ Session string }](t, h, "append_messages", map[string]any{"messages": chatter(8)})
	plan := map[string]any{"session": a.Session, "options": map[string]any{"mode": "llm", "keep": 1}}
	_, p := operate[struct {
		Position int64
		Brief    struct {
			First int64 `json:"first_kept"`
			Range string
		}
	}](t, h, "plan_compaction", plan)
	if p.Position == 0 || p.Brief.Range == "" {
		t.Fatalf("%+v", p)
	}
	plan["position"] = p.Position
	plan["answer"] = map[string]any{"text": "The user asked eight questions, and the answer was always because.",
		"first_kept": p.Brief.First, "range": p.Brief.Range}
	plan["request_id"] = "once"
	type summary struct {
		ID  string
		Run struct{ Status string }
	}
	status, s := operate[summary](t, h, "accept_compaction", plan)
	if status != 200 || s.ID == "" || s.Run.Status != "accepted" {
		t.Errorf("%d %+v", status, s)
	}
	if _, again := operate[summary](t, h, "accept_compaction", plan); again != s {
		t.Errorf("again: %+v", again)
	}
	plan["request_id"] = "twice"
	if status, e := operate[problem](t, h, "accept_compaction", plan); status != 409 || e.Error.Code != "stale" {
		t.Errorf("an old plan: %d %+v", status, e)
	}
}

func TestArtifactsAndMemoryThroughTheAPI(t *testing.T) {
	h := newFixture(t, nil).api(t)
	text := strings.Repeat("a line about zebras\n", 100)
	_, a := operate[struct{ ID string }](t, h, "put_artifact", map[string]any{"content": text, "title": "zebras"})
	if _, p := operate[pageResult](t, h, "read_artifact", map[string]any{"id": a.ID}); p.Text != text {
		t.Errorf("read back %.100q", p.Text)
	}
	if _, found := operate[struct{ Passages []any }](t, h, "search_artifacts", map[string]any{"query": "zebras"}); len(
		found.Passages) == 0 {
		t.Error("not found")
	}
	if _, list := operate[struct{ Total int }](t, h, "artifacts", map[string]any{}); list.Total != 1 {
		t.Errorf("%d artifacts", list.Total)
	}
	operate[memoryResult](t, h, "memory", map[string]any{"action": "save", "name": "n", "body": "stripes"})
	_, m := operate[memoryResult](t, h, "memory", map[string]any{"action": "get", "name": "n"})
	if m.Entries[0].Body != "stripes" {
		t.Errorf("%+v", m)
	}
	if _, gone := operate[struct{ Total int }](t, h, "forget", map[string]any{"handle": a.ID}); gone.Total < 0 {
		t.Errorf("%+v", gone)
	}
	if status, e := operate[problem](t, h, "read_artifact", map[string]any{"id": a.ID}); status != 404 {
		t.Errorf("a forgotten artifact: %d %+v", status, e)
	}
}

func TestErrorsOfTheAPI(t *testing.T) {
	h := newFixture(t, nil).api(t)
	for _, c := range []struct {
		operation, body string
		status          int
		code            string
	}{
		{"view", `{}`, 400, "invalid"}, {"view", `{"session":"nothing"}`, 404, "not_found"},
		{"view", `{`, 400, "invalid"}, {"view", `[]`, 400, "invalid"}, {"view", "\xff", 400, "invalid"},
		{"view", `{"session":"a","session":"b"}`, 400, "invalid"}, {"view", `{"Session":"a"}`, 400, "invalid"},
		{"view", `{"session":"a","key":"b"}`, 400, "invalid"}, {"restore", `{"id":"nothing"}`, 404, "not_found"},
		{"append_messages", `{"messages":[{"role":1}]}`, 400, "invalid"}, {"put_artifact", `{"content":" "}`, 200, ""},
		{"append_messages", `{"messages":[],"dir":"/etc"}`, 400, "invalid"},
		{"append_messages", `{"messages":[],"host":"codex"}`, 400, "invalid"},
		{"put_artifact", `{"content":"x","blob":"y"}`, 400, "invalid"}, {"none", `{}`, 404, "not_found"},
		{"", `{}`, 404, "not_found"}, {"view/", `{}`, 404, "not_found"},
		{"view", strings.Repeat("[", 5000), 400, "invalid"},
		{"view", strings.Repeat(" ", limits.MCPMessage+1), 413, "too_large"},
	} {
		r := httptest.NewRequest("POST", APIPath+c.operation, strings.NewReader(c.body))
		r.Header.Set("Content-Type", typeJSON)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var e problem
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != c.status || e.Error.Code != c.code {
			t.Errorf("%s %.60s: %d %.200s, not %d %s", c.operation, c.body, w.Code, w.Body, c.status, c.code)
		}
	}
}

// TestWhatWouldBeIgnoredIsRefused: a misspelt member of an object, and parameters of the address.
func TestWhatWouldBeIgnoredIsRefused(t *testing.T) {
	h := newFixture(t, nil).api(t)
	for _, c := range []struct {
		method, address, body string
		status                int
		says                  []string
	}{
		{"POST", "view", `{"session":"a","policy":{"ResultChar":1}}`, 400,
			[]string{`unknown argument \"policy.ResultChar\"; known: Arguments, `}},
		{"POST", "view", `{"session":"a","policy":{"Clear":{"keep":1}}}`, 400, []string{`use \"policy.Clear.Keep\"`}},
		{"POST", "view", `{"session":"a","policy":{"Clear":{"Keep":"two"}}}`, 400,
			[]string{`\"policy.Clear.Keep\" is the string \"two\", not a whole number, for example \"Keep\": 10`}},
		{"POST", "view", `{"session":"a","policy":{"Turns":1,"Turns":2}}`, 400,
			[]string{`argument \"policy\": \"Turns\"`}},
		{"POST", "view", `{"session":"nothing","policy":{"Clear":{"Trigger":0.5,"Only":["x"]},"ResultCharsOf":{"bash":1}}}`,
			404, []string{"nothing"}},
		{"POST", "plan_compaction", `{"session":"a","options":{"keepTail":true}}`, 400,
			[]string{`use \"options.keep_tail\"`}},
		{"POST", "accept_compaction", `{"session":"a","answer":{"txt":"x"}}`, 400, []string{"answer.txt", "range"}},
		{"POST", "view?session=a", `{}`, 400, []string{`\"session\" in the address`, "arguments are the body"}},
		{"GET", "events?aftr=1", "", 400, []string{`\"aftr\" in the address`, "known: after, kinds, session"}},
		{"GET", "openapi.json?x", "", 400, []string{"known: none"}},
		{"GET", "view", "", 405, []string{"/v1/view takes POST"}}, {"POST", "events", "{}", 405, []string{"takes GET"}},
	} {
		r := httptest.NewRequest(c.method, APIPath+c.address, strings.NewReader(c.body))
		r.Header.Set("Content-Type", typeJSON)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		for _, part := range c.says {
			if w.Code != c.status || !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s %s %s: %d %s, not %d with %s", c.method, c.address, c.body, w.Code, w.Body, c.status, part)
			}
		}
		if allow := w.Header().Get("Allow"); (allow != "") != (w.Code == 405) {
			t.Errorf("%s %s: Allow is %q", c.method, c.address, allow)
		}
	}
}

// TestBadJSONIsNamed: where it ends to be JSON, and why.
func TestBadJSONIsNamed(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", APIPath+"view", strings.NewReader(`{"session" "x"}`))
	r.Header.Set("Content-Type", typeJSON)
	newFixture(t, nil).api(t).ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), "levels: byte 11: ") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestTheDocumentHasEveryOperation: each with a schema that names its arguments.
func TestTheDocumentHasEveryOperation(t *testing.T) {
	w := httptest.NewRecorder()
	newFixture(t, nil).api(t).ServeHTTP(w, httptest.NewRequest("GET", SchemaPath, nil))
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]struct {
					Schema struct{ Properties map[string]any }
				}
			} `json:"requestBody"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatal(err, doc.OpenAPI)
	}
	for _, o := range Operations() {
		at := doc.Paths[APIPath+o.Name]["post"]
		if at.OperationID != o.Name || len(at.RequestBody.Content[typeJSON].Schema.Properties) == 0 {
			t.Errorf("%s: %+v", o.Name, at)
		}
	}
	if len(doc.Paths) != len(Operations())+2 || doc.Paths[EventsPath]["get"].OperationID != "events" {
		t.Errorf("%d paths", len(doc.Paths))
	}
}

// TestEventsAreAStreamThatGoesOn from the one that was seen last.
func TestEventsAreAStreamThatGoesOn(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Hosted: true, Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return kept{local}, "", nil },
		Options{Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{Server: s}
	mux := f.api(t)
	web := httptest.NewServer(mux)
	t.Cleanup(func() {
		web.Close()
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	save := func(name string) {
		operate[memoryResult](t, mux, "memory", map[string]any{"action": "save", "name": name, "body": "x"})
	}
	next := func(lines *bufio.Scanner) (seen []string) {
		for lines.Scan() {
			if line := lines.Text(); strings.HasPrefix(line, "id: ") || strings.HasPrefix(line, "event: ") {
				seen = append(seen, line)
			} else if line == "" && len(seen) > 0 {
				return seen
			}
		}
		return seen
	}
	listening := func(last string) (*bufio.Scanner, func()) {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+EventsPath+"?kinds=memory", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Last-Event-ID", last)
		answer, err := web.Client().Do(r)
		if err != nil || answer.Header.Get("Content-Type") != typeStream {
			t.Fatal(err)
		}
		return bufio.NewScanner(answer.Body), func() { leave(); _ = answer.Body.Close() } // it was only read from
	}
	save("one")
	lines, leave := listening("")
	if got := next(lines); !slices.Equal(got, []string{"id: 1", "event: memory"}) {
		t.Errorf("the first: %q", got)
	}
	save("two") // while it listens
	if got := next(lines); !slices.Equal(got, []string{"id: 2", "event: memory"}) {
		t.Errorf("the second: %q", got)
	}
	leave()
	save("three") // while nobody does
	lines, leave = listening("2")
	defer leave()
	if got := next(lines); !slices.Equal(got, []string{"id: 3", "event: memory"}) {
		t.Errorf("the third: %q", got)
	}
	w := httptest.NewRecorder()
	s.Events(w, httptest.NewRequest("GET", EventsPath+"?after=x", nil))
	if w.Code != 400 {
		t.Errorf("no number: %d %s", w.Code, w.Body)
	}
}
