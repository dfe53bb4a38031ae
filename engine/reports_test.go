package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// reported is a notice as Claude Code writes it.
func reported(call, task, status, summary, result string) string {
	if result != "" {
		result = "\n<result>" + result + "</result>"
	}
	return "<task-notification>\n<task-id>" + task + "</task-id>\n<tool-use-id>" + call + "</tool-use-id>\n<status>" +
		status + "</status>\n<summary>" + summary + "</summary>" + result + "\n</task-notification>"
}

// launching returns a message with calls, and one with their results.
func launching(calls [][3]string, results ...string) (made, answered []byte) {
	var uses, blocks []string
	for i, c := range calls {
		uses = append(uses, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, c[0], c[1], c[2]))
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":%q}`, c[0], results[i]))
	}
	return []byte(`{"role":"assistant","content":[` + strings.Join(uses, ",") + `]}`),
		[]byte(`{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`)
}

// What Claude Code tells of calls in the background, in up to three records each, is their end: of the intent, in the document
// and in the view. A call of which it tells nothing goes on.
func TestCallsInTheBackgroundEndWhenTheirHostSaysSo(t *testing.T) {
	l := open(t)
	const async = "Async agent launched successfully.\nagentId: %s (internal ID)\nThe agent is working in the background."
	const shell = "Command running in background with ID: %s. Output is being written to: /tmp/%[1]s.output."
	made, launched := launching([][3]string{
		{"toolu_a", "Agent", `{"description":"Find the leak"}`},
		{"toolu_k", "Agent", `{"description":"Count callers"}`},
		{"toolu_w", "Agent", `{"description":"Watch the pool"}`}, {"toolu_b", "Bash", `{"command":"make test"}`},
		{"toolu_o", "Bash", `{"command":"make lint"}`}, {"toolu_s", "Bash", `{"command":"npm run dev"}`},
		{"toolu_n", "Bash", `{"command":"sleep 900"}`}},
		fmt.Sprintf(async, "a1"), fmt.Sprintf(async, "k1"), fmt.Sprintf(async, "w1"), fmt.Sprintf(shell, "b1"),
		fmt.Sprintf(shell, "o1"), fmt.Sprintf(shell, "s1"), fmt.Sprintf(shell, "n1"))
	stop, stopped := launching([][3]string{{"toolu_t", "TaskStop", `{"task_id":"s1"}`}},
		`{"message":"Successfully stopped task: s1 (npm run dev)","task_id":"s1","task_type":"local_bash"}`)
	look, looked := launching([][3]string{{"toolu_l", "Read", `{"file_path":"/tmp/b1.output"}`}},
		"1\tgo test ./...\n2\t--- FAIL: TestPool (0.00s)\n3\tFAIL")
	found := reported("toolu_a", "a1", "completed", `Agent "Find the leak" finished`,
		"The leak is in pool.go &lt;init&gt;.")
	killed := reported("toolu_k", "k1", "killed", `Agent "Count callers" was stopped by user`, "")
	failed := reported("toolu_b", "b1", "failed",
		`Background command "make TOKEN=`+secret+`" failed with exit code 2`, "")
	given := func(text string) sessions.NewEntry { // an attachment
		e := message(transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, text))
		e.Loaded = true
		return e
	}
	entries := []sessions.NewEntry{
		message(raw(`{"role":"user","content":"Repair the pool"}`)), message(made), message(launched),
		queued(sessions.QueueAdded, found), queued(sessions.QueueLeft, ""), given(found),
		queued(sessions.QueueAdded, killed), queued(sessions.QueueLeft, ""), given(killed),
		queued(sessions.QueueAdded, failed), queued(sessions.QueueLeft, ""), given(failed),
		message(raw(`{"role":"assistant","content":[{"type":"text","text":"I wait for the rest."}]}`)),
		queued(sessions.QueueAdded, found), queued(sessions.QueueLeft, ""), message(stop), message(stopped),
		message(look), message(looked),
		message(transcript.NewMessage(transcript.Anthropic, transcript.RoleUser,
			reported("", "o1", "completed", `Background command "make lint" completed (exit code 0)`, "")))}
	for _, m := range talkOf(4, 4_000) {
		entries = append(entries, message(m))
	}
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "h"}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.Intents(t.Context(), ledger.IntentsRequest{Session: r.Session})
	if err != nil {
		t.Fatal(err)
	}
	ended := map[string]string{}
	for _, in := range list.Intents {
		ended[in.CallID] = string(in.Status)
		if strings.Contains(in.Outcome+in.Error, secret) {
			t.Errorf("a secret is in %q", in.Outcome)
		}
		if in.ExitCode != nil {
			ended[in.CallID] += fmt.Sprint(" ", *in.ExitCode)
		}
	}
	want := map[string]string{"toolu_b": "Failed 2", "toolu_o": "Applied 0", "toolu_n": string(intents.Pending),
		"toolu_s": "Failed"}
	if !maps.Equal(ended, want) {
		t.Errorf("intents: %v, want %v", ended, want)
	}
	shown := render(t, l, r.Session)
	if err := transcript.Valid(transcript.Anthropic, shown); err != nil {
		t.Error(err)
	}
	var results string
	for _, m := range shown[2:6] { // results, and a message for each report
		results += string(m)
	}
	if strings.Count(results, "pool.go") != 1 ||
		strings.Index(results, "pool.go") < strings.Index(results, "n1.output") ||
		!strings.Contains(results, "failed with exit code 2") {
		t.Errorf("the view has the reports elsewhere than behind the results: %s", results)
	}
	p := compact(t, l, r.Session, compaction.Options{Mode: compaction.Intent, Budget: 4_000, Keep: 1})
	for text, want := range map[string]int{`Report of "Find the leak" to the agent, turn 1:`: 1,
		"  The leak is in pool.go <init>.": 1, `Agent "Count callers" was stopped by user`: 1,
		"Async agent launched": 0, "working in the background": 0,
		compaction.StillRunning + "Agent Watch the pool (turn 1)": 1, compaction.StillRunning + "sleep 900 (turn 1)": 1,
		compaction.StillRunning: 2, "make test → exit 2 (turn 1) — TestPool": 1, "make lint → exit 0": 1} {
		if n := strings.Count(p.Summary.Text, text); n != want {
			t.Errorf("%q occurs %d times, not %d, in:\n%s", text, n, want, p.Summary.Text)
		}
	}
}

// A report of the host begins no turn of the user, and all of its part is the host's, also what stands behind it.
func TestReportsOfTheBackgroundBeginNoTurn(t *testing.T) {
	l := open(t)
	var entries []sessions.NewEntry
	report := func(i int) string {
		return reported("", fmt.Sprint("b", i), "completed", "Background command completed (exit code 0)", "") +
			"\nRead the output file to retrieve it."
	}
	say := func(role transcript.Role, text string) {
		entries = append(entries, message(transcript.NewMessage(transcript.Anthropic, role, text)))
	}
	entries = append(entries, message(raw(`{"role":"user","content":[{"type":"text","text":%q},`+
		`{"type":"text","text":"Please build the first part"}]}`, report(7))))
	say(transcript.RoleAssistant, "It is built.")
	for i := range 7 {
		say(transcript.RoleUser, fmt.Sprintf("Please build part %d", i))
		say(transcript.RoleAssistant, strings.Repeat("It is built. ", 400))
		if i >= 2 {
			say(transcript.RoleUser, report(i))
			say(transcript.RoleAssistant, "I saw it.")
		}
	}
	r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "i", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: "h"}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := l.Session(t.Context(), ledger.SessionRequest{Name: r.Session}); err != nil || s.Turns != 8 {
		t.Errorf("%d turns, want 8, %v", s.Turns, err)
	}
	p := compact(t, l, r.Session, compaction.Options{Mode: compaction.Intent, Budget: 4_000, Keep: 2})
	shown := string(slices.Concat(render(t, l, r.Session)[1:]...))
	if !strings.Contains(shown, "Please build part 5") || strings.Contains(shown, "Please build part 4") {
		t.Errorf("the last two turns are not kept: %s", shown)
	}
	text := p.Summary.Text
	if strings.Contains(text, "Read the output file") || !strings.Contains(text, "the first part") {
		t.Errorf("the document: %s", text)
	}
}

// backgroundFile is a session of the real Claude Code 2.1.328 with a scripted model: the lines of the conversation and of the
// queue, byte for byte but for the directories, up to before the last command has ended.
const backgroundFile = "testdata/background.jsonl"

// In a session as Claude Code writes it each report is told once, in all that is made of the session.
func TestARecordedSessionWithReportsOfTheBackground(t *testing.T) {
	l := open(t)
	r, err := agents.Import(t.Context(), l, agents.Source{Path: backgroundFile}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := r.Session
	list, err := l.Intents(t.Context(), ledger.IntentsRequest{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	var ended []string
	for _, in := range list.Intents {
		ended = append(ended, in.Args["description"]+": "+string(in.Status)+" "+in.Outcome)
	}
	if want := []string{`Run the suite: Failed Background command "Run the suite" failed with exit code 2`,
		`Say fine: Applied Background command "Say fine" completed (exit code 0)`, "Wait: Applied waited",
		"Never ends: Pending "}; !slices.Equal(ended, want) {
		t.Errorf("intents: %q", ended)
	}
	shown := render(t, l, id)
	if err := transcript.Valid(transcript.Anthropic, shown); err != nil {
		t.Error(err)
	}
	view := string(slices.Concat(shown...))
	for task, want := range map[string]int{"Find the leak\\\" finished": 1, "Count the callers\\\" finished": 1,
		"[SYSTEM NOTIFICATION - NOT USER INPUT]": 3, "Run the suite\\\" failed": 1} {
		if n := strings.Count(view, task); n != want {
			t.Errorf("the view has %q %d times, not %d", task, n, want)
		}
	}
	p := compact(t, l, id, compaction.Options{Mode: compaction.Intent, Budget: 4_000, Keep: 1})
	for text, want := range map[string]int{`Report of "Find the leak" to the agent, turn 1:`: 1,
		"  The leak is in pool.go: `if a < b && c > d`.": 1, "Async agent launched": 0,
		compaction.StillRunning: 0} { // the turn with the call that never ends is kept: reports begin none
		if n := strings.Count(p.Summary.Text, text); n != want {
			t.Errorf("%q occurs %d times, not %d, in:\n%s", text, n, want, p.Summary.Text)
		}
	}
}
