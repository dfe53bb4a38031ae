package compaction

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/transcript"
)

// briefOf plans a compaction and returns what a model would be given.
func briefOf(t *testing.T, in Input, o Options) *Brief {
	t.Helper()
	p, err := Plan(in, o)
	if err != nil || p.Brief == nil {
		t.Fatalf("%v: %s: %s", err, p.Outcome, p.Why)
	}
	return p.Brief
}

func TestABriefTellsTheRange(t *testing.T) {
	k := scene(t)
	b := briefOf(t, k.in, Options{Mode: LLM, Keep: 1, Focus: "door", Notes: "mind the gap"})
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/brief.golden", string(raw)+"\n")
	w := &writer{answer: func(int, Prompt) (Reply, error) { return Reply{Text: sectioned}, nil }}
	if _, err := Ask(t.Context(), b, w); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/prompt.golden", w.prompts[0].System+"\n\n"+w.prompts[0].Text+"\n")
}

// Secrets are masked before a model reads anything, also those that a cut goes through, wherever they
// occur.
func TestABriefHoldsNoSecret(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	k := newTalk(t)
	k.user("Use the token " + secret)
	k.say(strings.Repeat("x", messageChars*2/3-20) + " " + secret + " " + strings.Repeat("y", 9_000))
	k.read("secrets.txt", 3_000)
	k.messages[k.in.Position].Parts[0].Text = strings.Repeat("z ", resultChars/2-8) + secret
	k.edit("a/"+secret+".go", "cannot write "+secret)
	k.run("curl -H 'Authorization: token "+secret+"' "+strings.Repeat("a", 180)+" "+secret, 1,
		strings.Repeat("b ", outputChars/2-4)+secret)
	k.user("next")
	k.in.Mask = redact.New([]byte("k")).String
	b := briefOf(t, k.in, Options{Mode: LLM, Keep: 1, Focus: secret, Notes: secret})
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if i := strings.Index(string(raw), "ghp_"); i >= 0 {
		t.Errorf("a part of the secret is left: %.120s", raw[max(0, i-60):])
	}
	if n := strings.Count(string(raw), "[masked:github-token:"); n < 6 {
		t.Errorf("%d masks in %s", n, raw)
	}
	k.accept(answered(t, k.in, Options{Mode: LLM, Keep: 1}, says("## Completed\n- used the token")))
	if strings.Contains(k.in.PreviousText, "ghp_") || !strings.Contains(k.in.PreviousText, "[masked:github-token:") {
		t.Errorf("the summary is not made of masked words: %s", k.in.PreviousText)
	}
	k.play("read a.go 3000\nuser again\nsay yes\n")
	if b := briefOf(t, k.in, Options{Mode: LLM, Keep: 1}); strings.Contains(b.Previous, secret) || b.Previous == "" {
		t.Errorf("the earlier summary is not masked: %s", b.Previous)
	}
}

func TestABriefIsBounded(t *testing.T) {
	k := newTalk(t)
	for i := range 12_000 {
		k.user(fmt.Sprintf("request %d ", i) + strings.Repeat("<wide>&\u2028", 60))
	}
	b := briefOf(t, k.in, Options{Mode: LLM, Keep: 1})
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > briefBytes || len(raw) < briefBytes/4 {
		t.Errorf("a brief of %d bytes, the limit is %d", len(raw), briefBytes)
	}
	told := 0
	for _, p := range b.Parts {
		told += len(p.Messages)
	}
	if told+b.Omitted != 11_999 || b.Omitted == 0 {
		t.Errorf("%d messages told, %d omitted", told, b.Omitted)
	}
	w := &writer{window: 2_000_000, answer: func(int, Prompt) (Reply, error) { return Reply{Text: sectioned}, nil }}
	if _, err := Ask(t.Context(), b, w); err != nil ||
		!strings.Contains(w.prompts[0].Text, fmt.Sprintf("%s earlier messages", chars.Commas(b.Omitted))) {
		t.Errorf("%v: the prompt does not say that messages are missing", err)
	}
}

func TestCutsSayWhatIsMissing(t *testing.T) {
	long := strings.Repeat("é\u0301", 3_000) + "END"
	if got := ends(long, 900, 6_003); !strings.HasPrefix(got, "é\u0301é") || !strings.HasSuffix(got, "END") ||
		!strings.Contains(got, " [TRUNCATED — 6,003 chars total] ") {
		t.Error(got)
	}
	if got := firstChars(long, 2_000); !strings.HasSuffix(got, "\n[... 4,003 more characters truncated]") {
		t.Error(got[len(got)-60:])
	}
	if ends("short", 900, 5) != "short" || firstChars("short", 900) != "short" {
		t.Error("a short text was cut")
	}
}

func TestReasoningIsLeftOutUnlessAskedFor(t *testing.T) {
	k := scene(t)
	for _, m := range k.messages {
		if m.Role == transcript.RoleAssistant {
			m.Parts = append(m.Parts, transcript.Part{Kind: transcript.KindReasoning,
				Text: strings.Repeat("I wonder. ", 300)})
		}
	}
	p := mustPlan(t, k.in, Options{Keep: 1})
	if strings.Contains(p.Text, reasoningHead) || strings.Contains(p.Text, "I wonder") {
		t.Error("reasoning was printed unasked")
	}
	p = mustPlan(t, k.in, Options{Keep: 1, Reasoning: true, Budget: 6_000})
	if !strings.Contains(p.Text, reasoningHead+"\nTurn 1 (main): I wonder. ") ||
		!strings.Contains(p.Text, " [TRUNCATED — 2,999 chars total]") {
		t.Error(p.Text)
	}
}

// What a user or the change log names letter by letter is carried when a model leaves it out.
func TestWhatAModelLeavesOutIsCarried(t *testing.T) {
	k := newTalk(t)
	k.user("First of all " + strings.Repeat("read on and on. ", 300) + "https://example.org/spec?a=1 then 250 " +
		"ms, TS2304 and src/deep/inner.go. " + strings.Repeat("More of it. ", 900))
	k.in.Items[0].Paths = []string{"src/deep/inner.go"}
	k.play("run make test => 2 connect ECONNREFUSED after 30 s\nuser next\nsay yes\n")
	o := Options{Mode: LLM, Keep: 1, Budget: 1_500}
	p := answered(t, k.in, o, says("## Completed\n- TS2304 is settled"))
	carried := layout.BlockWith(p.Text, layout.Carried)
	for _, want := range []string{"https://example.org/spec?a=1", "250 ms"} {
		if !strings.Contains(carried, want) {
			t.Errorf("%s is not carried:\n%s", want, p.Text)
		}
	}
	if !strings.Contains(p.Text, "src/deep/inner.go") {
		t.Errorf("the path is lost:\n%s", p.Text)
	}
	if strings.Contains(carried, "TS2304") || strings.Contains(carried, "ECONNREFUSED") {
		t.Errorf("what stands in the document is carried too:\n%s", carried)
	}
	if p := mustPlan(t, k.in, Options{Keep: 1, Budget: 1_500}); strings.Contains(p.Text, layout.Carried) {
		t.Errorf("without a model nothing of it is needed:\n%s", p.Text)
	}
}
