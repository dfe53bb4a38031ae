package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const hostID = "0b0e1f2a-1111-4222-8333-444455556666"

// agent plays the events of Claude Code against an engine.
type agent struct {
	*testing.T
	ledger   *engine.Local
	root     string
	contexts hook.Contexts
	killed   bool // hooks are killed before they have printed their answer
}

func newAgent(t *testing.T) *agent {
	t.Helper()
	root := t.TempDir()
	l, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: root, Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &agent{T: t, ledger: l, root: root}
}

// said appends messages to the session file.
func (a *agent) said(texts ...string) {
	a.Helper()
	r := ledger.AppendEntriesRequest{Import: "claude-code:x", Next: 1, Done: true,
		Session: sessions.Session{Host: "claude-code", HostID: hostID, Dir: a.root}}
	for i, text := range texts {
		role := []string{"user", "assistant"}[i%2]
		raw, err := json.Marshal(map[string]any{"role": role, "content": text})
		if err != nil {
			a.Fatal(err)
		}
		r.Entries = append(r.Entries, sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic,
			HostID: fmt.Sprint(i), Original: raw, Time: time.Date(2026, 11, 20, 11, 5, i, 0, time.UTC)})
	}
	if _, err := a.ledger.AppendEntries(a.Context(), r); err != nil {
		a.Fatal(err)
	}
}

// event runs a hook and returns what the model reads of its output.
func (a *agent) event(name string, more map[string]any) string {
	a.Helper()
	in := map[string]any{"session_id": hostID, "cwd": a.root, "hook_event_name": name}
	for k, v := range more {
		in[k] = v
	}
	raw, err := json.Marshal(in)
	if err != nil {
		a.Fatal(err)
	}
	answer, err := hook.Run(a.Context(), hook.Options{Env: env.System(), Root: a.root, Contexts: &a.contexts,
		Open: func(context.Context) (ledger.API, error) { return a.ledger, nil }}, name, raw)
	if err == nil {
		err = answer.After(a.Context(), !a.killed)
	}
	if err != nil {
		a.Fatal(err)
	}
	out := answer.Out
	var back struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(out, &back) == nil {
		return back.Specific.Context
	}
	return string(out)
}

// prompt tells that the user has written, the n-th time.
func (a *agent) prompt(n int) string {
	return a.event("UserPromptSubmit", map[string]any{"prompt": fmt.Sprint("Go on, ", n)})
}

// edit announces a call, the n-th of the session.
func (a *agent) edit(n int) string {
	return a.event("PreToolUse", map[string]any{"tool_name": "Write", "tool_use_id": fmt.Sprintf("toolu_%d", n),
		"tool_input": map[string]any{"file_path": "a.txt", "content": "x"}})
}

// calls announces calls until one prints something, which is wanted or not: the first ones may come before the document is
// ready, on a busy machine many.
func (a *agent) calls(wanted bool) (told string) {
	most := 3
	if wanted {
		most = 1_000
	}
	for n := 10; told == "" && n < 10+most; n++ {
		told = a.edit(n)
	}
	return told
}

// conversation sets two rules.
var conversation = []string{
	"Build the invoice export for accounting, with a column for the country of each customer.", "I will.",
	"Never push to the main branch without asking me.", "Understood.",
	"Always keep the amounts in cents, never in floating point.", "Yes.",
	"Now translate the header of the export into German.", "Done: the header is German."}

// TestOnlyWhatTheSummaryLostIsTold compacts with a summary that loses a rule: the next call is told that rule, once, and
// nothing that the summary says.
func TestOnlyWhatTheSummaryLostIsTold(t *testing.T) {
	const whole = "1. Primary request: build the invoice export for accounting with a column for the country of each " +
		"customer.\n" +
		"2. All user messages:\n- Always keep the amounts in cents, never in floating point\n" +
		"- Now translate the header of the export into German\n"
	const rule = "- Never push to the main branch without asking me.\n"
	for _, c := range []struct{ name, summary, want, not string }{
		{"a rule is lost", "<analysis>Never push to the main branch.</analysis><summary>" + whole + "</summary>",
			"Never push to the main branch without asking me.", "cents"},
		{"nothing is lost", "<summary>" + whole + rule + "</summary>", "", ""},
		{"the summary is not handed on", "", "keep the amounts in cents", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(t)
			a.event("SessionStart", map[string]any{"source": "startup"})
			a.said(conversation...)
			if keep := a.event("PreCompact", map[string]any{"trigger": "auto"}); !strings.Contains(keep, "Never push") {
				t.Errorf("the summary is not asked to keep the rule: %q", keep)
			}
			if again := a.event("PreCompact", map[string]any{"trigger": "auto"}); again != "" {
				t.Errorf("a second try says %q", again)
			}
			begun := a.event("SessionStart", map[string]any{"source": "compact"})
			if strings.Contains(begun, "cents") || !strings.Contains(begun, "## Runtime Environment") {
				t.Errorf("before the summary is known: %q", begun)
			}
			a.event("PostCompact", map[string]any{"trigger": "auto", "compact_summary": c.summary})
			told := a.calls(c.want != "")
			if !strings.Contains(told, c.want) || c.want == "" && told != "" ||
				c.not != "" && strings.Contains(told, c.not) {
				t.Errorf("the next call is told %q", told)
			}
			if again := a.edit(2); again != "" {
				t.Errorf("the call after it is told %q", again)
			}
		})
	}
}

// TestTheFirstAnswerAfterACompactionHasWhatTheSummaryLost: whatever is owed is told with the user's next words, once, and
// a prompt is told nothing else. Where nothing is owed, no record of the session changes.
func TestTheFirstAnswerAfterACompactionHasWhatTheSummaryLost(t *testing.T) {
	for _, c := range []struct{ name, summary, want string }{
		{"a rule is lost", "The user wants an invoice export, with amounts in cents.", "Never push to the main branch"},
		{"nothing is lost", strings.Join(conversation, "\n"), ""},
		{"the summary is not handed on", "", "keep the amounts in cents"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(t)
			a.event("SessionStart", map[string]any{"source": "startup"})
			a.said(conversation...)
			if told := a.prompt(2); told != "" {
				t.Errorf("without a compaction it is told %q", told)
			}
			a.event("PreCompact", map[string]any{"trigger": "auto"})
			a.event("SessionStart", map[string]any{"source": "compact"})
			a.event("PostCompact", map[string]any{"trigger": "auto", "compact_summary": c.summary})
			if told := a.event("UserPromptSubmit", map[string]any{"agent_id": "a1"}); told != "" {
				t.Errorf("a subagent is told %q", told)
			}
			told := a.prompt(3)
			if !strings.Contains(told, c.want) || c.want == "" && told != "" || strings.Contains(told, "## Runtime") {
				t.Errorf("the next prompt is told %q", told)
			}
			a.event("SessionEnd", nil)
			for n, again := range []string{a.prompt(4), a.edit(1), a.prompt(5)} {
				if again != "" {
					t.Errorf("%d is told again: %q", n, again)
				}
			}
			s, err := a.ledger.Session(t.Context(), ledger.SessionRequest{Host: "claude-code", HostID: hostID})
			if err != nil || s.Hooked.Ended.IsZero() {
				t.Errorf("a prompt that is told nothing changes the session: %+v, %v", s.Hooked, err)
			}
		})
	}
}

// TestAStartThatWasNotAnsweredIsToldWithTheFirstWords: the first hook of a day finds no daemon, and starts one. What it
// could not say is said once, whether or not the session's file was followed meanwhile.
func TestAStartThatWasNotAnsweredIsToldWithTheFirstWords(t *testing.T) {
	for _, followed := range []bool{false, true} {
		a := newAgent(t)
		if followed {
			a.said("Write the importer.")
		}
		if told := a.event("UserPromptSubmit", map[string]any{"agent_id": "a1"}); told != "" {
			t.Errorf("a subagent is told %q", told)
		}
		if told := a.prompt(1); !strings.Contains(told, "## Runtime") {
			t.Errorf("followed %t: the first words are told %q", followed, told)
		}
		for n, again := range []string{a.prompt(2), a.event("SessionStart", map[string]any{"source": "startup"})} {
			if again != "" {
				t.Errorf("followed %t: %d is told again: %q", followed, n, again)
			}
		}
	}
}

// TestAPromptOpensNoLedgerInVain: where nothing can be told with it, or the event is none, the ledger stays closed.
func TestAPromptOpensNoLedgerInVain(t *testing.T) {
	nothing := config.AllHooks()
	nothing.Record, nothing.Memory, nothing.Environment = false, false, false
	for input, do := range map[string]*config.Hooks{
		`{"session_id": "s", "prompt": "Go on."}`:                  &nothing,
		`{"session_id": "s", "agent_id": "a", "prompt": "Go on."}`: nil,
		`{"prompt": "Go on."}`:                                     nil,
		`{"session_id": "s", "hook_event_name": "Stop"}`:           nil,
	} {
		a, err := hook.Run(t.Context(), hook.Options{Env: env.System(), Root: t.TempDir(), Do: do,
			Open: func(context.Context) (ledger.API, error) {
				t.Errorf("%s: the ledger was opened", input)
				return nil, context.Canceled
			}}, "UserPromptSubmit", []byte(input))
		if err != nil || a.Out != nil || a.After(t.Context(), true) != nil {
			t.Errorf("%s: %q, %v", input, a.Out, err)
		}
	}
}

// TestAResumedSessionIsToldWhatItsSummaryLost ends the agent between the compaction and the next call.
func TestAResumedSessionIsToldWhatItsSummaryLost(t *testing.T) {
	a := newAgent(t)
	a.said(conversation...)
	a.event("SessionStart", map[string]any{"source": "compact"})
	a.event("PostCompact", map[string]any{"compact_summary": "The user wants an invoice export."})
	s, err := a.ledger.Session(t.Context(), ledger.SessionRequest{HostID: hostID})
	if err != nil || s.Hooked.Summary == nil || s.Hooked.Summary.Kept >= s.Hooked.Summary.Items ||
		s.Hooked.Summary.Told < 2 {
		t.Fatalf("%+v, %v", s.Hooked, err)
	}
	if told := a.event("SessionStart", map[string]any{"source": "resume"}); strings.Count(told, "Never push") != 1 {
		t.Errorf("%q", told)
	}
	if again := a.edit(1); again != "" {
		t.Errorf("told again: %q", again)
	}
}

// TestWhatPreCompactPrintedIsNotToldAgain: after /compact its output is in the context.
func TestWhatPreCompactPrintedIsNotToldAgain(t *testing.T) {
	for trigger, want := range map[string]int{"auto": 1, "manual": 0} {
		a := newAgent(t)
		a.said(conversation...)
		a.event("PreCompact", map[string]any{"trigger": trigger})
		a.event("SessionStart", map[string]any{"source": "compact"})
		a.event("PostCompact", map[string]any{"trigger": trigger,
			"compact_summary": "The user wants an invoice export."})
		if told := a.calls(want > 0); strings.Count(told, "Never push") != want {
			t.Errorf("%s: told %q", trigger, told)
		}
	}
}

// TestWhatIsForgottenMeanwhileIsNotTold: the document that a summary is compared with was made while the host wrote that.
func TestWhatIsForgottenMeanwhileIsNotTold(t *testing.T) {
	a := newAgent(t)
	a.event("SessionStart", map[string]any{"source": "startup"})
	a.said(conversation...)
	a.event("PreCompact", map[string]any{"trigger": "auto"})
	if _, err := a.ledger.Forget(t.Context(), ledger.ForgetRequest{Text: "main branch"}); err != nil {
		t.Fatal(err)
	}
	a.event("SessionStart", map[string]any{"source": "compact"})
	a.event("PostCompact", map[string]any{"trigger": "auto", "compact_summary": "An invoice export."})
	if told := a.prompt(3); told == "" || strings.Contains(told, "main branch") {
		t.Errorf("it is told %q", told)
	}
}

// TestAClearedContextOwesNothing clears the context between the compaction and the next call.
func TestAClearedContextOwesNothing(t *testing.T) {
	a := newAgent(t)
	a.said(conversation...)
	a.event("SessionStart", map[string]any{"source": "compact"})
	a.event("PostCompact", map[string]any{"compact_summary": "The user wants an invoice export."})
	a.event("SessionStart", map[string]any{"source": "clear"})
	if told := a.edit(1); told != "" {
		t.Errorf("told %q", told)
	}
}

// TestWhatWasNotWrittenIsOwedAgain kills hooks before they have printed their answer, one of each event that tells
// something: the next one that is not killed tells it, once.
func TestWhatWasNotWrittenIsOwedAgain(t *testing.T) {
	const start = "## Runtime Environment"
	for _, c := range []struct {
		name, want string
		killed     func(a *agent) string
		before     func(a *agent)
	}{
		{"a start", start, func(a *agent) string {
			return a.event("SessionStart", map[string]any{"source": "startup"})
		}, nil},
		{"the first words after a start", start, func(a *agent) string { return a.prompt(1) }, nil},
		{"words after a compaction", "Never push", func(a *agent) string { return a.prompt(2) }, (*agent).compacted},
		{"a call after a compaction", "Never push", func(a *agent) string { return a.calls(true) }, (*agent).compacted},
		{"a resumed session", "Never push", func(a *agent) string {
			return a.event("SessionStart", map[string]any{"source": "resume"})
		}, (*agent).compacted},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(t)
			a.said(conversation...)
			if c.before != nil {
				c.before(a)
			}
			for range 2 {
				a.killed = true
				if told := c.killed(a); !strings.Contains(told, c.want) {
					t.Errorf("the hook that is killed would print %q", told)
				}
			}
			a.killed = false
			if told := a.prompt(3); strings.Count(told, c.want) != 1 {
				t.Errorf("the next one prints %q", told)
			}
			for n, again := range []string{a.prompt(4), a.edit(5)} {
				if again != "" {
					t.Errorf("%d is told again: %q", n, again)
				}
			}
		})
	}
}

// compacted begins a session and compacts it with a summary that loses everything.
func (a *agent) compacted() {
	a.event("SessionStart", map[string]any{"source": "startup"})
	a.event("PreCompact", map[string]any{"trigger": "auto"})
	a.event("SessionStart", map[string]any{"source": "compact"})
	a.event("PostCompact", map[string]any{"trigger": "auto", "compact_summary": "The user wants an invoice export."})
}

// TestACompactionOfWhichNothingWasHeard: the hooks after a compaction found no daemon. What its summary may have lost is
// told all the same, with what a start tells.
func TestACompactionOfWhichNothingWasHeard(t *testing.T) {
	const start = "## Runtime Environment"
	summary := map[string]any{"trigger": "auto", "compact_summary": "The user wants an invoice export."}
	for name, heard := range map[string]map[string]map[string]any{
		"the end alone":    {"PostCompact": summary},
		"the new context":  {"SessionStart": {"source": "compact"}},
		"only that it was": {},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t)
			a.said(conversation...)
			a.event("SessionStart", map[string]any{"source": "startup"})
			a.event("PreCompact", map[string]any{"trigger": "auto"})
			for event, input := range heard {
				a.event(event, input)
			}
			told := a.prompt(1)
			if strings.Count(told, "Never push") != 1 || strings.Contains(told, start) != (name == "the end alone") {
				t.Errorf("told %q", told)
			}
			if again := a.prompt(2); again != "" {
				t.Errorf("told again: %q", again)
			}
		})
	}
}

// TestTwoHooksThatRunAtOnceTellOnce: one that is registered twice, whose answers are written at the same time. If the
// first is killed, its text is owed.
func TestTwoHooksThatRunAtOnceTellOnce(t *testing.T) {
	for _, killed := range []bool{false, true} {
		a := newAgent(t)
		a.said(conversation...)
		a.compacted()
		run := func(input string) hook.Answer {
			got, err := hook.Run(t.Context(), hook.Options{Env: env.System(), Root: a.root, Contexts: &a.contexts,
				Open: func(context.Context) (ledger.API, error) { return a.ledger, nil }}, "UserPromptSubmit",
				[]byte(`{"session_id": "`+hostID+`", "prompt": "`+input+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		first, second := run("Go on."), run("Go on.")
		if len(first.Out) == 0 || len(second.Out) != 0 {
			t.Errorf("they print %q and %q", first.Out, second.Out)
		}
		if err := second.After(t.Context(), true); err != nil {
			t.Error(err)
		}
		if err := first.After(t.Context(), !killed); err != nil {
			t.Error(err)
		}
		if told := a.prompt(2); strings.Contains(told, "Never push") != killed {
			t.Errorf("killed %t: then told %q", killed, told)
		}
	}
}

// TestASessionThatEndsIsReadAtOnce: its end is answered when its file was read, so that who asks next finds it. The file
// of a summary is read before the comparison.
func TestASessionThatEndsIsReadAtOnce(t *testing.T) {
	a := newAgent(t)
	file := filepath.Join(a.root, hostID+".jsonl")
	for _, event := range []string{"SessionEnd", "PostCompact"} {
		var read []string
		answer, err := hook.Run(t.Context(), hook.Options{Env: env.System(), Root: a.root, Contexts: &a.contexts,
			Open: func(context.Context) (ledger.API, error) { return a.ledger, nil },
			Read: func(_ context.Context, path string) error {
				read = append(read, path)
				return nil
			}}, event, fmt.Appendf(nil, `{"session_id": %q, "transcript_path": %q, "compact_summary": "x"}`, hostID, file))
		if err != nil || event == "SessionEnd" && len(read) == 0 {
			t.Errorf("%s is answered with %v, %q", event, err, read)
		}
		if err := answer.After(t.Context(), true); err != nil || !slices.Equal(read, []string{file}) {
			t.Errorf("%s: %q, %v", event, read, err)
		}
	}
}
