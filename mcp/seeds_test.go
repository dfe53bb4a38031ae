package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/given"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

// seedKeys are the keys of the sections Agents, Compaction, ContextBudget and ChangeTracking of fuseraft and Fabric,
// with what
// they do: what an answer has with the key and has not without, or the other way round; or which note says that a
// key has no
// effect. A row is a key; TestEveryKeyOfTheSeedsActs fails for a key without a row.
var seedKeys = []seedKey{
	{key: "compaction.trigger_turn_count", set: "Compaction: {TriggerTurnCount: 5}", has: `"status":"compacted"`},
	{key: "compaction.keep_recent_turns", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, KeepRecentTurns: 3}", has: turn(9)},
	{key: "compaction.keep_recent_entries", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, keepRecentEntries: 4}", lacks: turn(10)},
	{key: "compaction.keep_recent_tokens", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, keepRecentTokens: 2000}", has: turn(9)},
	{key: "compaction.mode", base: "Compaction: {TriggerTurnCount: 5}",
		set:   "Compaction: {TriggerTurnCount: 5, Mode: window, TokenBudget: 2000}",
		lacks: "STATE OF THIS CONVERSATION"},
	{key: "compaction.token_budget", base: "Compaction: {Mode: window}",
		set: "Compaction: {Mode: window, TokenBudget: 2000}",
		has: `"status":"compacted"`},
	{key: "compaction.anti_thrash_window", base: "Compaction: {TriggerTurnCount: 9, AntiThrashWindow: 0}",
		set: "Compaction: {TriggerTurnCount: 9, AntiThrashWindow: 1, AntiThrashMinSavingsRatio: 1}", act: thrash,
		has: "saved less than 100%"},
	{key: "compaction.anti_thrash_min_savings_ratio", base: "Compaction: {TriggerTurnCount: 9, AntiThrashWindow: 1}",
		set: "Compaction: {TriggerTurnCount: 9, AntiThrashWindow: 1, AntiThrashMinSavingsRatio: 1}", act: thrash,
		has: "saved less than 100%"},
	{key: "compaction.include_reasoning", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, IncludeReasoning: true}", act: reasons, has: "[REASONING"},
	{key: "compaction.include_exploration", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, IncludeExploration: false}", lacks: "Read and not changed"},
	{key: "compaction.max_chars_per_history_message", set: "Compaction: {MaxCharsPerHistoryMessage: 100}",
		act: longest,
		has: "longest 1"},
	{key: "compaction.enabled", base: "Compaction: {TriggerTurnCount: 5}",
		set:   "Compaction: {TriggerTurnCount: 5, enabled: false}",
		lacks: `"status":"compacted"`},
	{key: "compaction.compact_at_tokens", set: "Compaction: {compactAtTokens: 2000}", has: `"status":"compacted"`},
	{key: "compaction.reserve_tokens", base: uncleared, set: uncleared + "Compaction: {reserveTokens: 1000}",
		args: args{"model": "gpt-4o",
			"contextWindowTokens": 8_000}, lacks: `"status":"compacted"`},
	{key: "compaction.recover_from_overflow", set: "Compaction: {recoverFromOverflow: false}",
		args:  args{"mode": "intent", "error": "prompt is too long: 210000 tokens > 200000 maximum"},
		lacks: `"messages":[`},
	{key: "compaction.generate_summary", base: "Compaction: {TriggerTurnCount: 5, Mode: llm}",
		set: "Compaction: {TriggerTurnCount: 5, Mode: llm, generateSummary: false}", lacks: "mode llm is configured"},
	{key: "compaction.model", base: theirs + "Compaction: {Model: local-1}",
		set: theirs + "Compaction: {Model: local-2}", act: written,
		has: "model local-2"},
	{key: "compaction.summary_template", base: theirs + "Compaction: {Model: m}",
		set: theirs + "Compaction: {Model: m, SummaryTemplate: 'Sum up: {{$history}}'}", act: written,
		has: "template Sum up: {{$history}}"},
	{key: "compaction.include_symbol_graph", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, IncludeSymbolGraph: true}", act: coded,
		has: `File: src/a.go\n  SymbolDefinition (func): LoadUsers\nFile: src/b.go\n  ` +
			`SymbolDefinition (func): Serve\n  SymbolReference: LoadUsers → src/a.go`},
	{key: "compaction.pin_last_routing_signal", base: "Compaction: {TriggerTurnCount: 5}",
		set: "Compaction: {TriggerTurnCount: 5, PinLastRoutingSignal: false}", act: routed,
		lacks: `[Resume: pre-compaction routing signal from Planner]\nTESTS READY`},

	{key: "context_budget.warn_at", set: "ContextBudget: {WarnAt: 1000}", has: "warn_at is 1,000"},
	{key: "context_budget.cutover_at", set: "ContextBudget: {CutoverAt: 3000}", has: `"status":"compacted"`},
	{key: "context_budget.max_single_turn_input_tokens", set: "ContextBudget: {MaxSingleTurnInputTokens: 3000}",
		has: `"status":"compacted"`},
	{key: "context_budget.max_tool_result_tokens", set: "ContextBudget: {MaxToolResultTokens: 1000}",
		has: "[tool result — evicted: Read(src/f0.go)."},
	{key: "context_budget.in_turn_tool_window",
		base: "ContextBudget: {MaxToolResultTokens: 4000, InTurnToolWindow: 10}",
		set:  "ContextBudget: {MaxToolResultTokens: 4000, InTurnToolWindow: 2}",
		has:  "[tool result — evicted: Read(src/f5.go)."},

	{key: "agents.name", set: "Agents: [{Name: Tester, ContextWindow: {TextOnly: true}}]",
		base: "Agents: [{Name: Other, ContextWindow: {TextOnly: true}}]", lacks: "tool_use"},
	{key: "agents.context_window.text_only", set: windowed("TextOnly: true"), lacks: "tool_use"},
	{key: "agents.context_window.exclude_agents", set: windowed("ExcludeAgents: [developer]"), act: spoken,
		lacks: "I built it."},
	{key: "agents.context_window.max_turn_age", set: windowed("MaxTurnAge: 3"), lacks: turn(5)},
	{key: "agents.context_window.max_tail_messages", set: windowed("MaxTailMessages: 9"), lacks: turn(8)},
	{key: "agents.context_window.context_cap_fraction", base: windowed("MaxTailMessages: 60"),
		set: windowed("MaxTailMessages: 60, ContextCapFraction: 0.5"), has: "context_cap_warning"},
	{key: "agents.context_window.max_tool_result_chars", set: windowed("MaxToolResultChars: 300"),
		has: "chars omitted to reduce context size...]"},
	{key: "agents.context_window.tool_result_char_overrides",
		set: windowed("ToolResultCharOverrides: {read_file: 300}"),
		has: "chars omitted to reduce context size...]"},
	{key: "agents.context_window.max_replay_chars", set: windowed("MaxReplayChars: 100"), act: wordy,
		has: "chars omitted to reduce context size...]"},
	{key: "agents.max_in_turn_tool_pairs", set: "Agents: [{Name: Tester, MaxInTurnToolPairs: 3}]",
		has: "[result omitted — sliding window]"},
	{key: "agents.max_in_turn_context_tokens", set: "Agents: [{Name: Tester, MaxInTurnContextTokens: 1000}]",
		has: "[RESULT ELIDED"},
	{key: "agents.context.source", set: "Agents: [{Name: Tester, Context: [{Source: file:a.md}]}]", act: assembled,
		has: "## a.md\nThe plan of the day."},
	{key: "agents.context.label", set: "Agents: [{Name: Tester, Context: [{Source: file:a.md, Label: Plan}]}]",
		act:  assembled,
		base: "Agents: [{Name: Tester, Context: [{Source: file:a.md}]}]", has: "## Plan\n"},
	{key: "agents.context.max_chars", set: "Agents: [{Name: Tester, Context: [{Source: file:a.md, MaxChars: 8}]}]",
		base: "Agents: [{Name: Tester, Context: [{Source: file:a.md}]}]", act: assembled,
		has: "The plan\n[...12 chars truncated — use file tool to read in full]"},
	{key: "agents.skip_execution_state", base: machine + "Agents: [{Name: Tester, Context: [{Source: file:a.md}]}]",
		set:   machine + "Agents: [{Name: Tester, SkipExecutionState: true, Context: [{Source: file:a.md}]}]",
		act:   assembled,
		lacks: "Execution State"},

	{key: "max_total_tokens", set: "MaxTotalTokens: 9000", act: stopped,
		has: "limited: there is no next request: this session has used ≈"},
	{key: "max_total_tokens near its end", set: "MaxTotalTokens: 70000",
		has: "tokens of the 70,000 tokens that MaxTotalTokens in ctxledger.yaml:1 allows"},

	{key: "change_tracking.path", set: "ChangeTracking: {Path: a.json}",
		note: "ChangeTracking is ignored: what changes is always"},
	{key: "change_tracking.intent_log_path", set: "ChangeTracking: {IntentLogPath: a.json}",
		note: "ChangeTracking is ignored: what changes is always"},

	// What one call says goes before the configuration.
	{key: "call.enabled", base: "Compaction: {TriggerTurnCount: 5}", set: "Compaction: {TriggerTurnCount: 5}",
		args: args{"enabled": false}, alone: true, lacks: `"status":"compacted"`},
	{key: "call.compact_at_tokens", base: "Compaction: {compactAtTokens: 90000}",
		set:  "Compaction: {compactAtTokens: 90000}",
		args: args{"compactAtTokens": 2000}, alone: true, has: `"status":"compacted"`},
	{key: "call.context_window_tokens", args: args{"contextWindowTokens": 5000}, alone: true,
		has: `"status":"compacted"`},
	{key: "call.reserve_tokens", base: uncleared + "Compaction: {reserveTokens: 2000}",
		set: uncleared + "Compaction: {reserveTokens: 2000}", with: args{"contextWindowTokens": 8_000},
		args: args{"reserveTokens": 3500}, alone: true, has: `"status":"compacted"`},
	{key: "call.keep_recent_entries", base: "Compaction: {TriggerTurnCount: 5, keepRecentEntries: 12}",
		set:  "Compaction: {TriggerTurnCount: 5, keepRecentEntries: 12}",
		args: args{"compactionKeepRecentEntries": 4}, alone: true,
		lacks: turn(10)},
	{key: "call.recover_from_overflow", base: "Compaction: {recoverFromOverflow: true}",
		set: "Compaction: {recoverFromOverflow: true}", args: args{"recoverContextOverflow": false}, alone: true,
		with:  args{"mode": "intent", "error": "prompt is too long: 210000 tokens > 200000 maximum"},
		lacks: `"messages":[`},
	{key: "call.generate_summary", base: "Compaction: {TriggerTurnCount: 5, Mode: llm}",
		set: "Compaction: {TriggerTurnCount: 5, Mode: llm}", args: args{"generateSummary": false}, alone: true,
		lacks: "mode llm is configured"},
	{key: "call.agent", base: windowed("TextOnly: true"), set: windowed("TextOnly: true"),
		args: args{"agent": "TESTER"},
		with: args{"agent": "Other"}, alone: true, lacks: "tool_use"},
	{key: "call.usage", base: "ContextBudget: {CutoverAt: 500000}", set: "ContextBudget: {CutoverAt: 500000}",
		alone: true,
		args: args{"usage": args{"input_tokens": 400_000, "cache_creation_input_tokens": 100_000,
			"cache_read_input_tokens": 9}}, has: `"status":"compacted"`},
	{key: "call.reason", with: args{"mode": "intent"}, args: args{"reason": "end of phase 1"}, alone: true,
		has: "because: end of phase 1"},
}

// ignoredAgentKeys are keys of fuseraft's agents that are about running them.
const ignoredAgentKeys = "agent_file instructions description model plugins capabilities function_choice trust_score isolation " +
	"knowledge_weight max_tool_calls_per_turn sub_agent_model sub_agent_plugins sub_agent_max_tool_calls produces requires " +
	"remote_agent enable_memory"

// seedKey is a key, and what it does.
type seedKey struct {
	key        string
	base, set  string // configurations without and with it
	args, with args   // of the call, with the key and always
	alone      bool   // the key is in args alone: they are left out without it
	act        func(t *testing.T, w seedWorld) string
	has, lacks string // of what act returns
	note       string
}

// seedWorld is a server with a configuration.
type seedWorld struct {
	*fixture
	config config.Config
	root   string
	args   args
}

// turn is how a message of a turn of talk begins that is kept as it is.
func turn(n int) string { return fmt.Sprintf(`"content":"request %d:`, n) }

// windowed is an agent with a window of its own.
func windowed(window string) string {
	return "Agents: [{Name: Tester, ContextWindow: {" + window + "}}]"
}

// uncleared has old results stay, so that nothing but a compaction makes a conversation smaller.
const uncleared = "context: {clear: {trigger: 0}}\n"

// theirs is a summarizer that leaves its model and prompt to fuseraft's keys.
const theirs = "summarizer: {kind: openai, url: 'http://127.0.0.1:1'}\n"

// machine is a state machine that runs the agent.
const machine = "Selection: {StateMachine: {States: {test: {Agent: Tester}}}}\n"

func TestEveryKeyOfTheSeedsActs(t *testing.T) {
	for _, k := range seedKeys {
		t.Run(k.key, func(t *testing.T) {
			if k.note != "" {
				hasNote(t, k.set, k.note)
				return
			}
			without := maps.Clone(k.with)
			if !k.alone {
				without = maps.Clone(k.args)
			}
			before, after := k.play(t, k.base, without), k.play(t, k.set, merged(k.with, k.args))
			if k.has != "" && (strings.Contains(before, k.has) || !strings.Contains(after, k.has)) {
				t.Errorf("%q without: %t\nwithout %.1500s\nwith %.1500s", k.has, strings.Contains(before, k.has),
					before, after)
			}
			if k.lacks != "" && (!strings.Contains(before, k.lacks) || strings.Contains(after, k.lacks)) {
				t.Errorf("%q with: %t\nwithout %.1500s\nwith %.1500s", k.lacks, strings.Contains(after, k.lacks),
					before, after)
			}
		})
	}
	for key := range strings.FieldsSeq(ignoredAgentKeys) {
		hasNote(t, "Agents: [{Name: Tester, "+key+": 1}]", key+" is ignored")
	}
}

// TestNoKeyOfTheSeedsIsForgotten compares the rows with the rules of the configuration and the arguments of calls.
func TestNoKeyOfTheSeedsIsForgotten(t *testing.T) {
	rows := map[string]bool{"agents.context_window": true, "agents.context": true, "agents.known_as": true} // ours
	for _, k := range seedKeys {
		if rows[k.key] {
			t.Errorf("%s has two rows", k.key)
		}
		rows[k.key] = true
	}
	for key := range strings.FieldsSeq(ignoredAgentKeys) {
		rows["agents."+key] = true
	}
	for _, section := range []string{"compaction", "context_budget", "agents"} {
		for _, r := range config.Find(config.Rules(), section).Rules {
			if !rows[section+"."+r.Key] {
				t.Errorf("%s.%s has no row", section, r.Key)
			}
		}
	}
	for _, key := range []string{"text_only", "exclude_agents", "max_turn_age", "max_tail_messages",
		"context_cap_fraction",
		"max_tool_result_chars", "tool_result_char_overrides",
		"max_replay_chars"} { // the sheet's; the others are our own
		if !rows["agents.context_window."+key] {
			t.Errorf("agents.context_window.%s has no row", key)
		}
	}
	var accepted struct{ Properties map[string]any }
	if err := json.Unmarshal([]byte(`{"properties":{`+compactTool().accepts+`}}`), &accepted); err != nil {
		t.Fatal(err)
	}
	for key := range accepted.Properties {
		if !rows["call."+key] {
			t.Errorf("call.%s has no row", key)
		}
	}
}

func merged(a, b args) args {
	out := args{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// hasNote checks that a configuration gets a note, and nothing else.
func hasNote(t *testing.T, text, want string) {
	t.Helper()
	problems := config.Check(testEnv(), config.File, []byte(text))
	if len(problems) != 1 || problems[0].Severity != config.Note || problems[0].Line != 1 ||
		!strings.HasPrefix(problems[0].Message, want) {
		t.Errorf("%s: %v", text, problems)
	}
}

// play plays the row with a configuration.
func (k seedKey) play(t *testing.T, text string, a args) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{config.File: text, "a.md": "The plan of the day."} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, problems := config.Load(testEnv(), root, "")
	for _, p := range problems {
		if p.Severity == config.Error {
			t.Fatal(p)
		}
	}
	f := fixtureWith(t, engine.Settings{Policy: c.Policy, Agents: c.Agents, Given: c.Given, Limits: c.LimitsSet()}, nil)
	w := seedWorld{f, c, root, a}
	if k.act == nil {
		k.act = func(t *testing.T, w seedWorld) string { return w.compact(t, talk(12)) }
	}
	return k.act(t, w)
}

// compact hands a conversation in, and returns the answer with what is recorded and warned of.
func (w seedWorld) compact(t *testing.T, messages []json.RawMessage) string {
	t.Helper()
	a := args{"messages": messages, "mode": "auto", "return": "messages", "model": "gpt-4.1", "agent": "Tester"}
	maps.Copy(a, w.args)
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	out := callRaw(t, w.fixture, string(raw))
	page, err := w.local.WaitEvents(t.Context(), ledger.WaitEventsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	for _, e := range page.Events {
		out, session = out+"\n"+e.Kind, e.Session
	}
	st, err := w.local.Status(t.Context(), ledger.StatusRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range st.Warned {
		out += "\n" + x.String()
	}
	all, err := w.local.Summaries(t.Context(), ledger.SummariesRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Summaries {
		out += "\nbecause: " + s.Reason
	}
	if a["error"] != nil {
		return out // what is to be sent is in it
	}
	view, err := ledger.Messages(t.Context(), w.local, ledger.ViewRequest{Session: session,
		Reader: ledger.Reader{Agent: a["agent"].(string)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range view.Messages {
		out += "\n" + string(m.JSON)
	}
	return out
}

// stopped hands a conversation in, and returns the answer, which may be an error.
func stopped(t *testing.T, w seedWorld) string {
	r := tryRaw(t, w.fixture, `{"messages":`+string(array(talk(12)))+`,"mode":"auto","return":"messages"}`)
	return fmt.Sprint(r.IsError, " ", r.Content[0].Text)
}

// thrash compacts twice.
func thrash(t *testing.T, w seedWorld) string {
	w.compact(t, talk(12))
	return w.compact(t, talk(24))
}

// reasons has a model that thinks.
func reasons(t *testing.T, w seedWorld) string {
	messages := talk(12)
	for i := 3; i < len(messages); i += 4 {
		messages[i] = json.RawMessage(`{"role":"assistant","content":[{"type":"thinking","thinking":"The cache is cold.",` +
			`"signature":"x"},{"type":"text","text":"Done."}]}`)
	}
	return w.compact(t, messages)
}

// wordy has a model that says much.
func wordy(t *testing.T, w seedWorld) string {
	return w.compact(t, append(talk(2), json.RawMessage(`{"role":"user","content":"Go."}`),
		json.RawMessage(`{"role":"assistant","content":"`+strings.Repeat("Well, ", 200)+`"}`),
		json.RawMessage(`{"role":"user","content":"Next."}`),
		json.RawMessage(`{"role":"assistant","content":"Yes."}`),
		json.RawMessage(`{"role":"user","content":"Next."}`)))
}

// routed has an agent that hands over at the beginning.
func routed(t *testing.T, w seedWorld) string {
	return w.compact(t, append([]json.RawMessage{json.RawMessage(`{"role":"user","content":"Go."}`),
		json.RawMessage(`{"role":"assistant","name":"Planner","content":[{"type":"tool_use","id":"h","name":"handoff",` +
			`"input":{"route_keyword":"TESTS READY"}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"h","content":"ok"}]}`)},
		talk(12)...))
}

// coded has an agent that writes two files.
func coded(t *testing.T, w seedWorld) string {
	messages := []json.RawMessage{json.RawMessage(`{"role":"user","content":"Go."}`)}
	for i, text := range []string{"func LoadUsers() {}", "func Serve() { LoadUsers() }"} {
		id := fmt.Sprint("w", i)
		messages = append(messages,
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Write",`+
				`"input":{"file_path":"src/%c.go","content":%q}}]}`, id, 'a'+i, text+"\n")),
			json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+id+`","content":"ok"}]}`))
	}
	return w.compact(t, append(messages, talk(12)...))
}

// spoken has an agent that says its name.
func spoken(t *testing.T, w seedWorld) string {
	return w.compact(t, append(talk(2), json.RawMessage(`{"role":"user","content":"Go."}`),
		json.RawMessage(`{"role":"assistant","name":"Developer","content":"I built it."}`),
		json.RawMessage(`{"role":"user","content":"Next."}`)))
}

// longest says how long the longest message of a brief is.
func longest(t *testing.T, w seedWorld) string {
	done, _, err := ledger.HandIn(t.Context(), w.local, ledger.AppendMessagesRequest{Host: hostName}, array(talk(20)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.local.PlanCompaction(t.Context(), ledger.PlanCompactionRequest{Session: done.Session,
		Options: compaction.Options{Mode: compaction.LLM}})
	if err != nil || p.Brief == nil {
		t.Fatal(p.Why, err)
	}
	n := 0
	for _, part := range p.Brief.Parts {
		for _, m := range part.Messages {
			n = max(n, len(m.Text))
		}
	}
	return fmt.Sprintf("longest %d", n/100)
}

// assembled is what the agent is given.
func assembled(t *testing.T, w seedWorld) string {
	done, _, err := ledger.HandIn(t.Context(), w.local, ledger.AppendMessagesRequest{Host: hostName}, array(talk(1)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.local.Session(t.Context(), ledger.SessionRequest{Name: done.Session})
	if err != nil {
		t.Fatal(err)
	}
	a, err := given.Assemble(t.Context(), w.local, given.Request{Spec: w.config.Given, Agent: "Tester", Session: s,
		Root: w.root, Env: testEnv()})
	if err != nil {
		return err.Error()
	}
	return a.Text()
}

// written says which model would write, with which prompt.
func written(t *testing.T, w seedWorld) string {
	if w.config.Summarizer == nil {
		return "nobody"
	}
	return "model " + w.config.Summarizer.Model + ", template " + w.config.Summarizer.Template
}

// Overrides have the names of Fabric in any spelling; what makes no sense is refused by name.
func TestOverridesAreChecked(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	for _, x := range []struct {
		args args
		want string
	}{
		{args{"keepRecentEntries": -1}, "keep_recent_entries is -1"},
		{args{"contextWindowTokens": 1000, "compact_at_tokens": 1000}, "leaves nothing of a window of 1000"},
		{args{"contextWindowTokens": 1000, "reserveTokens": 2000}, "reserve_tokens is 2000"},
		{args{"keepRecentEntries": 3, "keep_recent_entries": 4}, "given twice"},
		{args{"keepRecentEntry": 3}, "unknown argument"},
		{args{"enabled": "maybe"}, "enabled"},
		{args{"usage": args{"input": 1}, "messages": nil, "session": "x"}, `"usage" goes with "messages"`},
	} {
		contains(t, refused(t, c, "compact_conversation", merged(args{"messages": talk(2)}, x.args)), x.want)
	}
	for name := range map[string]bool{"enabled": true, "COMPACT_AT_TOKENS": true,
		"compactionKeepRecentEntries": true} {
		if window.OverrideName(name) == "" {
			t.Errorf("%s is not known", name)
		}
	}
	for _, s := range [][2]string{{`{"input":1,"output":2,"cache_read":3,"cache_write":4}`, "1 2 3 4 0"},
		{`{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}`,
			"1 2 3 4 0"},
		{`{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}`, "6 2 3 0 0"},
		{`{"input_tokens":9,"output_tokens":2,"input_tokens_details":{"cached_tokens":3}}`, "6 2 3 0 0"},
		{`{"input":1,"output":5,"reasoning":3}`, "1 5 0 0 3"},
		{`{"prompt_tokens":9,"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":3}}`, "9 4 0 0 3"},
		{`{"input_tokens":9,"output_tokens":4,"output_tokens_details":{"reasoning_tokens":5}}`, "9 4 0 0 4"},
		{`{"input":9,"reasoning":-1}`, "<nil>"},
		{`{"promptTokenCount":9,"candidatesTokenCount":2,"cachedContentTokenCount":3}`, "6 2 3 0 0"},
		{`{"inputTokens":9,"outputTokens":2}`, "9 2 0 0 0"}, {`{"input":-1}`, "<nil>"}, {`{}`, "<nil>"}} {
		var u usage
		if err := json.Unmarshal([]byte(s[0]), &u); err != nil {
			t.Fatal(err)
		}
		got := "<nil>"
		if m := u.measured(); m != nil {
			got = fmt.Sprint(m.Input, m.Output, m.CacheRead, m.CacheWrite, m.Reasoning)
		}
		if got != s[1] {
			t.Errorf("%s: %s", s[0], got)
		}
	}
}
