package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

func status(t *testing.T, l *engine.Local, session string) ledger.Status {
	t.Helper()
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestStatusFiguresAgree: the categories together are what is used, whatever the model's counter
// rounds, before and after a compaction.
func TestStatusFiguresAgree(t *testing.T) {
	volume(t)
	l := open(t)
	id := shop(t, l)
	check := func(when string) { checkFigures(t, l, id, when) }
	check("before")
	before := status(t, l, id)
	if before.Saved.N == 0 || len(before.NextCuts) == 0 || before.Summary != "" || before.Threshold <= 0 {
		t.Errorf("before: %+v", before)
	}
	p := compact(t, l, id, compaction.Options{})
	check("after")
	after := status(t, l, id)
	if after.Used != p.Summary.TokensAfter && after.Used.N > p.Summary.TokensAfter.N+10 {
		t.Errorf("used %+v after a compaction to %+v", after.Used, p.Summary.TokensAfter)
	}
	// What is saved and what is used are together what there was.
	if a, b := before.Used.N+before.Saved.N, after.Used.N+after.Saved.N; a-b > 2 || b-a > 2 {
		t.Errorf("used and saved: %d before, %d after", a, b)
	}
	if after.Total != before.Total || after.Measured != before.Measured || after.SinceTurns > before.SinceTurns {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// TestStatusFiguresAgreeWhereTheViewDropsThings: a call that was never answered, a result that came
// twice, one that was forgotten.
func TestStatusFiguresAgreeWhereTheViewDropsThings(t *testing.T) {
	l := open(t)
	call := `{"role":"assistant","content":[{"type":"text","text":"Look."},` +
		`{"type":"tool_use","id":%q,"name":"Read","input":{"file_path":"a/long/name/of/a/file"}}]}`
	result := `{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"a few words of text"}]}`
	messages := append(spell("A"), raw(call, "lost"), spell("B")[0], raw(call, "twice"), raw(result, "twice"),
		raw(result, "twice"))
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages, secretResult("gone", "x")...)}).Session
	checkFigures(t, l, id, "before")
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: only(t, l, id).ID}); err != nil {
		t.Fatal(err)
	}
	checkFigures(t, l, id, "after forgetting")
}

// checkFigures compares a session's status and view with each other, for models of all kinds.
func checkFigures(t *testing.T, l *engine.Local, id, when string) {
	t.Helper()
	for _, model := range []string{"", "gpt-4o", "gpt-4", "claude-sonnet-4-5", "gemini-2.5-pro", "unheard-of"} {
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Model: model})
		if err != nil {
			t.Fatal(err)
		}
		n, upper := 0, 0
		for i, c := range st.Categories {
			n, upper = n+c.Tokens.N, upper+c.Tokens.Upper
			if c.Tokens.N < 0 || c.Tokens.Exact != st.Used.Exact || i > 0 &&
				c.Tokens.N > st.Categories[i-1].Tokens.N+1 {
				t.Errorf("%s, model %q: category %+v", when, model, c)
			}
		}
		if n != st.Used.N || upper != st.Used.Upper {
			t.Errorf("%s, model %q: categories of %d (at most %d), used %+v", when, model, n, upper, st.Used)
		}
		v, err := l.View(t.Context(), ledger.ViewRequest{Session: id, Model: model})
		if err != nil || v.Tokens != st.Used || v.Summary != st.Summary {
			t.Errorf("%s, model %q: the view has %+v, the status %+v (%v)", when, model, v.Tokens, st.Used, err)
		}
	}
}

func TestInfoCountsWhatTheListsHold(t *testing.T) {
	l := open(t)
	shop(t, l)
	hand(t, l, ledger.AppendMessagesRequest{Messages: spell("Ab")})
	if _, err := l.SaveMemory(t.Context(), fact("", "m")); err != nil {
		t.Fatal(err)
	}
	info, err := l.Info(t.Context(), ledger.InfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || info.Sessions != list.Total || list.Total != len(list.Sessions) || list.Total < 2 {
		t.Errorf("%d sessions, listed %d of %d (%v)", info.Sessions, len(list.Sessions), list.Total, err)
	}
	arts, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
	if err != nil || info.Artifacts != arts.Total {
		t.Errorf("%d artifacts, listed %d (%v)", info.Artifacts, arts.Total, err)
	}
	mems, err := l.Memories(t.Context(), ledger.MemoriesRequest{})
	if err != nil || info.Memories != len(mems.Entries) || info.Memories != 1 {
		t.Errorf("%d memories, listed %d (%v)", info.Memories, len(mems.Entries), err)
	}
	if info.Bytes == 0 || info.Workspace != "/home/dev/shop" || !info.InProcess || info.PID == 0 {
		t.Errorf("%+v", info)
	}
	if resp := events(t, l, ledger.WaitEventsRequest{After: -1}); resp.Next != info.Event {
		t.Errorf("newest event %d, info says %d", resp.Next, info.Event)
	}
}

// What a view does not show fills nothing of it: neither the calls and results of a view of texts, nor a call
// that nothing answered.
func TestAStatusCountsWhatIsShown(t *testing.T) {
	p := window.Default()
	p.TextOnly = true
	l := open(t)
	messages := say("go")
	messages = append(messages, round("c1", "Grep", map[string]any{"pattern": "x"}, strings.Repeat("word ", 500))...)
	messages = append(messages, []byte(`{"role":"assistant","content":[{"type":"text","text":"`+strings.Repeat(
		"words ", 500)+`"},{"type":"tool_use","id":"lost","name":"Lost","input":{"pattern":"`+strings.Repeat(
		"long ", 300)+`"}}]}`))
	messages = append(messages, say("stop")...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	for _, c := range []struct {
		name   string
		reader ledger.Reader
		tools  []string
	}{
		{"all", ledger.Reader{}, []string{"Grep"}},
		{"texts alone", ledger.Reader{Policy: &p}, nil},
	} {
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Reader: c.reader})
		if err != nil {
			t.Fatal(err)
		}
		var tools []string
		for _, s := range st.Sources {
			tools = append(tools, s.Name)
		}
		if !slices.Equal(tools, c.tools) {
			t.Errorf("%s: sources %v, want %v", c.name, tools, c.tools)
		}
		for _, category := range st.Categories {
			if category.Name == "tool calls" && category.Tokens.N > 100 || category.Name == "assistant" &&
				category.Tokens.N < 500 || c.tools == nil && strings.HasPrefix(category.Name, "tool") {
				t.Errorf("%s: %+v", c.name, category)
			}
		}
	}
}

// TestAStatusNamesOnlyWhatACompactionWouldCut: it named what a compaction would remove where that would do nothing, as after
// another one.
func TestAStatusNamesOnlyWhatACompactionWouldCut(t *testing.T) {
	l := open(t)
	var short []string
	for i := range 40 {
		short = append(short, fmt.Sprint("message ", i))
	}
	small := hand(t, l, ledger.AppendMessagesRequest{Messages: say(short...)}).Session
	large := hand(t, l, ledger.AppendMessagesRequest{Messages: long(40)}).Session
	for session, want := range map[string]bool{small: false, large: true} {
		st, p := status(t, l, session), plan(t, l, session, compaction.Options{Reason: compaction.Manual})
		if does := p.Outcome == compaction.Compacted; does != want || (len(st.NextCuts) > 0) != want {
			t.Errorf("%s: %s, and %d cuts are named", p.Outcome, p.Why, len(st.NextCuts))
		}
	}
}
