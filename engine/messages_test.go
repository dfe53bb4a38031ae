package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// views fails unless the view of a session is exactly these messages.
func views(t *testing.T, l *engine.Local, session string, want [][]byte) {
	t.Helper()
	got := render(t, l, session)
	if len(got) != len(want) {
		t.Fatalf("%d messages in the view, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("message %d of the view is %.200s, want %.200s", i+1, got[i], want[i])
		}
	}
}

// handing is one step of a conversation as a host hands it in.
type handing struct {
	does     string
	messages string // one letter a message: upper case by the user, lower case by the assistant
	named    bool   // whether the session of the first step is named
	since    bool
	added    int
	created  bool
	same     int    // the step (from 0) whose session it is; -1: a new one
	view     string // of that session afterwards; "": messages
}

// spell makes the messages of a conversation that is written as letters.
func spell(letters string) [][]byte {
	var out [][]byte
	for _, c := range letters {
		role := transcript.RoleAssistant
		if 'A' <= c && c <= 'Z' {
			role = transcript.RoleUser
		}
		out = append(out, transcript.NewMessage(transcript.Anthropic, role, "says "+string(c)))
	}
	return out
}

func TestAppendMessages(t *testing.T) {
	for name, steps := range map[string][]handing{
		"whole, then more": {
			{does: "new", messages: "Ab", added: 2, created: true, same: -1},
			{does: "again adds nothing", messages: "Ab", same: 0},
			{does: "continues", messages: "AbCd", added: 2, same: 0},
			{does: "again, named", messages: "AbCd", named: true, same: 0},
		},
		"since": {
			{does: "new", messages: "Ab", added: 2, created: true, same: -1},
			{does: "only what is new", messages: "C", named: true, since: true, added: 1, same: 0, view: "AbC"},
			{does: "whole afterwards", messages: "AbCd", added: 1, same: 0},
		},
		"forks of a shared beginning": {
			{does: "new", messages: "AbC", added: 3, created: true, same: -1},
			{does: "another end", messages: "AbD", added: 3, created: true, same: -1},
			{does: "the first goes on", messages: "AbCe", added: 1, same: 0},
			{does: "the second goes on", messages: "AbDf", added: 1, same: 1},
			{does: "the second again", messages: "AbDf", same: 1},
			{does: "a third", messages: "AbX", added: 3, created: true, same: -1},
			{does: "the first again", messages: "AbCe", same: 0},
		},
		"a shorter conversation is a fork": {
			{does: "new", messages: "AbC", added: 3, created: true, same: -1},
			{does: "without the end", messages: "Ab", added: 2, created: true, same: -1},
			{does: "and on from there", messages: "AbX", added: 1, same: 1},
		},
		"an edited history of a named session rewinds": {
			{does: "new", messages: "AbCd", added: 4, created: true, same: -1},
			{does: "another third", messages: "AbX", named: true, added: 1, same: 0},
			{does: "and on", messages: "AbXy", named: true, added: 1, same: 0},
			{does: "back to the first wording", messages: "AbCd", named: true, same: 0},
			{does: "shorter", messages: "Ab", named: true, same: 0},
			{does: "another beginning", messages: "Z", named: true, added: 1, same: 0},
			{does: "and on, unnamed", messages: "Zy", added: 1, same: 0},
		},
		"the same words twice in one conversation": {
			{does: "new", messages: "AbAb", added: 4, created: true, same: -1},
			{does: "half of it is another conversation", messages: "Ab", added: 2, created: true, same: -1},
			{does: "again", messages: "AbAb", same: 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			var ids []string
			for _, step := range steps {
				r := ledger.AppendMessagesRequest{Messages: spell(step.messages), Since: step.since}
				if step.named {
					r.Session = ids[0]
				}
				got := hand(t, l, r)
				if got.Added != step.added || got.Created != step.created {
					t.Fatalf("%s: %+v, want %d added, created %v", step.does, got, step.added, step.created)
				}
				for k, id := range ids {
					if same := id == got.Session; same != (k == step.same || step.same >= 0 && id == ids[step.same]) {
						t.Fatalf("%s: session %s, that of step %d: %v", step.does, got.Session, k, same)
					}
				}
				ids = append(ids, got.Session)
				view := step.view
				if view == "" {
					view = step.messages
				}
				views(t, l, got.Session, spell(view))
				if got.Seq != int64(len(log(t, l, got.Session))) {
					t.Fatalf("%s: newest entry %d of %d", step.does, got.Seq, len(log(t, l, got.Session)))
				}
			}
		})
	}
}

// long is a conversation of n turns that is worth compacting.
func long(n int) [][]byte {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("Request %d: %s", i, strings.Repeat("please look at the loader ", 30)),
			fmt.Sprintf("Answer %d: %s", i, strings.Repeat("the loader reads line by line ", 200)))
	}
	return say(texts...)
}

func TestOurSummaryAtTheHeadContinuesTheChain(t *testing.T) {
	l := open(t)
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)})
	p := compact(t, l, first.Session, compaction.Options{Keep: 2})
	if p.Outcome != compaction.Compacted {
		t.Fatal(p.Outcome, p.Why)
	}
	var view [][]byte
	view = append(view, render(t, l, first.Session)...)
	if same := hand(t, l, ledger.AppendMessagesRequest{Messages: view}); same.Session != first.Session ||
		same.Added != 0 {
		t.Fatalf("the view handed back: %+v", same)
	}
	more := append(view, say("And now?", "Done.")...)
	for _, named := range []string{"", first.Session} {
		got := hand(t, l, ledger.AppendMessagesRequest{Messages: more, Session: named})
		if got.Session != first.Session || got.Added > 2 || got.Created {
			t.Fatalf("the view and two messages (session %q): %+v", named, got)
		}
		views(t, l, first.Session, more)
	}
	fork := append(view[:len(view):len(view)], say("Something else.")...)
	forked := hand(t, l, ledger.AppendMessagesRequest{Messages: fork})
	if !forked.Created || forked.Added != len(fork) {
		t.Fatalf("a fork behind the summary: %+v", forked)
	}
	fork = append(fork, say("", "Fine.")[1])
	if again := hand(t, l, ledger.AppendMessagesRequest{Messages: fork}); again.Session != forked.Session ||
		again.Added != 1 {
		t.Fatalf("the fork goes on: %+v", again)
	}
	views(t, l, first.Session, more)
}

func TestAViewWithStubsHandedBackIsKnown(t *testing.T) {
	l := open(t)
	messages := [][]byte{
		raw(`{"role":"user","content":"Read it."}`),
		toolUse("c1", "Read", `{"file_path":"big.txt"}`),
		raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":%q}]}`,
			strings.Repeat("a line of a big file\n", 3000)),
		raw(`{"role":"assistant","content":"Read."}`),
	}
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: messages})
	var view [][]byte
	view = append(view, render(t, l, first.Session)...)
	if bytes.Equal(view[2], messages[2]) || !bytes.Contains(view[2], []byte("result offloaded")) {
		t.Fatalf("no stub in %.200s", view[2])
	}
	for _, whole := range [][][]byte{view, messages} {
		more := append(whole[:4:4], raw(`{"role":"user","content":"Go on."}`))
		if got := hand(t, l, ledger.AppendMessagesRequest{Messages: more}); got.Session != first.Session ||
			got.Created {
			t.Fatalf("%+v", got)
		}
	}
	if n := len(log(t, l, first.Session)); n != 5 {
		t.Errorf("%d entries, want 5", n)
	}
}

func TestParallelCallersOfOneConversation(t *testing.T) {
	l := open(t)
	messages := spell("AbCdEfGh")
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			r := ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: messages[:1+i]}
			for {
				_, err := l.AppendMessages(t.Context(), r)
				if err == nil {
					return
				}
				if !fault.Is(err, fault.Stale) {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
	whole := hand(t, l, ledger.AppendMessagesRequest{Messages: messages})
	views(t, l, whole.Session, messages)
}

func TestMessagesThatCannotBeTaken(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: spell("Ab")}).Session
	imported := shop(t, l)
	for _, test := range []struct {
		name string
		r    ledger.AppendMessagesRequest
		code fault.Code
		want string
	}{
		{"none", ledger.AppendMessagesRequest{}, fault.Invalid, "no messages"},
		{"no object", ledger.AppendMessagesRequest{Messages: append(spell("X"), raw(`7`))}, fault.Invalid, "message 2"},
		{"torn", ledger.AppendMessagesRequest{Messages: append(spell("AbC"), raw(`{"role":"user","content":"`))},
			fault.Invalid, "message 4"},
		{"without a role", ledger.AppendMessagesRequest{Messages: [][]byte{raw(`{"content":"x"}`)}}, fault.Invalid,
			"message 1"},
		{"torn, since", ledger.AppendMessagesRequest{Session: id, Since: true, Messages: append(spell("X"), raw(`{`))},
			fault.Invalid, "message 2"},
		{"since without a session", ledger.AppendMessagesRequest{Since: true, Messages: spell("C")}, fault.Invalid,
			"name their session"},
		{"unknown session", ledger.AppendMessagesRequest{Session: "ffffffff", Messages: spell("C")}, fault.NotFound,
			"ffffffff"},
		{"a session that an agent's files feed", ledger.AppendMessagesRequest{Session: imported, Messages: spell("C")},
			fault.Conflict, imported},
		{"unknown blob", ledger.AppendMessagesRequest{Blob: strings.Repeat("0", 64)}, fault.NotFound, "blob"},
		{"blob and messages", ledger.AppendMessagesRequest{Blob: strings.Repeat("0", 64), Messages: spell("A")},
			fault.Invalid, "exactly one"},
		{"too many", ledger.AppendMessagesRequest{Messages: make([][]byte, 20_001)}, fault.TooLarge, "20001"},
		{"a long session name", ledger.AppendMessagesRequest{Session: strings.Repeat("f", 1<<20),
			Messages: spell("C")}, fault.TooLarge, "session"},
	} {
		test.r.Format = transcript.Anthropic
		_, err := l.AppendMessages(t.Context(), test.r)
		if !fault.Is(err, test.code) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v (%s)", test.name, err, fault.CodeOf(err))
		}
	}
	if n := len(log(t, l, id)); n != 2 {
		t.Errorf("%d entries after refused requests, want 2", n)
	}
	_, err := l.AppendMessages(t.Context(), ledger.AppendMessagesRequest{Format: "morse", Messages: spell("A")})
	wantCode(t, err, fault.Invalid)
}

func TestAConversationInABlobIsTheSame(t *testing.T) {
	l := open(t)
	messages := spell("AbC")
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: messages})
	array := append(append([]byte("[ "),
		bytes.Join([][]byte{messages[0], messages[1], messages[2]}, []byte(" , "))...), ']')
	ref, err := l.PutBlob(t.Context(), bytes.NewReader(array))
	if err != nil {
		t.Fatal(err)
	}
	if got := hand(t, l, ledger.AppendMessagesRequest{Blob: ref.Hash}); got.Session != first.Session || got.Added != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAHandedInSessionHasATitle(t *testing.T) {
	l := open(t)
	for text, want := range map[string]string{
		"# Fix the loader\nIt is slow.":    "Fix the loader",
		strings.Repeat("é", 500):           strings.Repeat("é", 119) + "…",
		"\n\n  \nSecond line is first\r\n": "Second line is first",
	} {
		id := hand(t, l, ledger.AppendMessagesRequest{Messages: say(text)}).Session
		s, err := l.Session(t.Context(), ledger.SessionRequest{Name: id})
		if err != nil || s.Title != want || s.Host != "mcp" {
			t.Errorf("title %q, want %q (%v)", s.Title, want, err)
		}
	}
}
