package overflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/transcript"
)

func lit(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// conversation has a short and two long results, an image, parallel calls, and a newest unit whose
// result is long.
func conversation(long int) Copy {
	words := strings.Repeat("é", long)
	call := func(ids ...string) string {
		var uses []string
		for _, id := range ids {
			uses = append(uses,
				fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"make %s"}}`, id, id))
		}
		return `{"role":"assistant","content":[{"type":"text","text":"I try."},` + strings.Join(uses, ",") + `]}`
	}
	result := func(id, text string) string {
		return fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":%s}`, id, lit(text))
	}
	var c Copy
	c.Format, c.Consumed = transcript.Anthropic, map[string]bool{"read": true}
	for _, m := range []string{
		`{"role":"user","content":"Do it."}`,
		call("short"), `{"role":"user","content":[` + result("short", "fine") + `]}`,
		call("a", "read"), `{"role":"user","content":[` + result("a", words) + `,` + result("read", words) + `]}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"pic","name":"Look","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"pic","content":[{"type":"text","text":` +
			lit(words) +
			`},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},{"type":"text","text":"Go on."}]}`,
		call("new"), `{"role":"user","content":[` + result("new", words) + `]}`,
	} {
		c.Messages = append(c.Messages, []byte(m))
	}
	return c
}

// results returns the lengths of the results of a conversation, in characters.
func results(t *testing.T, f transcript.Format, messages [][]byte) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, raw := range messages {
		m, err := transcript.Decode(f, raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult {
				n[p.ID] = len([]rune(p.Text))
			}
		}
	}
	return n
}

func TestTrimStages(t *testing.T) {
	c := conversation(50_000)
	mark := func(gone string) int {
		return len([]rune("\n[...context-trimmed — " + gone + " chars removed to fit model limit...]"))
	}
	for _, test := range []struct {
		stage int
		want  map[string]int
	}{
		{1, map[string]int{"short": 4, "a": 4000 + mark("46,000"), "read": 500 + mark("49,500"),
			"pic": 4000 + mark("46,000"), "new": 16_000 + mark("34,000")}},
		{2, map[string]int{"short": 4, "a": 500 + mark("49,500"), "read": 500 + mark("49,500"),
			"pic": 500 + mark("49,500"), "new": 4000 + mark("46,000")}},
		{3, map[string]int{}},
	} {
		out, err := Trim(c, test.stage)
		if err != nil {
			t.Fatal(err)
		}
		got := results(t, c.Format, out.Messages)
		if fmt.Sprint(got) != fmt.Sprint(test.want) || out.Stage != test.stage {
			t.Errorf("stage %d: %v, want %v", test.stage, got, test.want)
		}
		valid(t, c, out)
	}
	out, err := Trim(c, 3)
	if err != nil {
		t.Fatal(err)
	}
	text := string(bytes.Join(out.Messages, []byte("\n")))
	for _, want := range []string{"Do it.", "I try.", "Go on.", "[...context-trimmed — "} {
		if !strings.Contains(text, want) {
			t.Errorf("stage 3 has no %q: %s", want, text)
		}
	}
	if strings.Contains(text, "tool_use") || strings.Contains(text, "tool_result") || len(out.Messages) != 6 {
		t.Errorf("stage 3 has %d messages: %s", len(out.Messages), text)
	}
}

// noteChars is what the note at the end may add where there was nothing to save.
const noteChars = 80

// valid checks what every copy promises: it is valid, smaller, and counted rightly; the original stays.
func valid(t *testing.T, c Copy, out Trimmed) {
	t.Helper()
	if err := transcript.Valid(c.Format, out.Messages); err != nil {
		t.Errorf("stage %d: %v", out.Stage, err)
	}
	sum := func(messages [][]byte) (n int) {
		for _, raw := range messages {
			m, err := transcript.Decode(c.Format, raw)
			if err != nil {
				t.Fatal(err)
			}
			n += size(m)
		}
		return n
	}
	before, after := sum(c.Messages), sum(out.Messages)
	if before != out.CharsBefore || after != out.CharsAfter || after > before+noteChars {
		t.Errorf("stage %d: %d to %d characters, said to be %d to %d", out.Stage, before, after, out.CharsBefore,
			out.CharsAfter)
	}
}

// What was cut names the handle that reads it back.
func TestWhatIsTrimmedHasAHandle(t *testing.T) {
	long := strings.Repeat("word ", 5_000)
	c := Copy{Format: transcript.Anthropic,
		Handles: []map[string]string{nil, nil, {"c1": "1f2e3d4c5b6a.2"}}, Whole: "ab03de2c",
		Messages: [][]byte{
			[]byte(`{"role":"user","content":"go"}`),
			[]byte(`{"role":"assistant","content":[{"type":"text","text":"I look."},` +
				`{"type":"tool_use","id":"c1","name":"Read","input":{}}]}`),
			[]byte(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"` + long + `"}]}`),
		}}
	for stage, want := range []string{`to fit model limit...]\nArtifact: 1f2e3d4c5b6a.2"`,
		`to fit model limit...]\nArtifact: 1f2e3d4c5b6a.2"`, `to fit model limit...]\nArtifact: ab03de2c"`} {
		out, err := Trim(c, stage+1)
		if err != nil {
			t.Fatal(err)
		}
		if last := string(out.Messages[len(out.Messages)-1]); !strings.Contains(last, want) {
			t.Errorf("stage %d: %.300s … %q", stage+1, last, last[max(0, len(last)-100):])
		}
	}
}

func TestTrimmedCopiesGetSmaller(t *testing.T) {
	c := conversation(5000)
	original := string(bytes.Join(c.Messages, nil))
	var refused Trimmed
	last := 1 << 30
	for range Stages {
		out, err := Next(c, refused, Target{})
		if err != nil {
			t.Fatal(err)
		}
		if out.CharsAfter >= last {
			t.Errorf("stage %d has %d characters, the one before %d", out.Stage, out.CharsAfter, last)
		}
		refused, last = out, out.CharsAfter
	}
	if _, err := Next(c, refused, Target{}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("after three: %v", err)
	}
	if string(bytes.Join(c.Messages, nil)) != original {
		t.Error("the original changed")
	}
}

// A copy that is no smaller than what was refused is not offered: its stage is skipped.
func TestNoCopyIsOfferedThatIsNotSmaller(t *testing.T) {
	p := formattest.Providers()[0]
	for _, c := range []struct {
		name, result string
		refused      Trimmed
		stage        int // 0: none is left
	}{
		{"nothing is long enough for the first stage", strings.Repeat("w", 3_000), Trimmed{}, 3}, // it is the newest
		{"nothing can be cut", "ok", Trimmed{Stage: 3, CharsAfter: 10}, 0},
		{"a copy of the size that was refused", strings.Repeat("w", 30_000), Trimmed{Stage: 1, CharsAfter: 4_000}, 3},
	} {
		sent := Copy{Format: p.Format, Messages: p.Messages("u go", "a +x", "t x="+c.result)}
		out, err := Next(sent, c.refused, Target{})
		if out.Stage != c.stage || (err != nil) != (c.stage == 0) {
			t.Errorf("%s: stage %d, %v", c.name, out.Stage, err)
		}
	}
	words := Copy{Format: p.Format, Messages: p.Messages("u go", "a ok", "u on")}
	if out, err := Next(words, Trimmed{}, Target{}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("words alone: %+v, %v", out, err)
	}
}

func TestShortResultsStayAsTheyAre(t *testing.T) {
	c := conversation(400)
	for stage := 1; stage < Stages; stage++ {
		out, err := Trim(c, stage)
		if err != nil || !bytes.Equal(bytes.Join(out.Messages, nil), bytes.Join(c.Messages, nil)) ||
			out.CharsAfter != out.CharsBefore {
			t.Errorf("stage %d: %v, %d of %d characters", stage, err, out.CharsAfter, out.CharsBefore)
		}
	}
}

func TestTrimToALimitCutsNoMoreThanIsNeeded(t *testing.T) {
	c := conversation(50_000)
	count := func(raw []byte) int { return len(raw) / 2 } // a token a character of this text
	total := 0
	for _, raw := range c.Messages {
		total += count(raw)
	}
	for _, test := range []struct {
		name  string
		to    Target
		stage int
		least int // tokens of the copy
	}{
		{"a little: what is not true any more goes first", Target{Limit: total - 1000}, 1, total - 50_000},
		{"more than that", Target{Limit: total - 60_000}, 1, total - 60_100},
		{"a lot", Target{Limit: 20_000}, 2, 15_000}, // the newest keeps four times as much: the steps are of five
		{"with something beside", Target{Limit: 100_000, Fixed: 40_000}, 1, 59_000},
		{"the provider counts twice as much", Target{Limit: 100_000, Actual: 2 * total}, 1, 49_000},
		{"everything", Target{Limit: 1000}, 3, 0},
		{"it fits", Target{Limit: total}, 0, total},
	} {
		test.to.Count = count
		out, err := TrimTo(c, test.to)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := 0
		for _, raw := range out.Messages {
			got += count(raw)
		}
		limit := test.to.Limit - test.to.Fixed
		if test.to.Actual > 0 {
			limit /= 2
		}
		if got > limit || got < test.least || out.Stage != test.stage {
			t.Errorf("%s: %d of %d tokens, at least %d; stage %d", test.name, got, limit, test.least, out.Stage)
		}
		if out.Stage > 0 {
			valid(t, c, out)
		}
	}
	for name, to := range map[string]Target{
		"the system prompt alone": {Limit: 1000, Fixed: 1000, Count: count},
		"the words alone":         {Limit: 20, Count: count},
	} {
		if _, err := TrimTo(c, to); !fault.Is(err, fault.TooLarge) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTrimEdges(t *testing.T) {
	of := func(messages ...string) Copy {
		c := Copy{Format: transcript.Anthropic}
		for _, m := range messages {
			c.Messages = append(c.Messages, []byte(m))
		}
		return c
	}
	picture := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`
	for _, c := range []struct {
		name string
		c    Copy
		code fault.Code // of stage 3
		left int        // messages
	}{
		{"nothing", Copy{Format: transcript.Anthropic}, fault.TooLarge, 0},
		{"images alone", of(`{"role":"user","content":[` + picture + `]}`), "", 1},
		{"a call in flight",
			of(`{"role":"user","content":"a"}`,
				`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"x","input":{}}]}`), "", 1},
		{"calls alone", of(`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"x","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"y"}]}`), fault.TooLarge, 0},
		{"reasoning before a call", of(`{"role":"user","content":"a"}`,
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"c","name":"x","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[`+picture+`]}]}`), "", 1},
		{"what the provider ran itself", of(`{"role":"user","content":"a"}`,
			`{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]},{"type":"text","text":"b"}]}`), "", 2},
		{"the same id twice",
			of(`{"role":"user","content":"a"}`,
				`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"x","input":{}},{"type":"text","text":"b"}]}`,
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"y"},{"type":"tool_result","tool_use_id":"c","content":"z"}]}`), "", 3},
		{"no message", of(`[]`), fault.Invalid, 0},
	} {
		out, err := Trim(c.c, Stages)
		if fault.CodeOf(err) != c.code || err == nil && len(out.Messages) != c.left {
			t.Errorf("%s: %d messages, %v", c.name, len(out.Messages), err)
		}
	}
	for _, stage := range []int{0, 4} {
		if _, err := Trim(conversation(10), stage); !fault.Is(err, fault.Invalid) {
			t.Errorf("stage %d: %v", stage, err)
		}
	}
}
