package compaction

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// shop is the recorded session of testdata/sessions as an input: what the engine makes of it, in
// short.
type shop struct {
	in       Input
	messages map[int64]transcript.Message
	calls    map[string]int // by call id: its operation
}

type shopLine struct {
	Type    string          `json:"type"`
	Cwd     string          `json:"cwd"`
	Message json.RawMessage `json:"message"`
}

type shopBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

func readShop(t testing.TB) Input {
	t.Helper()
	raw, err := os.ReadFile("../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{messages: make(map[int64]transcript.Message), calls: make(map[string]int)}
	s.in.Session = sessions.Session{ID: "5b0b5b0b", Host: "claude-code"}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	var seq int64
	for lines.Scan() {
		seq++
		var l shopLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if (l.Type == "user" || l.Type == "assistant") && l.Message != nil {
			s.in.Session.Dir = l.Cwd
			s.message(t, seq, l)
		}
	}
	s.in.Position = seq
	s.in.Message = func(seq int64) (transcript.Message, error) {
		m, ok := s.messages[seq]
		if !ok {
			return m, fault.New(fault.NotFound, "test", "no text %d", seq)
		}
		return m, nil
	}
	return s.in
}

func (s *shop) message(t testing.TB, seq int64, l shopLine) {
	t.Helper()
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(l.Message, &m); err != nil {
		t.Fatal(err)
	}
	var blocks []shopBlock
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		blocks = []shopBlock{{Type: "text", Text: text}}
	} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
		t.Fatal(err)
	}
	id := sha256.Sum256(l.Message)
	it := Item{Seqs: []int64{seq}, Role: transcript.Role(l.Type), ID: hex.EncodeToString(id[:16])}
	if n := len(s.in.Items); n > 0 {
		it.Turn = s.in.Items[n-1].Turn
	}
	var said []string
	var facts transcript.Message
	for _, b := range blocks {
		said = s.block(&it, b, said, &facts)
	}
	if it.Role == transcript.RoleUser && len(it.Results) == 0 {
		it.Prompt = true
		it.Turn++
	}
	f := transcript.Extract(facts)
	it.Names, it.Paths = f.Names, f.Paths
	s.messages[seq] = facts
	it.Chars = len(strings.Join(said, ""))
	it.Tokens += layout.Count(strings.Join(said, "\n"))
	s.in.Items = append(s.in.Items, it)
}

func (s *shop) block(it *Item, b shopBlock, said []string, facts *transcript.Message) []string {
	switch b.Type {
	case "text":
		facts.Parts = append(facts.Parts, transcript.Part{Kind: transcript.KindText, Text: b.Text})
		return append(said, b.Text)
	case "tool_use":
		facts.Parts = append(facts.Parts, transcript.Part{Kind: transcript.KindCall, ID: b.ID,
			Name: b.Name, Args: b.Input})
		m := intents.Classify(b.Name, b.Input)
		c := sessions.Call{ID: b.ID, Name: b.Name, Op: m.Op, Target: m.What(), Tokens: layout.Count(string(b.Input))}
		it.Tokens += c.Tokens
		it.Calls = append(it.Calls, c)
		if m.Tracked() {
			s.calls[b.ID] = len(s.in.Operations)
			s.in.Operations = append(s.in.Operations, Operation{Intent: intents.Intent{
				Seq: it.Seqs[0], Turn: it.Turn, Name: b.Name, Op: m.Op, CallID: b.ID, Status: intents.Pending,
				From:   m.From,
				Target: strings.TrimPrefix(m.Target, s.in.Session.Dir+"/"), Command: layout.Clip(m.Command, 1000),
			}})
		}
	case "tool_result":
		text := resultText(b.Content)
		facts.Parts = append(facts.Parts, transcript.Part{Kind: transcript.KindResult, ID: b.CallID,
			Text: text, IsError: b.IsError})
		r := sessions.Result{CallID: b.CallID, Failed: b.IsError, Chars: len([]rune(text)), Tokens: layout.Count(text)}
		it.Role = transcript.RoleTool
		it.Tokens += r.Tokens
		it.Results = append(it.Results, Result{r, handleOf(it.ID)})
		if i, ok := s.calls[b.CallID]; ok {
			finish(&s.in.Operations[i], text, b.IsError)
		}
	}
	return said
}

var shopExit = regexp.MustCompile(`^(?:Error: )?Exit code (\d+)`)

func finish(op *Operation, text string, failed bool) {
	op.Status = "Applied"
	op.Outcome = intents.Outcome(text, failed)
	if failed {
		op.Status = "Failed"
		op.Error = layout.Clip(text, 300)
	}
	if m := shopExit.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		op.ExitCode = &n
	}
}

func resultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []shopBlock
	_ = json.Unmarshal(raw, &parts)
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// The recorded session, compacted: what the document must have for the work to continue.
func TestShopDocumentTellsWhatTheWorkNeeds(t *testing.T) {
	in := readShop(t)
	p := mustPlan(t, in, Options{})
	golden(t, "testdata/shop.golden", p.Text)
	for _, want := range []string{
		"Three rules for everything we do from now on: always keep prices in cents (int64, never float)",
		"(turn 7, newest) Last thing: a command `shop report`",
		"  - go test ./... → exit 1 (turn 7, run ×2) — TestYen, ",
		"  - internal/stock/stock.go — moved here from stock/stock.go, edited ×2 (turn 3): changes Shortage",
		"  - report/report.go — created (turn 7), edited ×2 (to turn 7): adds Month, ByMonth",
		"  - docs/yen.md — created (turn 7)",
		"  committed (turn 6): shop: move stock and store below internal, remove legacy",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	open := layout.BlockWith(p.Text, openHead)
	for _, done := range []string{"TestGross", "TestColumns", "TestApply", "TestByMonth"} {
		if strings.Contains(open, done) {
			t.Errorf("%s was mended long ago and is told as open:\n%s", done, open)
		}
	}
}

// Issue 5 will judge the document by these; the figures here are its floor for this session.
func TestShopDocumentIsOrderly(t *testing.T) {
	in := readShop(t)
	word := regexp.MustCompile(`[A-Za-z_][\w.]*[A-Za-z_]\w*`)
	identifier := regexp.MustCompile(`.[A-Z0-9_.:-]`)
	for _, budget := range []int{2_000, 4_000, 8_000} {
		p := mustPlan(t, in, Options{Budget: budget})
		crowded, all := 0, 0
		for line := range strings.Lines(p.Text) {
			all += len(line)
			ids := 0
			for _, w := range word.FindAllString(line, -1) {
				if identifier.MatchString(w) {
					ids++
				}
			}
			if ids > 8 {
				crowded += len(line)
			}
		}
		if share := float64(crowded) / float64(all); share > 0.15 {
			t.Errorf("budget %d: %.0f%% of the document stands in crowded lines", budget, 100*share)
		}
		if budget == 2_000 { // what does not fit is counted by directory
			if !regexp.MustCompile(`(?m)^  … and \d+ more files in [a-z/]+ \(\d+\)`).MatchString(p.Text) {
				t.Errorf("the files that do not fit are not told:\n%s", layout.BlockWith(p.Text, layout.Files))
			}
			continue
		}
		for _, op := range in.Operations {
			if op.Seq > p.Record.To || op.shell() || op.Status != intents.Applied {
				continue
			}
			if !strings.Contains(p.Text, op.Target+" — ") && !strings.Contains(p.Text, "from "+op.Target+",") {
				t.Errorf("budget %d: %s is not told with what was done to it", budget, op.Target)
			}
		}
	}
}
