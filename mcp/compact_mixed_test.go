package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/transcript"
)

// A host may put the user's words and images before, between and behind the results in one message. Such a conversation
// is compacted; it was "internal: something went wrong".
func TestWordsAndImagesAmongResultsAreCompacted(t *testing.T) {
	for _, p := range formattest.Providers() {
		f := newFixture(t, nil)
		for _, among := range []string{"wait %s", "%s wait", "img %s", "%s img", "x=1 wait y=2", "x=1 img y=2",
			"wait x=1 img y=2 wait"} {
			among = strings.ReplaceAll(among, "%s", "x=1 y=2")
			t.Run(p.Name+"/"+among, func(t *testing.T) {
				lines := []string{"u begin-" + strings.ReplaceAll(among, " ", "_")} // a session of its own
				lines = append(lines, "a ok")
				for i := range 8 {
					id := strings.NewReplacer("x", fmt.Sprint("x", i), "y", fmt.Sprint("y", i))
					lines = append(lines, fmt.Sprintf("u request-%d", i),
						"a "+strings.Repeat("words ", 60)+id.Replace("+x +y"), "t "+id.Replace(among), "a answer")
				}
				view := mixed{p, lines, 2, "intent", "messages"}.compacted(t, f)
				got := p.Brief(t, view)
				if strings.Contains(among, "wait") && !strings.Contains(got, " wait") {
					t.Errorf("the user's words are not in the view: %s", got)
				}
			})
		}
	}
}

// mixed is a conversation that is handed in to be compacted.
type mixed struct {
	provider     formattest.Provider
	lines        []string
	keep         int
	mode, shaped string
}

// compacted has it compacted, and returns the messages of the answer, or what the splice makes of those handed in.
func (m mixed) compacted(t *testing.T, f *fixture) [][]byte {
	t.Helper()
	handed := m.provider.Messages(m.lines...)
	raw := tryRaw(t, f, fmt.Sprintf(`{"messages":[%s],"format":%q,"keep_turns":%d,"return":%q,"mode":%q,"model":%q}`,
		bytes.Join(handed, []byte(",")), m.provider.Format, m.keep, m.shaped, m.mode, "gemma-7b"))
	var r struct {
		Status   string
		Messages []json.RawMessage
		Splice   *splice
	}
	text := raw.Content[0].Text
	if raw.IsError {
		t.Fatalf("%.300s\n%s\n%s", text, f.log, strings.Join(m.lines, "\n"))
	}
	if !strings.HasPrefix(text, "{") {
		return nil // words for a reader
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	view := rawBytes(r.Messages)
	if r.Splice != nil {
		view = slices.Concat(handed[:r.Splice.From], [][]byte{r.Splice.Message}, handed[r.Splice.To:])
	}
	return view
}

// No conversation that a provider takes is an internal error, whatever the mode and the shape of the answer, and the
// view is one that the provider takes.
func TestNoValidConversationIsAnInternalError(t *testing.T) {
	for _, p := range formattest.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			f, views := newFixture(t, nil), 0
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 38))
				pick := func(of ...string) string { return of[r.IntN(len(of))] }
				m := mixed{p, formattest.ValidTalk(r, transcript.Takes(p.Format, transcript.RoleSystem), int(seed)),
					r.IntN(4), pick("intent", "intent", "window", "auto"),
					pick("messages", "splice", "messages", "summary")}
				view := m.compacted(t, f)
				if len(view) == 0 {
					continue
				}
				if views++; m.shaped == "splice" && p.Format == transcript.Anthropic {
					continue // of the caller's own messages, whose order is the caller's
				}
				if err := transcript.Valid(p.Format, view); err != nil {
					t.Fatalf("seed %d, %s, %s: %v\n%s\n%s", seed, m.mode, m.shaped, err, strings.Join(m.lines, "\n"),
						bytes.Join(view, []byte("\n")))
				}
			}
			if views < 4 {
				t.Errorf("%d views: the test shows nothing", views)
			}
		})
	}
}
