package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// What a view leaves out and repairs is reported for each agent, once in a turn.
func TestWhatAViewLeavesOutIsToldForEachAgent(t *testing.T) {
	p := window.Default()
	p.Messages, p.Exact = 3, true
	l := openWith(t, p)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: talkOf(3, 5)}).Session
	for turn := range 3 {
		for range 2 {
			for _, agent := range []string{"", "reviewer"} {
				if _, err := l.EditView(t.Context(),
					ledger.EditViewRequest{Session: id, Reader: ledger.Reader{Agent: agent}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		told := map[string]int{}
		for _, d := range eventsOf[ledger.ViewFiltered](t, l, ledger.EventFiltered) {
			told[d.Agent]++
		}
		if told[""] != turn+1 || told["reviewer"] != turn+1 {
			t.Errorf("in turn %d it was told %v", turn, told)
		}
		repaired := map[string]int{}
		for _, d := range eventsOf[ledger.ViewRepaired](t, l, ledger.EventRepaired) {
			repaired[d.Agent]++
		}
		if fmt.Sprint(repaired) != "map[:1 reviewer:1]" && turn > 0 {
			t.Errorf("in turn %d it was told what was mended: %v", turn, repaired)
		}
		next := say("go on")
		if turn == 0 {
			next = append(next, []byte(`{"role":"assistant","content":[{"type":"text","text":"well"},`+
				`{"type":"tool_use","id":"lost","name":"Grep","input":{}}]}`))
		}
		hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: append(next, say("stop")...)})
	}
}

// An agent that reaches its limit in the turn after a compaction is reported, also where another agent is within its
// own.
func TestGraceIsToldForAnyAgent(t *testing.T) {
	p := window.Default()
	p.Compact.CutoverAt, p.Compact.Turns = 2_000, 0
	l := openWith(t, p)
	texts := []sessions.NewEntry{asking("go")}
	for i := range 30 {
		texts = append(texts, asking(fmt.Sprintf("request %d %s", i, strings.Repeat("please ", 300))),
			spent("", false, 0))
	}
	id := imported(t, l, 0, texts...)
	compact(t, l, id, compactionOf(2))
	imported(t, l, 1, asking("on"), spent("", false, 10), spent("tester", false, 3_000))
	out := auto(t, l, of(id))
	if !out.Edited.Due.Grace || out.Edited.Due.Held != window.ReasonCumulative {
		t.Errorf("due: %+v", out.Edited.Due)
	}
	if told := eventsOf[ledger.CompactionSkipped](t, l, ledger.EventSkipped); len(told) != 1 ||
		told[0].Reason != window.ReasonCumulative {
		t.Errorf("told %+v", told)
	}
}
