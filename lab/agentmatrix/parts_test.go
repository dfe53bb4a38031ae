package agentmatrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/programtest"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// The parts of a request whose names are those of the window.
const (
	partUser      = "user"
	partHost      = "added by the agent"
	partAssistant = "assistant"
	partCalls     = "tool calls"
	partResults   = "tool results"
	partSummary   = "summary"
)

// roundings is how far a part may be off besides maxError, in tokens: parts are rounded one by one.
const roundings = 5

// paragraph is a text of some hundred tokens; n makes it another one.
func paragraph(n int) string {
	return strings.Repeat(fmt.Sprintf("Step %d looks at the prices, which are kept in cents, and goes on with what depends "+
		"on them. ", n), 8)
}

// unmeasured are the requests of work that nothing was measured before: the first, and the first after the compaction.
var unmeasured = []int{0, 7}

// work has twelve steps of a conversation: texts, calls of four tools, and their results.
func work() model.Script {
	call := func(tool string, input map[string]any) model.Call { return model.Call{Tool: tool, Input: input} }
	read := call("Read", map[string]any{"file_path": "{{dir}}/prices.txt"})
	list := call("Bash", map[string]any{"command": "seq 1 400; # " + paragraph(0), "description": "Count"})
	write := call("Write", map[string]any{"file_path": "{{dir}}/notes.txt",
		"content": strings.Repeat("A note of what was found.\n", 60)})
	return model.Script{
		model.Do(paragraph(1), read), model.Do(paragraph(2), list), model.Do(paragraph(3), write),
		model.Say(paragraph(4)),
		model.Do(paragraph(5), list, read), model.Do("", call("Bash", map[string]any{"command": "wc *.txt"})),
		model.Say(paragraph(7)),
		model.Do(paragraph(8), list), model.Do(paragraph(9), read), model.Do(paragraph(10), write),
		model.Do(paragraph(11), list), model.Say(paragraph(12)),
	}
}

// TestThePartsOfTheWindowAreThoseOfRealRequests lets Claude Code make twelve requests, five of them after it compacted, and
// compares what the status says that each is made of with a count of the request itself. The session file is cut to
// what it held when the request was sent. For two of them the provider has measured nothing yet of what the host adds:
// of these only the conversation is compared.
func TestThePartsOfTheWindowAreThoseOfRealRequests(t *testing.T) {
	s := programtest.NewBox(t, bin)
	place(t, s, filesOf(t, "instructions"))
	put(t, filepath.Join(s.Workspace, "prices.txt"), strings.Repeat("bolt 12, nut 7, screw 1, washer 3 cents\n", 120))
	server := model.New(work(), model.Vars{"dir": s.Workspace})
	server.Count = func(body []byte) int { return sum(partsOf(t, body)) }
	url := server.Start(t)
	session := ""
	for i, prompt := range []string{"Begin. " + paragraph(20), "Go on. " + paragraph(21), "/compact",
		"Finish. " + paragraph(22)} {
		r := model.Run(t.Context(), t, model.Options{Dir: s.Workspace, ConfigDir: filepath.Join(s.Home, ".claude"), URL: url,
			Prompt: prompt, Resume: session})
		if session = r.SessionID; session == "" {
			t.Fatalf("prompt %d has no session", i)
		}
	}
	files, err := filepath.Glob(filepath.Join(s.Home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("session files %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	requests := mainRequests(server)
	ends := answers(t, raw)
	if len(requests) != len(work()) || len(ends) != len(requests) {
		t.Fatalf("%d requests, and %d answers in the session file", len(requests), len(ends))
	}
	for i, body := range requests {
		want := partsOf(t, body)
		if slices.Contains(unmeasured, i) {
			delete(want, ledger.CategoryFixed)
		}
		compareParts(t, i+1, want, statusBefore(t, raw[:ends[i]]))
	}
}

// put writes a file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mainRequests returns the requests of the main conversation.
func mainRequests(server *model.Server) (bodies [][]byte) {
	for _, x := range server.Log() {
		if x.Step >= 0 {
			bodies = append(bodies, x.Body)
		}
	}
	return bodies
}

// answers returns where the first record of each answer begins in a session file.
func answers(t *testing.T, raw []byte) (at []int) {
	t.Helper()
	seen, from := map[string]bool{}, 0
	for line := range bytes.Lines(raw) {
		var record struct {
			Type    string
			Message struct{ ID, Model string }
		}
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		if id := record.Message.ID; record.Type == "assistant" && record.Message.Model == "scripted" && !seen[id] {
			seen[id] = true
			at = append(at, from)
		}
		from += len(line)
	}
	return at
}

// statusBefore returns what a ledger says of the window of a session that is only so far.
func statusBefore(t *testing.T, session []byte) ledger.Status {
	t.Helper()
	s := programtest.NewBox(t, bin)
	file := filepath.Join(s.Home, "session.jsonl")
	put(t, file, string(session))
	run := func(args ...string) []byte {
		out, err := s.Run(t.Context(), append(args, "--in-process")...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run("import", file)
	return decoded(t, run("status", "--json"))
}

// decoded returns the status of a session.
func decoded(t *testing.T, raw []byte) ledger.Status {
	t.Helper()
	var answer struct{ Session ledger.Status }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Session
}

// maxError is how far a part may be from a count of the request, as a part of that.
const maxError = 0.05

// beside are the parts that are not of the conversation.
var beside = []string{ledger.CategoryFixed, ledger.CategoryAttached, ledger.CategoryRest}

// compareParts compares a request with what the status says of it.
func compareParts(t *testing.T, n int, want map[string]int, st ledger.Status) {
	t.Helper()
	got := map[string]int{}
	for _, c := range st.Own {
		got[c.Name] = c.Tokens.N
	}
	var said []string
	names := slices.Sorted(maps.Keys(want))
	for name := range got {
		if _, known := want[name]; !known && !slices.Contains(beside, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		off := got[name] - want[name]
		said = append(said, fmt.Sprintf("%s %d of %d", name, got[name], want[name]))
		if math.Abs(float64(off)) > maxError*float64(want[name])+roundings {
			t.Errorf("request %d: %s: %d tokens, the request has %d", n, name, got[name], want[name])
		}
	}
	rest := got[ledger.CategoryRest]
	if float64(rest) > maxError*float64(st.Held.N) {
		t.Errorf("request %d: %d of %d tokens are not attributable", n, rest, st.Held.N)
	}
	t.Logf("request %d: %d tokens, %d not attributable: %s", n, st.Held.N, rest, strings.Join(said, ", "))
}

// sum adds parts up.
func sum(parts map[string]int) (n int) {
	for _, x := range parts {
		n += x
	}
	return n
}

// partsOf counts a request of the Messages API by what it is made of, each text alone.
func partsOf(t *testing.T, body []byte) map[string]int {
	t.Helper()
	var r struct {
		System, Tools json.RawMessage
		Messages      []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{}
	add := func(name, text string) { parts[name] += tokens.O200kBase.Count([]byte(text)) }
	add(ledger.CategoryFixed, strings.Join(textsOf(t, r.System), "\n"))
	add(ledger.CategoryFixed, string(r.Tools))
	for _, m := range r.Messages {
		for _, b := range blocksOf(t, m.Content) {
			switch {
			case b.Type == "tool_use":
				add(partCalls, b.Name+string(b.Input))
			case b.Type == "tool_result":
				add(partResults, strings.Join(textsOf(t, b.Content), "\n"))
			case m.Role == "assistant":
				add(partAssistant, b.Text)
			case attached.MatchString(b.Text):
				add(partHost, b.Text)
			case m.Role == "system", strings.HasPrefix(b.Text, "<system-reminder>"):
				add(ledger.CategoryFixed, b.Text)
			case strings.HasPrefix(b.Text, "This session is being continued"):
				add(partSummary, b.Text)
			default:
				add(partUser, b.Text)
			}
		}
	}
	return parts
}

// attached matches what Claude Code adds when it has compacted: files that it reads again, and that it ran a command.
var attached = regexp.MustCompile(`^<system-reminder>\s*(Called the Read tool|Result of calling the Read tool)|` +
	`^<local-command-caveat>`)

// block is a part of a message's content.
type block struct {
	Type, Text, Name string
	Input, Content   json.RawMessage
}

// blocksOf returns the blocks of content, which is a text or a list.
func blocksOf(t *testing.T, raw json.RawMessage) (blocks []block) {
	t.Helper()
	var text string
	if len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	if err := json.Unmarshal(raw, &blocks); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return blocks
}

// textsOf returns the texts of content.
func textsOf(t *testing.T, raw json.RawMessage) (texts []string) {
	t.Helper()
	for _, b := range blocksOf(t, raw) {
		texts = append(texts, b.Text)
	}
	return texts
}
