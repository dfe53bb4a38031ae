package feedback

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const (
	rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file " +
		"edit, the new_string was NOT written to the file). "
	stop = "STOP what you are doing and wait for the user to tell you how to proceed."
	said = "To tell you how to proceed, the user said:\n"
	note = "\n\nNote: The user's next message may contain a correction or preference."
)

// twoQuestions are the arguments of Claude Code's question tool.
const twoQuestions = `{"questions":[
	{"question":"Which database?","header":"DB","options":[{"label":"Postgres","description":"as today"},{"label":"SQLite","description":"one file"}]},
	{"question":"Keep the \"old\" API?","header":"API","options":[{"label":"Yes","description":""}]}]}`

// TestResult: to add a case, add a row: the call, its result, and what the user decided.
func TestResult(t *testing.T) {
	long := strings.Repeat("a line of output\n", 400)
	for _, c := range []struct {
		name, tool, args, result string
		failed                   bool
		want                     Feedback // zero: no feedback
	}{
		// Refusals.
		{"Claude Code: refused", "Bash", `{}`, rejected + stop, true, Feedback{Kind: Refused}},
		{"Claude Code: refused with a note", "Edit", `{}`, rejected + stop + note, true, Feedback{Kind: Refused}},
		{"Claude Code: refused with a reason", "Bash", `{}`, rejected + said + "I did not say commit anything", true,
			Feedback{Kind: Refused, Words: "I did not say commit anything"}},
		{"Claude Code: a reason of several lines and a note", "Write", `{}`, rejected + said + "no:\n\n- too slow" + note, true,
			Feedback{Kind: Refused, Words: "no:\n\n- too slow"}},
		{"Claude Code: a reminder behind the reason", "Write", `{}`, rejected + said + "rebase first\n<system-reminder>x</system-reminder>", true,
			Feedback{Kind: Refused, Words: "rebase first"}},
		{"Claude Code: a rejected plan", "ExitPlanMode", `{"plan":"# P"}`, rejected + said + "what is simplest?", true,
			Feedback{Kind: Refused, Words: "what is simplest?"}},
		{"Claude Code: a subagent's call", "Edit", `{}`, "Permission for this tool use was denied. The tool use was rejected. The user said:\nnot that file", true,
			Feedback{Kind: Refused, Words: "not that file"}},
		{"Claude Code: not now", "Task", `{}`, "The user doesn't want to take this action right now. " + stop, true, Feedback{Kind: Refused}},
		{"Claude Code: a rule", "Bash", `{}`, "Permission to use Bash with command git push has been denied.", true,
			Feedback{Kind: Refused, ByRule: true}},
		{"Claude Code: a mode in which nobody is asked", "Bash", `{}`, "Permission to use Bash has been denied because Claude Code is running in don't ask mode.", true,
			Feedback{}},
		{"Codex: a command", "shell", `{}`, "exec command rejected by user", false, Feedback{Kind: Refused}},
		{"Codex: a patch in JSON", "apply_patch", `{}`, `{"output":"patch rejected by user","metadata":{"exit_code":1}}`, false, Feedback{Kind: Refused}},
		{"Codex: a tool of a server", "github__create_issue", `{}`, "user rejected MCP tool call", true, Feedback{Kind: Refused}},
		{"Gemini: denied", "run_shell_command", `{}`, "[Operation Cancelled] Reason: User denied execution.", true, Feedback{Kind: Refused}},
		{"Gemini: in JSON", "replace", `{}`, `{"error":"[Operation Cancelled] Reason: User did not allow tool call"}`, true, Feedback{Kind: Refused}},
		{"Gemini: cancelled by the program", "replace", `{}`, "[Operation Cancelled] Reason: the request timed out", true, Feedback{}},
		{"Gemini: a rejected plan", "exit_plan_mode", `{"plan_path":"p.md"}`, "Plan rejected. User feedback: smaller steps\n\nThe plan is stored at: p.md\nRevise the plan based on the feedback.", false,
			Feedback{Kind: Refused, Words: "smaller steps"}},
		{"Cline: denied", "write_to_file", `{}`, "The user denied this operation.", false, Feedback{Kind: Refused}},
		{"Cline: denied with feedback", "write_to_file", `{}`, "The user denied this operation and provided the following feedback:\n<feedback>\nnot in src/\n</feedback>\n<environment_details>\n" + long + "</environment_details>", false,
			Feedback{Kind: Refused, Words: "not in src/"}},
		{"Cline: behind the tool's name", "write_to_file", `{}`, "[write_to_file for 'a.go'] Result:\nThe user denied this operation.", false, Feedback{Kind: Refused}},
		{"Cline: the newer text", "edit", `{}`, "This tool call was rejected by the user and not executed. NOT a tool or system failure.", true, Feedback{Kind: Refused}},
		{"Roo: denied in JSON", "apply_diff", `{}`, `{"status":"denied","message":"The user denied this operation and provided the following feedback","feedback":"use tabs"}`, false,
			Feedback{Kind: Refused, Words: "use tabs"}},
		{"opencode: rejected", "bash", `{}`, "The user rejected permission to use this specific tool call.", true, Feedback{Kind: Refused}},
		{"opencode: rejected with feedback", "edit", `{}`, "Error: The user rejected permission to use this specific tool call with the following feedback: only the test", true,
			Feedback{Kind: Refused, Words: "only the test"}},
		{"opencode: a rule", "bash", `{}`, "The user has specified a rule which prevents you from using this specific tool call. Here are the rules: []", true,
			Feedback{Kind: Refused, ByRule: true}},
		{"opencode: a dismissed question", "question", `{}`, "The user dismissed this question", true, Feedback{Kind: Refused}},
		{"Copilot: rejected", "bash", `{}`, "The user rejected this tool call. User feedback: do not push", true, Feedback{Kind: Refused, Words: "do not push"}},
		{"Copilot: a plan", "exit_plan_mode", `{"summary":"S"}`, "Plan not approved. User feedback:\n\nadd a readme\n\nPlease update the plan based on this feedback and try again.", false,
			Feedback{Kind: Refused, Words: "add a readme"}},
		{"Cursor: rejected", "run_terminal_cmd", `{}`, `{"rejected":{"command":"make","reason":"later"}}`, false, Feedback{Kind: Refused, Words: "later"}},
		{"goose: declined", "developer__shell", `{}`, "The user has declined to run this tool. DO NOT attempt to call this tool again.", true, Feedback{Kind: Refused}},
		{"Zed: denied", "terminal", `{}`, "Permission to run tool denied by user", true, Feedback{Kind: Refused}},
		{"Crush: denied", "bash", `{}`, "user denied permission", true, Feedback{Kind: Refused}},
		{"Letta: denied", "bash", `{}`, "Error: request to call tool denied. User reason: too risky", true, Feedback{Kind: Refused, Words: "too risky"}},
		{"LangChain: rejected", "send", `{}`, "User rejected the tool call for `send` with reason: wrong address", true, Feedback{Kind: Refused, Words: "wrong address"}},
		{"any host: nothing else", "x", `{}`, "Rejected by user.", true, Feedback{Kind: Refused}},
		// Answers.
		{"Claude Code: two answers", "AskUserQuestion", twoQuestions,
			`User has answered your questions: "Which database?"="SQLite", "Keep the "old" API?"="yes, as "legacy", please". You can now continue with the user's answers in mind.`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which database?", "SQLite"}, {`Keep the "old" API?`, `yes, as "legacy", please`}}}},
		{"Claude Code: notes and a preview", "AskUserQuestion", twoQuestions,
			"Your questions have been answered: \"Which database?\"=\"SQLite\" selected preview:\nCREATE TABLE x user notes: in memory, \"Keep the \"old\" API?\"=\"Yes\". You can now continue with these answers in mind.", false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which database?", "SQLite (in memory)"}, {`Keep the "old" API?`, "Yes"}}}},
		{"Claude Code: notes alone", "AskUserQuestion", twoQuestions,
			`The user answered: "Which database?"=(no option selected) notes: whichever works. Read the answers carefully — they may request changes.`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which database?", "whichever works"}}}},
		{"Claude Code: to be talked about first", "AskUserQuestion", twoQuestions,
			rejected + said + "The user wants to clarify these questions.\n    This means more.\n\n    Questions asked:\n- \"Which database?\"\n  Answer: SQLite\n  User notes: maybe\n- \"Keep the \"old\" API?\"\n  (No answer provided)" + note, true,
			Feedback{Kind: Refused, Pairs: []Pair{{"Which database?", "SQLite\nmaybe"}}}},
		{"opencode: without the arguments", "question", `{}`, `User has answered your questions: "A, or B?"="A", "Sure?"="Unanswered", "When?"="now". You can now continue with the user's answers in mind.`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{Question: "A, or B?", Answer: "A"}, {Question: "When?", Answer: "now"}}}},
		{"Codex: by id", "request_user_input", `{"questions":[{"id":"db","header":"DB","question":"Which database?","options":[{"label":"SQLite","description":"one file"}]},{"id":"no","question":"Else?"}]}`,
			`{"answers":{"db":{"answers":["SQLite","user_note: in memory"]},"no":{"answers":[]}}}`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which database?", "SQLite, in memory"}}}},
		{"Gemini: by number", "ask_user", `{"questions":[{"question":"One?"},{"question":"Two?"}]}`, `{"answers":{"1":"b","0":"a"}}`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{Question: "One?", Answer: "a"}, {Question: "Two?", Answer: "b"}}}},
		{"Gemini: no answer", "ask_user", `{"questions":[{"question":"One?"}]}`, `{"answers":{}}`, false, Feedback{}},
		{"Cline: a follow-up question", "ask_followup_question", `{"question":"Which one?","options":"[\"a\",\"b\"]"}`, "<answer>\nthe second\n</answer>", false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which one?", "the second"}}}},
		{"Roo: suggestions", "ask_followup_question", `{"question":"Which one?","follow_up":[{"text":"a","mode":"code"}]}`, "<user_message>\na\n</user_message>", false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Which one?", "a"}}}},
		{"Copilot: choices", "ask_user", `{"question":"Push?","choices":["yes","no"]}`, "User selected: no", false,
			Feedback{Kind: Answered, Pairs: []Pair{{"Push?", "no"}}}},
		{"Copilot in VS Code: by header", "vscode_askQuestions", `{"questions":[{"header":"DB","question":"Which?"}]}`, `{"answers":{"DB":{"selected":["x"],"freeText":"or y","skipped":false}}}`, false,
			Feedback{Kind: Answered, Pairs: []Pair{{Question: "Which?", Answer: "x, or y"}}}},
		{"a server's question tool", "mcp__ui__ask_user", `{"question":"Push?"}`, "not yet", false,
			Feedback{Kind: Answered, Pairs: []Pair{{Question: "Push?", Answer: "not yet"}}}},
		{"a question that failed", "ask_user", `{"question":"Push?"}`, "no terminal", true, Feedback{}},
		{"Cline: feedback on the result", "attempt_completion", `{}`, "The user has provided feedback on the results. Consider their input.\n<feedback>\nthe login fails\n</feedback>", false,
			Feedback{Kind: Answered, Words: "the login fails"}},
		{"Roo: feedback on a running command", "execute_command", `{}`, "Command is still running in the user's terminal.\nHere's the output so far:\n" + long + "\n\nThe user provided the following feedback:\n<feedback>\nstop it\n</feedback>", false,
			Feedback{Kind: Answered, Words: "stop it"}},
		// Approvals.
		{"Claude Code: an approved plan", "ExitPlanMode", `{"plan":"# Plan\none"}`, "User has approved your plan. You can now start coding.\n\nYour plan has been saved to: p.md\n\n## Approved Plan:\n# Plan\none\n" + long, false,
			Feedback{Kind: Approved, Plan: "# Plan\none\n" + strings.TrimSpace(long)}},
		{"Claude Code: an edited plan", "ExitPlanMode", `{"plan":"# Plan\none"}`, "User has approved your plan. You can now start coding.\n\n## Approved Plan (edited by user):\n# Plan\ntwo", false,
			Feedback{Kind: Approved, Plan: "# Plan\ntwo", Edited: true}},
		{"Claude Code: a plan in the arguments alone", "ExitPlanMode", `{"plan":"# Plan"}`, "User has approved your plan. You can now start coding.", false,
			Feedback{Kind: Approved, Plan: "# Plan"}},
		{"Gemini: an approved plan", "exit_plan_mode", `{}`, "Plan approved. Switching to Default mode.", false, Feedback{Kind: Approved}},
		{"opencode: an approved plan", "plan_exit", `{}`, "User approved switching to build agent. Wait for further instructions.", false, Feedback{Kind: Approved}},
		{"Cline: approved with a comment", "write_to_file", `{}`, "The user approved this operation and provided the following context:\n<feedback>\nshorter next time\n</feedback>\n" + long, false,
			Feedback{Kind: Approved, Words: "shorter next time"}},
		{"a plan in JSON", "submit_plan", `{"plan":"P"}`, `{"approved":false,"feedback":"no"}`, false, Feedback{Kind: Refused, Words: "no"}},
		// Everything else.
		{"an ordinary result", "Bash", `{}`, "ok", false, Feedback{}},
		{"an error that quotes a refusal", "Bash", `{}`, "Exit code 1\n" + rejected + stop, true, Feedback{}},
		{"a file that begins like a refusal", "Read", `{}`, "exec command rejected by user\n" + long, false, Feedback{}},
		{"a missing right", "Bash", `{}`, "bash: /x: Permission denied", true, Feedback{}},
		{"JSON with an unknown status", "fetch", `{}`, `{"status":"denied"}`, false, Feedback{}},
		{"approved by somebody else", "fetch", `{}`, `{"approved":true}`, false, Feedback{}},
		{"empty", "", ``, "", false, Feedback{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Result(c.tool, json.RawMessage(c.args), c.result, c.failed)
			if ok != (c.want.Kind != 0) || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v %+v\nwant %+v", ok, got, c.want)
			}
		})
	}
}

// TestTextsComeBeforeTheirBeginnings: the first text that matches counts.
func TestTextsComeBeforeTheirBeginnings(t *testing.T) {
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			if strings.HasPrefix(b.begins, a.begins) && len(a.also) == 0 {
				t.Errorf("%q never matches: %q comes first", b.begins, a.begins)
			}
		}
	}
}

func FuzzResult(f *testing.F) {
	f.Add("AskUserQuestion", twoQuestions, `User has answered your questions: "Which database?"="x" user notes: y.`, false)
	f.Add("ask_user", `{"questions":"[{\"question\":\"a\"}]"}`, `{"answers":[["a"],{"question":"b","selected":"c"}]}`, false)
	f.Add("question", `{}`, `User answered: "a"="b", "c"="d" notes: e`, false)
	f.Add("Bash", `{}`, rejected+said+"Questions asked\n- \"a\"\n  Answer: b", true)
	f.Add("exit_plan_mode", `{"plan":"p"}`, "User has approved your plan## Approved Plan:\n", false)
	f.Fuzz(func(t *testing.T, name, args, result string, failed bool) {
		got, ok := Result(name, json.RawMessage(args), result, failed)
		if ok != (got.Kind != 0) {
			t.Fatalf("%v with %+v", ok, got)
		}
		if len(got.Pairs) > maxPairs || len(got.Words) > len(result)+2 {
			t.Fatalf("more than there was: %+v", got)
		}
		if _, ok := Result(name, json.RawMessage(args), "output: "+result, true); ok {
			t.Fatalf("%q quotes a decision and became one", result)
		}
	})
}

func BenchmarkResult(b *testing.B) {
	output := strings.Repeat("--- PASS: TestSomething (0.00s)\n", 1000)
	args := json.RawMessage(`{"command":"go test ./..."}`)
	for b.Loop() {
		Result("Bash", args, output, false)
	}
}
