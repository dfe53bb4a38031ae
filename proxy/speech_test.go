package proxy_test

import (
	"fmt"
	"testing"

	"ctxledger.dev/transcript"
)

// speech is how an agent writes requests.
type speech struct {
	host, model string
	format      transcript.Format
	files       bool // the ledger reads its session files
	path        string
	headers     []string
	tools       string // has the definition of ours
	frame       string // of a request: model, tools and messages
	first       string // message
	answer      string // of its provider
	// call writes a call and its result, with reasoning if the agent's provider has it in a message of its own.
	call func(n int, id, tool, args, result string) []string
}

// claude is Claude Code.
var claude = speech{"claude-code", "claude-sonnet-4-5", transcript.Anthropic, true, "/anthropic/v1/messages?beta=true",
	[]string{"User-Agent", "claude-cli/2.1.330", "X-Claude-Code-Session-Id", session},
	`{"name":"mcp__ctxledger__read_artifact","input_schema":{"type":"object"}}`,
	`{"model":%q, "max_tokens":9, "tools":[%s], "messages":[%s], "stream":false}`,
	`{"role":"user","content":"Go."}`, message(10, 90, 5),
	func(n int, id, tool, args, result string) []string {
		return []string{fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"Step %d."},{"type":"tool_use","id":%q,`+
			`"name":%q,"input":%s}]}`, n, id, tool, args),
			fmt.Sprintf(`{ "role":"user","content":[{"type":"tool_result", "tool_use_id":%q,"content":%s,"unknown":1.50}]}`, id,
				quoted(result))}
	}}

// codex is Codex. Its reasoning is an item of its own, in front of what it led to.
var codex = speech{"codex", "gpt-5", transcript.OpenAIResponses, true, "/openai/responses",
	[]string{"User-Agent", "codex_exec/0.169.0", "Session-Id", session},
	`{"type":"function","name":"exec_command"},{"type":"namespace","name":"mcp__ctxledger","tools":[{"type":"function",` +
		`"name":"read_artifact","parameters":{"type":"object"}}]}`,
	`{"model":%q, "tools":[%s], "input":[%s], "store":false, "stream":false}`,
	`{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}`,
	`{"id":"resp_1","object":"response","status":"completed","model":"gpt-5","output":[{"type":"message","role":"assistant",` +
		`"content":[{"type":"output_text","text":"hello"}]}],"usage":{"input_tokens":100,"output_tokens":7,` +
		`"input_tokens_details":{"cached_tokens":90}}}`,
	func(n int, id, tool, args, result string) []string {
		return []string{
			fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"gAAA%d"}`, n, n),
			fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Step %d."}]}`, n),
			fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":%q,"name":%q,"arguments":%s}`, n, id, tool, quoted(args)),
			fmt.Sprintf(`{ "type":"function_call_output","call_id":%q, "output":%s,"unknown":1.50}`, id, quoted(result))}
	}}

// openCode is opencode. Its provider says nothing here: what it said is what the agent sends.
var openCode = speech{"opencode", "gpt-5", transcript.OpenAIChat, false, "/openai/chat/completions",
	[]string{"User-Agent", "opencode/1.18.33", "X-Session-Id", session},
	`{"type":"function","function":{"name":"ctxledger_read_artifact","parameters":{"type":"object"}}}`,
	`{"model":%q, "tools":[%s], "messages":[%s], "stream":false}`,
	`{"role":"user","content":"Go."}`,
	`{"id":"r1","model":"gpt-5","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,` +
		`"prompt_tokens_details":{"cached_tokens":90}}}`,
	func(n int, id, tool, args, result string) []string {
		return []string{fmt.Sprintf(`{"role":"assistant","content":"Step %d.","tool_calls":[{"id":%q,"type":"function","function":`+
			`{"name":%q,"arguments":%s}}]}`, n, id, tool, quoted(args)),
			fmt.Sprintf(`{ "role":"tool","tool_call_id":%q, "content":%s,"unknown":1.50}`, id, quoted(result))}
	}}

// gemini is Gemini CLI, which names no session. Its provider says nothing, as that of opencode.
var gemini = speech{"gemini", "gemini-3-pro", transcript.Gemini, false,
	"/gemini/v1beta/models/gemini-3-pro:generateContent",
	[]string{"User-Agent", "GeminiCLI-tui/0.61.0/gemini-3-pro (linux; x64; terminal)"},
	`{"name":"mcp_ctxledger_read_artifact","parametersJsonSchema":{"type":"object"}}`,
	`{"contents":[%[3]s], "tools":[{"functionDeclarations":[{"name":"glob"},%[2]s]}],"generationConfig":{"topK":64}}`,
	`{"parts":[{"text":"Go."}],"role":"user"}`,
	`{"responseId":"r1","modelVersion":"gemini-3-pro","candidates":[],"usageMetadata":{"promptTokenCount":100,` +
		`"cachedContentTokenCount":90,"candidatesTokenCount":7}}`,
	func(n int, id, tool, args, result string) []string {
		return []string{fmt.Sprintf(`{"parts":[{"text":"Step %d."},{"functionCall":{"id":%q,"args":%s,"name":%q},`+
			`"thoughtSignature":"c2ln%d"}],"role":"model"}`, n, id, args, tool, n),
			fmt.Sprintf(`{ "parts":[{"functionResponse":{"name":%q,"response":{"output":%s},"id":%q},"unknown":1.50}],"role":"user"}`,
				tool, quoted(result), id)}
	}}

// eachAgent runs a test with a conversation of each agent.
func eachAgent(t *testing.T, test func(k *talk)) {
	for _, s := range []speech{claude, codex, openCode, gemini} {
		t.Run(s.host, func(t *testing.T) { test(newTalkOf(t, s)) })
	}
}
