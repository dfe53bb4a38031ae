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
var claude = speech{"claude-code", "claude-sonnet-4-5", transcript.Anthropic, "/anthropic/v1/messages?beta=true",
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
var codex = speech{"codex", "gpt-5", transcript.OpenAIResponses, "/openai/responses",
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

// eachAgent runs a test with a conversation of each agent.
func eachAgent(t *testing.T, test func(k *talk)) {
	for _, s := range []speech{claude, codex} {
		t.Run(s.host, func(t *testing.T) { test(newTalkOf(t, s)) })
	}
}
