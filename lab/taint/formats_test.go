package taint

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/transcript"
)

// turns are what a canary is handed in as, in every format: each message that can hold words, with the words in each of
// its fields. See fill for the words in capitals. A new format gets its row here.
var turns = map[transcript.Format][]string{
	transcript.Anthropic: {
		`{"role":"user","content":"TEXT"}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"TEXT","signature":"x"},{"type":"text",` +
			`"text":"I keep TEXT as it is."},` +
			`{"type":"tool_use","id":"ID","name":"Bash","input":{"command":"echo 'TEXT' > a.txt",` +
			`"description":"TEXT"}},{"type":"tool_use","id":"ID-2","name":"NAME","input":{"NAME":"TEXT"}},` +
			`{"type":"tool_use","id":"ID-3","name":"Write","input":{"file_path":"src/NAME.txt","content":"TEXT"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"TEXT","is_error":true},` +
			`{"type":"tool_result","tool_use_id":"ID-2","content":[{"type":"text","text":"TEXT"}]},` +
			`{"type":"tool_result","tool_use_id":"ID-3","content":"ok"},{"type":"text",` +
			`"text":"<system-reminder>TEXT</system-reminder>"},{"type":"document","title":"TEXT",` +
			`"source":{"type":"text","media_type":"text/plain","data":"TEXT"}}]}`,
		`{"role":"assistant","content":"It is TEXT."}`,
	},
	transcript.OpenAIChat: {
		`{"role":"system","content":"TEXT","name":"NAME"}`,
		`{"role":"user","content":[{"type":"text","text":"TEXT"}],"name":"NAME"}`,
		`{"role":"assistant","name":"NAME","reasoning_content":"TEXT","content":"I keep TEXT",` +
			`"tool_calls":[{"id":"ID","type":"function","function":{"name":"Bash",` +
			`"arguments":"{\"command\":\"echo 'TWICE'\"}"}},` +
			`{"id":"ID-2","type":"function","function":{"name":"NAME","arguments":"{\"NAME\":\"TWICE\"}"}},` +
			`{"id":"ID-3","type":"custom","custom":{"name":"patch","input":"TEXT"}}]}`,
		`{"role":"tool","tool_call_id":"ID","content":"TEXT"}`,
		`{"role":"tool","tool_call_id":"ID-2","content":[{"type":"text","text":"TEXT"}]}`,
		`{"role":"tool","tool_call_id":"ID-3","content":"TEXT"}`,
		`{"role":"assistant","content":null,"refusal":"TEXT"}`,
	},
	transcript.OpenAIResponses: {
		`{"type":"message","role":"developer","content":[{"type":"input_text","text":"TEXT"}]}`,
		`{"role":"user","content":"TEXT"}`,
		`{"type":"reasoning","id":"rs_ID","summary":[{"type":"summary_text","text":"TEXT"}],"encrypted_content":"xx"}`,
		`{"type":"function_call","call_id":"ID","name":"exec_command","arguments":"{\"cmd\":\"echo 'TWICE'\"}"}`,
		`{"type":"function_call","call_id":"ID-2","name":"NAME","arguments":"{\"NAME\":\"TWICE\"}"}`,
		`{"type":"custom_tool_call","call_id":"ID-3","name":"apply_patch","input":"TEXT"}`,
		`{"type":"local_shell_call","call_id":"ID-4","action":{"type":"exec","command":["echo","TEXT"]}}`,
		`{"type":"function_call_output","call_id":"ID","output":"TEXT"}`,
		`{"type":"function_call_output","call_id":"ID-2","output":[{"type":"input_text","text":"TEXT"}]}`,
		`{"type":"custom_tool_call_output","call_id":"ID-3","output":"TEXT"}`,
		`{"type":"local_shell_call_output","call_id":"ID-4","output":"TEXT"}`,
		`{"type":"mcp_call","id":"m-ID","server_label":"NAME","name":"NAME","arguments":"{\"q\":\"TWICE\"}",` +
			`"output":"TEXT"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It is TEXT.",` +
			`"annotations":[]},{"type":"refusal","refusal":"TEXT"}]}`,
	},
	transcript.Gemini: {
		`{"role":"user","parts":[{"text":"TEXT"}]}`,
		`{"role":"model","parts":[{"text":"TEXT","thought":true},{"text":"I keep TEXT"},` +
			`{"functionCall":{"name":"run_shell_command","args":{"command":"echo 'TEXT'","description":"TEXT"}}},` +
			`{"functionCall":{"name":"NAME","args":{"NAME":"TEXT"}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"TEXT",` +
			`"error":"TEXT"}}},{"functionResponse":{"name":"NAME","response":{"NAME":"TEXT"}}}]}`,
		`{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print('TEXT')"}},` +
			`{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"TEXT"}},{"text":"It is TEXT."}]}`,
	},
}

// endings are the last turn of a conversation, which stays.
var endings = map[transcript.Format]string{
	transcript.Anthropic:       `{"role":"user","content":"What is left of TEXT?"}`,
	transcript.OpenAIChat:      `{"role":"user","content":"What is left of TEXT?"}`,
	transcript.OpenAIResponses: `{"role":"user","content":"What is left of TEXT?"}`,
	transcript.Gemini:          `{"role":"user","parts":[{"text":"What is left of TEXT?"}]}`,
}

// handedIn returns the messages of a conversation in a format, with some canaries in every field.
func handedIn(t *testing.T, format transcript.Format, list []canary) string {
	t.Helper()
	if len(turns[format]) == 0 || endings[format] == "" {
		t.Fatalf("nothing is handed in as %s: give the format its row", format)
	}
	var messages []string
	for i, c := range list {
		for _, form := range turns[format] {
			messages = append(messages, fill(form, c, i))
		}
	}
	return "[" + strings.Join(append(messages, fill(endings[format], list[len(list)-1], 0)), ",\n") + "]"
}

// request is a file with a conversation, as a provider gets it: with the system prompt and the tools next to the
// messages.
func request(format transcript.Format, messages string, c canary) string {
	member := map[transcript.Format]string{transcript.OpenAIResponses: "input", transcript.Gemini: "contents"}[format]
	if member == "" {
		member = "messages"
	}
	return fill(`{"model":"NAME","system":"TEXT","instructions":"TEXT",`+
		`"systemInstruction":{"parts":[{"text":"TEXT"}]},"tools":[{"name":"NAME","description":"TEXT"}],`, c, 0) +
		fmt.Sprintf("%q:%s}", member, messages)
}

var (
	sessionSaid = regexp.MustCompile(`of session ([0-9a-f]{8})`)
	summarySaid = regexp.MustCompile(`summary ([0-9a-f]{12})`)
)

// handIn compacts conversations from files, of every format, and returns what they became. The canaries are
// shared among the formats.
func (p *place) handIn(s *search, list []canary) (all []compacted) {
	p.t.Helper()
	formats := transcript.Formats()
	for n, format := range formats {
		var mine []canary
		for i := n; i < len(list); i += len(formats) {
			mine = append(mine, list[i])
		}
		file := p.write(string(format)+".json", request(format, handedIn(p.t, format, mine), mine[0]))
		all = append(all, p.compact(s, "--format", string(format), file))
	}
	return all
}

// compacted is a session with a summary in effect, and what was said of that.
type compacted struct{ session, summary, said string }

// compact compacts a session, or what a file holds.
func (p *place) compact(s *search, args ...string) compacted {
	p.t.Helper()
	out, errs := p.must(append([]string{"compact", "--keep", "1"}, args...)...)
	s.look(CLI, "compact", args[0], out)
	s.look(CLI, "standard error", "of compact", errs)
	session, summary := sessionSaid.FindStringSubmatch(errs), summarySaid.FindStringSubmatch(errs)
	if session == nil || summary == nil {
		p.t.Fatalf("compact %.200q: nothing was compacted: %s", args, errs)
	}
	return compacted{session[1], summary[1], errs}
}
