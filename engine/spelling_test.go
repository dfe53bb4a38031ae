package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// dumped writes messages as Python's json.dumps(m, sort_keys=True) does: sorted keys, spaces, and escapes for all
// that is not ASCII.
func dumped(t *testing.T, messages [][]byte) (out [][]byte) {
	t.Helper()
	var write func(b *bytes.Buffer, raw json.RawMessage)
	write = func(b *bytes.Buffer, raw json.RawMessage) {
		var object map[string]json.RawMessage
		var array []json.RawMessage
		switch {
		case json.Unmarshal(raw, &object) == nil && object != nil:
			for i, name := range sorted(object) {
				fmt.Fprintf(b, "%s%q: ", [2]string{"{", ", "}[min(i, 1)], name)
				write(b, object[name])
			}
			b.WriteByte('}')
		case json.Unmarshal(raw, &array) == nil && array != nil:
			b.WriteByte('[')
			for i, v := range array {
				if i > 0 {
					b.WriteString(", ")
				}
				write(b, v)
			}
			b.WriteByte(']')
		default:
			for _, c := range string(raw) {
				if c < 0x7F {
					b.WriteRune(c)
				} else {
					fmt.Fprintf(b, `\u%04x`, c) // no test has a character of two units
				}
			}
		}
	}
	for _, m := range messages {
		var b bytes.Buffer
		write(&b, m)
		if !json.Valid(b.Bytes()) {
			t.Fatalf("%s of %s", b.Bytes(), m)
		}
		out = append(out, b.Bytes())
	}
	return out
}

func sorted(object map[string]json.RawMessage) (names []string) {
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestAViewThatAHostWritesAnewIsKnown: a host parses what it is shown and writes it again, as Python does, each time
// with new messages. It was taken for another conversation each time, whose results were cleared again.
func TestAViewThatAHostWritesAnewIsKnown(t *testing.T) {
	p := window.Default()
	p.ResultChars = 100
	l := openWith(t, p)
	messages := say("look at a.go — all of it")
	texts := map[string]string{}
	read := func(id string) [][]byte {
		texts[id] = strings.Repeat("ein Wörterbuch — "+id+"\n", 400)
		return round(id, "Read", map[string]any{"file_path": id + ".go"}, texts[id])
	}
	for i := range 8 {
		messages = append(messages, read(fmt.Sprint("c", i))...)
	}
	session := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	for i := range 3 {
		if _, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: session, Reason: "manual"}); err != nil {
			t.Fatal(err)
		}
		back := dumped(t, append(render(t, l, session), read(fmt.Sprint("later", i))...))
		resp := hand(t, l, ledger.AppendMessagesRequest{Messages: back})
		if resp.Session != session || resp.Created || resp.Added != 2 {
			t.Fatalf("round %d: %+v, not session %s", i, resp, session)
		}
	}
	cleared := map[string]int{}
	for _, e := range log(t, l, session) {
		var step struct{ Edits []window.Edit }
		if e.Kind == sessions.KindEdits && json.Unmarshal(e.Data, &step) == nil {
			for _, edit := range step.Edits {
				cleared[edit.Call+string(edit.Part)]++
			}
		}
		for _, r := range e.Results {
			m, err := transcript.Decode(e.Format, []byte(readHandle(t, l, e.ResultHandle(r.CallID))))
			if err != nil || m.Parts[0].Text != texts[r.CallID] {
				t.Errorf("the handle of %s reads %.200s, %v", r.CallID, m.Raw, err)
			}
		}
	}
	for what, n := range cleared {
		if n > 1 {
			t.Errorf("%s was cleared %d times", what, n)
		}
	}
	if len(cleared) == 0 {
		t.Error("nothing was cleared")
	}
}

// earlierTalks are the conversations of testdata/schema-3.tar.gz, as the last program of schema 3 received them. It
// then edited one, compacted one, and forgot the third message of one.
func earlierTalks() map[string][][]byte {
	edited := say("look at a.go — all of it")
	edited = append(edited, round("c1", "Read", map[string]any{"file_path": "a.go"},
		strings.Repeat("func secretName() int { return 42 } // é\n", 400))...)
	edited = append(edited, round("c2", "Bash", map[string]any{"command": "make"},
		strings.Repeat("a line of a long output — with a dash\n", 2000))...)
	edited = append(edited, round("c3", "Write", map[string]any{"file_path": "./a.go", "content": "package a"},
		"written")...)
	return map[string][][]byte{
		"edited":    append(edited, say("", "done — and well")[1]),
		"compacted": long(8),
		"forgotten": say("a first wish — with a dash", "an answer", "the code is hunter2", "so be it"),
	}
}

// TestConversationsOfSchema3Continue: a program that made ids of bytes recorded them. They go on in every spelling,
// also that of their views, and their handles stay.
func TestConversationsOfSchema3Continue(t *testing.T) {
	titles := map[string]string{"edited": "look at", "compacted": "Request 0", "forgotten": "a first wish"}
	for name, messages := range earlierTalks() {
		for how, spell := range map[string]func(view [][]byte) [][]byte{
			"as it was":         func([][]byte) [][]byte { return messages },
			"written anew":      func([][]byte) [][]byte { return dumped(t, messages) },
			"view":              func(view [][]byte) [][]byte { return view },
			"view written anew": func(view [][]byte) [][]byte { return dumped(t, view) },
		} {
			if name == "forgotten" && how == "written anew" {
				continue // what is forgotten has no value that could be compared
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				l, _ := openIn(t, golden(t, "3"), "/home/dev/shop")
				id := ""
				all, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
				for _, s := range all.Sessions {
					if strings.HasPrefix(s.Title, titles[name]) {
						id = s.ID
					}
				}
				if err != nil || id == "" {
					t.Fatal(all, err)
				}
				before := log(t, l, id)
				sent := slices.Clip(spell(render(t, l, id)))
				for i := range 2 {
					sent = append(sent, say(fmt.Sprint("and now ", i), "yes")[:1+i]...)
					got := hand(t, l, ledger.AppendMessagesRequest{Messages: sent})
					if got.Session != id || got.Created {
						t.Fatalf("%+v, not session %s", got, id)
					}
				}
				if more := len(log(t, l, id)) - len(before); how != "as it was" && how != "written anew" && more != 3 {
					t.Errorf("%d more entries, not 3", more)
				}
				handlesRead(t, l, before, messages)
			})
		}
	}
}

// handlesRead fails unless the handle of each message that is not forgotten reads the original back.
func handlesRead(t *testing.T, l *engine.Local, log []sessions.Entry, messages [][]byte) {
	t.Helper()
	for _, e := range log {
		if e.Kind != sessions.KindMessage || e.Forgotten != nil {
			continue
		}
		if got := blob(t, l, ledger.ReadBlobRequest{Handle: e.Handle()}); !bytes.Equal(got, messages[e.Seq-1]) {
			t.Errorf("handle %s reads %.100q", e.Handle(), got)
		}
	}
}

// TestAConversationOfSchema3AndItsForkGoOn: the fork has ids of values, the conversation ids of bytes, and a
// beginning of both.
func TestAConversationOfSchema3AndItsForkGoOn(t *testing.T) {
	l, _ := openIn(t, golden(t, "3"), "/home/dev/shop")
	whole := earlierTalks()["edited"]
	fork := append(whole[:3:3], say("", "another way")[1])
	forked := hand(t, l, ledger.AppendMessagesRequest{Messages: fork})
	if !forked.Created {
		t.Fatalf("%+v", forked)
	}
	for i := range 3 {
		fork, whole = append(fork, say(fmt.Sprint("on ", i))...), append(whole, say(fmt.Sprint("on ", i))...)
		if got := hand(t, l, ledger.AppendMessagesRequest{Messages: dumped(t, fork)}); got.Session != forked.Session ||
			got.Added != 1 {
			t.Errorf("the fork: %+v, not %s", got, forked.Session)
		}
		got := hand(t, l, ledger.AppendMessagesRequest{Messages: whole})
		if got.Created || got.Session == forked.Session || got.Added != 1 {
			t.Errorf("the conversation: %+v", got)
		}
	}
}

func TestAForkOfAnEditedViewGoesOn(t *testing.T) {
	l := open(t)
	id := consumed(t, l)
	if made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reason: "manual"}); err != nil ||
		len(made.Edits) == 0 {
		t.Fatal(made, err)
	}
	view := render(t, l, id)
	// Several, since the ids of sessions decide which is found first.
	for _, last := range []string{"one way", "another way", "a third way"} {
		fork := append(view[:len(view)-1:len(view)-1], say("", last)[1])
		first := hand(t, l, ledger.AppendMessagesRequest{Messages: fork})
		again := hand(t, l, ledger.AppendMessagesRequest{Messages: append(fork, say("on")...)})
		if !first.Created || again.Session != first.Session || again.Added != 1 {
			t.Errorf("%s: %+v, then %+v", last, first, again)
		}
	}
}

func TestTheOpeningOfAViewIsKnownInAnySpelling(t *testing.T) {
	l := open(t)
	calls := [][]byte{
		[]byte(`{"role":"model","parts":[{"functionCall":{"name":"Read","args":{"file_path":"a"}}}]}`),
		[]byte(`{"role":"user","parts":[{"functionResponse":{"name":"Read","response":{"output":"ö"}}}]}`),
	}
	r := ledger.AppendMessagesRequest{Format: transcript.Gemini, Messages: calls}
	first := hand(t, l, r)
	r.Messages = dumped(t, render(t, l, first.Session))
	if again := hand(t, l, r); len(r.Messages) != 3 || again.Session != first.Session || again.Added != 0 {
		t.Errorf("%d messages: %+v, not %+v", len(r.Messages), again, first)
	}
}

func TestASummaryIsKnownInAnySpelling(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: long(30)}).Session
	if p := compact(t, l, id, compactionOf(2)); p.Outcome != compaction.Compacted {
		t.Fatal(p.Why)
	}
	back := dumped(t, append(render(t, l, id), say("And now — what?")...))
	if got := hand(t, l, ledger.AppendMessagesRequest{Messages: back}); got.Session != id || got.Added != 1 {
		t.Errorf("%+v, not session %s", got, id)
	}
}
