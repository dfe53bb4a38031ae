package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A finding is a rule by which a configuration is judged: text breaks it, and gets exactly what it wants, at the value; in right
// nothing breaks it. docs/maintainers/defaults.md has a table of them.
type finding struct {
	code, rule  string
	text, wants string // "severity line:column message; hint"
	right       string
}

// findings are in the order of their codes. Several rows may have a code; the first one has the rule.
var findings = []finding{
	{"CFG001", "the file cannot be read, or is neither YAML nor JSON", "follow: [\n",
		"error 1:0 did not find expected node content", "follow: false\n"},
	{"CFG002", "no setting in the file is known", "colour: blue\n",
		"warning 1:1 no setting of this file is known: it changes nothing; docs/configuration.md lists the settings | " +
			`warning 1:1 unknown setting "colour"`, "follow: false\ncolour: blue\n"},
	{"CFG003", "a key is unknown", "context: {treshold: 0.5}\n",
		`warning 1:11 unknown setting "treshold"; did you mean threshold?`, "context: {threshold: 0.5}\n"},
	{"CFG003", "", "limits: {usd: 0,0001}\n", `warning 1:10 unknown setting "usd"; write it below session or day or agent | ` +
		`warning 1:17 unknown setting "0001"; a comma ends a value in {…}: write a point in a number, as in 0.5`,
		"limits: {day: {usd: 0.0001}}\n"},
	{"CFG004", "a key is set twice", "context: {max_turn_age: 1, MaxTurnAge: 2}\n",
		"error 1:28 MaxTurnAge was already set on line 1", "context: {max_turn_age: 1}\n"},
	{"CFG005", "a value has the wrong type, or is not one that the key allows", "context: {compact_turns: many}\n",
		"error 1:26 compact_turns: a number is expected, not `many`", "context: {compact_turns: 20}\n"},
	{"CFG006", "a number is negative or too large, or a list is too long", "context: {reserve: -1}\n",
		"error 1:20 reserve is -1: it must not be negative", "context: {reserve: 1}\n"},
	{"CFG010", "a path has a token other than `{session_id}`", given("file:{session}/plan.md"),
		`warning 3:24 "{session}" is not replaced, and no file of that name is likely; only {session_id} is replaced`,
		given("file:{session_id}/plan.md")},

	{"CFG101", "an agent has no name, or one that another has", "agents: [{name: Tester}, {name: TESTER}]\n",
		`error 1:26 agents: "tester" is listed twice`, "agents: [{name: Tester}, {name: Reviewer}]\n"},
	{"CFG101", "", "agents:\n  - context_window: {text_only: true}\n", "error 2:5 agents: one has no name",
		"agents: [{name: Tester, context_window: {text_only: true}}]\n"},
	{"CFG113", "a model's figures contradict each other, such as an output above its window", "models: {m: {window: 10, output: 11}}\n",
		`error 1:10 model "m": output: 11 tokens are more than the window of 10`, "models: {m: {window: 10, output: 5}}\n"},

	{"CFG201", "`context_cap_fraction` is not a fraction", "context: {max_tail_messages: 9, context_cap_fraction: 1.5}\n",
		"error 1:55 context_cap_fraction is 1.5: it must be between 0 and 1",
		"context: {max_tail_messages: 9, context_cap_fraction: 0.5}\n"},
	{"CFG202", "`context_cap_fraction` without `max_tail_messages`", "context: {context_cap_fraction: 0.8}\n",
		"warning 1:33 context_cap_fraction has no effect without max_tail_messages; set max_tail_messages",
		"context: {context_cap_fraction: 0.8, max_tail_messages: 40}\n"},
	{"CFG203", "all `tool_result_char_overrides` lift a limit that is not set", "context: {tool_result_char_overrides: {grep: 0}}\n",
		"warning 1:39 0 has no effect without max_tool_result_chars: there is no limit to lift; set max_tool_result_chars",
		"context: {tool_result_char_overrides: {grep: 0}, max_tool_result_chars: 900}\n"},
	{"CFG203", "", "", "", "context: {tool_result_char_overrides: {grep: 900}}\n"},
	{"CFG205", "`exclude_agents` names the agent itself, or one that is not declared beside a state machine",
		"Agents: [{Name: Tester, ContextWindow: {ExcludeAgents: [tester]}}]\n",
		`warning 1:56 agent "tester" excludes its own messages; remove it from exclude_agents`,
		"Agents: [{Name: Tester, ContextWindow: {ExcludeAgents: [developer]}}]\n"},
	{"CFG205", "", "agents:\n  - {name: Tester, context_window: {exclude_agents: [devel]}}\n" + states,
		`warning 2:53 exclude_agents: no agent "devel" is declared; use the name under agents`, ""},
	{"CFG206", "a source is unknown", given("mood"), `error 3:24 unknown source "mood"; the sources are brief_field, ` +
		"changes_recent, execution_state, file, investigation_log, own_history, session_context", given("session_context")},
	{"CFG207", "`own_history` in a `handoff_context`", handed("own_history"),
		"warning 6:57 own_history is left out of a handoff: it is what another agent said; " +
			"remove it, or hand over what the agent noted: session_context", ""},
	{"CFG208", "`brief_field` without a field, or a number that is not positive", given("brief_field"),
		"error 3:24 source brief_field needs the name of a field: brief_field:goal", given("brief_field:goal")},
	{"CFG208", "", given("own_history:0"), `error 3:24 source "own_history:0" needs a number of 1 or more after the colon`,
		given("own_history:1")},
	{"CFG209", "`file` leads out of the workspace", given("file:../x"),
		`error 3:24 source "file:../x" does not name a file in the workspace; give a relative path: file:docs/plan.md`,
		given("file:docs/plan.md")},
	{"CFG210", "a source is listed twice", "agents: [{name: A, context: [{source: file:a}, {source: file:./a}]}]\n",
		`warning 1:57 source "file:a" is listed twice; remove one`,
		"agents: [{name: A, context: [{source: file:a}, {source: file:b}]}]\n"},
	{"CFG210", "", "agents: [{name: A, context: [{source: own_history}, {source: own_history:2}]}]\n",
		"warning 1:62 own_history is listed twice: the last one counts; remove one", ""},
	{"CFG213", "`max_in_turn_tool_pairs` below 8 or above 64", "Agents: [{Name: Tester, MaxInTurnToolPairs: 3}]\n",
		"note 1:45 3 answers with calls: usual are 8 to 64; 8 to 16 are recommended",
		"Agents: [{Name: Tester, MaxInTurnToolPairs: 12}]\n"},
	{"CFG214", "`in_turn_tool_window` without `max_tool_result_tokens`", "ContextBudget: {InTurnToolWindow: 8}\n",
		"warning 1:35 in_turn_tool_window has no effect without max_tool_result_tokens; set max_tool_result_tokens",
		"ContextBudget: {InTurnToolWindow: 8, MaxToolResultTokens: 9000}\n"},

	{"CFG301", "a compaction is due at no more turns than it keeps", "Compaction:\n  TriggerTurnCount: 5\n",
		"warning 2:21 a compaction is due at 5 turns and keeps up to 10: often there is nothing to replace; " +
			"keep fewer turns than it is due at", "Compaction: {TriggerTurnCount: 5, KeepRecentTurns: 4}\n"},
	{"CFG302", "an unknown mode", "Compaction: {Mode: lossy}\n",
		"error 1:20 mode: give one of intent, window, llm, hybrid",
		"Compaction: {Mode: Hybrid}\n"},
	{"CFG304", "mode `lossless`, which this version lacks", "Compaction:\n  Mode: lossless\n",
		"warning 2:9 Mode lossless needs the evidence store, which this version does not have; intent is used instead; " +
			"write intent",
		"Compaction:\n  Mode: intent\n"},
	{"CFG305", "mode `window` with a `token_budget` of 0", "Compaction: {Mode: window, TokenBudget: 0}\n",
		"error 1:41 TokenBudget is 0: at least 1 is expected", "Compaction: {Mode: window, TokenBudget: 60000}\n"},
	{"CFG306", "mode `window` with numbers of turns", "Compaction: {Mode: window, KeepRecentTurns: 5}\n",
		"warning 1:45 it has no effect in mode window, which drops turns by the size of the view alone; set effective_window",
		"Compaction: {Mode: intent, KeepRecentTurns: 5}\n"},
	{"CFG307", "`anti_thrash_ratio` is not a fraction, or `anti_thrash_window` above 10",
		"Compaction: {AntiThrashMinSavingsRatio: 10}\n", "error 1:41 anti_thrash_ratio is 10: it must be between 0 and 1",
		"Compaction: {AntiThrashMinSavingsRatio: 0.1}\n"},
	{"CFG307", "", "Compaction: {AntiThrashWindow: 12}\n", "warning 1:32 automatic compaction is only suppressed after 12 " +
		"that saved little; 3 are enough to tell", "Compaction: {AntiThrashWindow: 10}\n"},
	{"CFG308", "a limit on input that has to compact, and no automatic compaction",
		"Compaction: {enabled: false}\nContextBudget: {CutoverAt: 5}\n",
		"warning 2:28 cutover_at needs automatic compaction, which is off; remove one of the two",
		"Compaction: {enabled: true}\nContextBudget: {CutoverAt: 5}\n"},
	{"CFG308", "", "context: {automatic: false, max_turn_input_tokens: 5}\n",
		"warning 1:52 max_turn_input_tokens needs automatic compaction, which is off; remove one of the two", ""},
	{"CFG309", "`warn_at` not below `cutover_at`", "ContextBudget: {WarnAt: 5, CutoverAt: 5}\n",
		"warning 1:25 it warns at 5 tokens, but compacts at 5; warn below cutover_at", "ContextBudget: {WarnAt: 4, CutoverAt: 5}\n"},
	{"CFG309", "", "agents:\n  - name: a\n    context_window: {warn_at: 9, cutover_at: 8}\n",
		"warning 3:31 it warns at 9 tokens, but compacts at 8; warn below cutover_at", ""},
	{"CFG311", "a limit stops a session before `cutover_at`", "limits: {session: {tokens: 90000}}\ncontext: {cutover_at: 90000}\n",
		"warning 2:23 it stops at 90000 tokens (limits), before the compaction at 90000; set it below the limit",
		"limits: {session: {tokens: 90000}}\ncontext: {cutover_at: 50000}\n"},
	{"CFG311", "", "MaxTotalTokens: 90000\nContextBudget: {CutoverAt: 90000}\n",
		"warning 2:28 it stops at 90000 tokens (limits), before the compaction at 90000; set it below the limit",
		"MaxTotalTokens: 90000\nContextBudget: {CutoverAt: 50000}\n"},
	{"CFG312", "a template without `{{$history}}`, or with an unknown token", program + "  template: write\n",
		"error 4:13 summarizer: template: {{$history}} is missing: the conversation goes there",
		program + "  template: 'Sum up {{$task}}: {{$history}}'\n"},
	{"CFG312", "", program + "compaction:\n  summary_template: 'Of {{$tasks}}: {{$history}}'\n",
		`warning 5:21 "{{$tasks}}" is sent to the model as it is; what is replaced: {{$task}}, {{$turn_count}}, {{$change_log}}, ` +
			"{{$history}}", ""},
	{"CFG314", "a compaction keeps nothing", "Compaction: {KeepRecentTurns: 0}\n",
		"warning 1:31 keep: turns, tokens and messages are all 0: a compaction needs one of them, so the default applies; " +
			"set one of them to 1 or more", "Compaction: {KeepRecentTurns: 1}\n"},
	{"CFG316", "a share of a window above 400,000 tokens is the only bound", "models: {big: {window: 1000000}}\ncontext: {threshold: 0.85}\n",
		"warning 2:22 of a window of 1000000 tokens this share may be too much to wait for; set effective_window",
		"models: {big: {window: 1000000}}\ncontext: {threshold: 0.85, effective_window: 200000}\n"},
	{"CFG317", "what is kept is more than half of the size at which a compaction is due", "context: {keep: {tokens: 50000}}\n",
		"warning 1:26 a compaction keeps 50000 tokens, more than half of the 80000 at which it is due; keep less",
		"context: {keep: {tokens: 40000}}\n"},
	{"CFG318", "a threshold or reserve not below the windows of the file's models; of one call: an error",
		"models: {small: {window: 32000}}\ncompaction: {compactAtTokens: 32000}\n",
		"warning 2:31 no model of this file has a window above 32000 tokens: a compaction is due earlier, when the reserve " +
			"begins; set less than the window", "models: {small: {window: 32000}}\ncompaction: {compactAtTokens: 24000}\n"},
	{"CFG318", "", "models: {small: {window: 32000}}\ncontext: {reserve: 32000}\n", "warning 2:20 no model of this file has a " +
		"window above 32000 tokens: a third of it is kept free instead; set less than half of the window", ""},
	{"CFG319", "the summarizer's window is smaller than what it has to read", program + "models: {m: {window: 32000}}\n",
		"warning 3:10 the model reads 32000 tokens, but a compaction is due at 80000: it is asked in parts, which costs more " +
			"requests; name a model with a larger window, or set context.effective_window lower",
		program + "models: {m: {window: 200000}}\n"},

	{"CFG403", "a transition with a `handoff_context` from or to a state without an agent",
		"selection: {state_machine: {states: {a: {agent: A, transitions: [{to: b, handoff_context: " +
			"[{source: session_context}]}]}}}}\n",
		"warning 1:74 the transition leads " +
			"from or to a state without an agent: nothing is handed over; give both states an agent", ""},
	{"CFG508", "results are cleared only when a compaction is due", "context: {clear: {trigger: 1}}\n",
		"warning 1:28 results are cleared only when a compaction is due, which replaces them anyway; set less than 1",
		"context: {clear: {trigger: 0.9}}\n"},
	{"CFG600", "a key has no effect: the message says why", "Agents:\n  - {Name: A, Instructions: x}\n  - {Name: B, Instructions: y}\n",
		"note 2:15 Instructions is ignored: it is about running agents, which ctxledger does not do", "agents: [{name: A}]\n"},
	{"CFG600", "", "Compaction: {Model: fast, SummaryTemplate: '{{$history}}'}\n",
		"warning 1:14 Model has no effect without a summarizer in this file; add summarizer with kind and model: " +
			"docs/configuration.md | warning 1:27 SummaryTemplate has no effect without a summarizer in this file; add " +
			"summarizer with kind and model: docs/configuration.md", ""},
	{"CFG601", "a workspace's file turns on what only your own can", "hooks: {outputs: true}\n",
		"warning 1:9 hooks.outputs: true has no effect here: a workspace's file can switch hooks off, but only your own can turn " +
			"on costly ones; write it in your own file", "hooks: {outputs: false}\n"},
	{"CFG602", "`summarizer` is not valid", "summarizer: {kind: openai, model: m, url: 'ftp://x'}\n",
		"error 1:43 summarizer: url: give an address that starts with https:// or http://",
		"summarizer: {kind: openai, model: m, url: 'https://x'}\n"},
}

const (
	program    = "summarizer:\n  kind: openai\n  model: m\n"
	states     = "Selection:\n  StateMachine:\n    States:\n      test: {Agent: Tester}\n"
	onlyStates = "Selection: only the agents of states and handoff_context have an effect; the rest is about running agents, " +
		"which ctxledger does not do"
)

// given is an agent with a source.
func given(source string) string {
	return "agents:\n  - name: A\n    context: [{source: '" + source + "'}]\n"
}

// handed is a handoff of a source.
func handed(source string) string {
	return "Selection:\n  StateMachine:\n    States:\n      a:\n        Agent: A\n        Transitions: [{To: a, HandoffContext: [" +
		"{Source: " + source + "}]}]\n"
}

// notOurs are the rules of fuseraft that do not apply, with the reason.
var notOurs = []struct{ codes, why string }{
	{"CFG007, CFG008, CFG009, CFG102–CFG112, CFG114, CFG115, CFG310", "they are about keys that have no effect here"},
	{"CFG204", "`context_window` has an effect beside `context`: it bounds the views of the agent after its start"},
	{"CFG211, CFG303, CFG313", "changes, intents and reasoning are always recorded: no store has to be configured"},
	{"CFG212", "files and fields of briefs are written while agents work; `context assemble --json` lists the sources that were empty"},
	{"CFG315", "compaction is on unless `automatic: false` says otherwise"},
	{"CFG401, CFG402, CFG404–CFG423", "ctxledger runs no agents"},
	{"CFG501–CFG507", "no URL, header or key of these sections is used"},
}

// TestFindings breaks each rule and keeps it.
func TestFindings(t *testing.T) {
	for _, f := range findings {
		if got := f.found(f.text); f.text != "" && got != f.wants {
			t.Errorf("%s: %s\ngot  %s\nwant %s", f.code, f.text, got, f.wants)
		}
		problems := Check(homeless(), File, []byte(f.text))
		if f.text != "" && !slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == f.code }) {
			t.Errorf("%s: no finding of %s has that code: %+v", f.code, f.text, problems)
		}
		for _, p := range Check(homeless(), File, []byte(f.right)) {
			if p.Code == f.code {
				t.Errorf("%s: %s\n%s", f.code, f.right, p)
			}
		}
	}
}

// found is what is found in a text.
func (f finding) found(text string) string {
	var got []string
	for _, p := range Check(homeless(), File, []byte(text)) {
		line := fmt.Sprintf("%s %d:%d %s; %s", p.Severity, p.Line, p.Column, p.Message, p.Hint)
		got = append(got, strings.TrimSuffix(line, "; "))
	}
	return strings.Join(got, " | ")
}

// TestEveryCodeIsInTheTable compares the codes in the source with the rows.
func TestEveryCodeIsInTheTable(t *testing.T) {
	rows, used := map[string]bool{}, map[string]bool{}
	last := ""
	for _, f := range findings {
		if f.code < last || f.rule == "" && !rows[f.code] || f.rule != "" && rows[f.code] {
			t.Errorf("%s: not in order, or with two rules, or none", f.code)
		}
		rows[f.code], last = true, f.code
	}
	sources, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range regexp.MustCompile(`CFG\d{3}`).FindAllString(string(text), -1) {
			used[code] = true
		}
	}
	for code := range used {
		if !rows[code] && code != "" {
			t.Errorf("%s has no row", code)
		}
	}
	for code := range rows {
		if !used[code] {
			t.Errorf("%s is not found by anything", code)
		}
	}
}

// TestAnAgentIsNotJudgedByWhatAnotherOneSets: the keys of the agent that was read before are forgotten.
func TestAnAgentIsNotJudgedByWhatAnotherOneSets(t *testing.T) {
	text := "context: {warn_at: 9}\nagents:\n" +
		"  - {name: A, context_window: {in_turn_tool_window: 4, max_tool_result_tokens: 9}}\n  - {name: B}\n"
	if problems := Check(homeless(), File, []byte(text)); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestFindingsComeInTheOrderOfTheFile mixes severities.
func TestFindingsComeInTheOrderOfTheFile(t *testing.T) {
	text := "Compaction:\n  Mode: lossless\n  AntiThrashMinSavingsRatio: 2\nContextBudget: {InTurnToolWindow: 8}\n" +
		"Agents:\n  - {Name: A, Instructions: x, ContextWindow: {InTurnToolWindow: 4, MaxToolResultTokens: 9}}\n  - {Name: B}\n"
	var got []string
	for _, p := range few(Check(homeless(), File, []byte(text)), maxProblems) {
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Code))
	}
	if s := strings.Join(got, " "); s != "2:9 CFG304 3:30 CFG307 4:35 CFG214 6:15 CFG600" {
		t.Error(s)
	}
	many := few(Check(homeless(), File, []byte(unknownSections(30)+"follow: maybe\n")), maxProblems)
	if n := len(many); n != maxProblems+1 || many[n-2].Code != "CFG005" || many[0].Line != 1 {
		t.Errorf("%d: %+v", n, many)
	}
}

// TestTheSeedsExampleHasNoErrors reads what a person of fuseraft has, with all its sections.
func TestTheSeedsExampleHasNoErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/orchestration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	problems := Check(homeless(), File, text)
	for _, p := range problems {
		if p.Severity == Error || p.Code == "CFG003" {
			t.Error(p)
		}
	}
	c, _, err := parse(".", text)
	if err != nil || len(c.Agents) != 4 || len(c.Given.Handoffs) != 2 || c.Policy.Compact.Turns != 25 {
		t.Errorf("%d agents, %+v, %v", len(c.Agents), c.Given.Handoffs, err)
	}
	if len(problems) > maxChecked/2 {
		t.Errorf("it has %d findings", len(problems))
	}
}

// findingRows is the table of findings in docs/maintainers/defaults.md.
func findingRows() string {
	var b strings.Builder
	b.WriteString("| code | | found |\n|---|---|---|\n")
	for _, f := range findings {
		if f.rule != "" {
			severities := map[string]bool{}
			for _, other := range findings {
				for _, p := range Check(homeless(), File, []byte(other.text)) {
					if p.Code == f.code {
						severities[p.Severity.String()] = true
					}
				}
			}
			var said []string
			for _, s := range []string{"error", "warning", "note"} {
				if severities[s] {
					said = append(said, s)
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.code, strings.Join(said, ", "), f.rule)
		}
	}
	return b.String()
}
