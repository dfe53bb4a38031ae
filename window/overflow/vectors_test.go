package overflow

import (
	"fmt"
	"strings"
	"testing"
)

// vectors are answers and what they are. want is the class, the row, and every number that is not 0; to
// add one, write down what a provider said. q says what is known of the request: a model with a
// window of 200,000 tokens unless given.
var vectors = []struct {
	status int
	body   string
	want   string
	q      Request
}{
	// The prompt does not fit.
	{400, "prompt is too long: 213462 tokens > 200000 maximum",
		"prompt_overflow OV01 actual=213462 limit=200000 over=13462 exact", Request{}},
	{400,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`,
		"prompt_overflow OV01 actual=213462 limit=200000 over=13462 exact at error.message", Request{}},
	{400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 143210 tokens.",
		"prompt_overflow OV05 actual=143210 limit=128000 over=15210 exact", Request{}},
	{400, "This request exceeds the model's maximum context length of 131,072 tokens",
		"prompt_overflow OV05 limit=131072 exact", Request{}},
	{400, `{"error":{"code":"context_length_exceeded","message":"Too big."}}`,
		"prompt_overflow OV04 exact at error.code", Request{}},
	{400, "Range of input length should be [1, 129024]", "prompt_overflow OV21 limit=129024 exact", Request{}},
	{400,
		`{"error":{"code":400,"message":"request (124071 tokens) exceeds the available context size (123904 tokens)"}}`,
		"prompt_overflow OV24 actual=124071 limit=123904 over=167 exact at error.message", Request{}},
	{400, "prompt too long; exceeded max context length by 1234 tokens",
		"prompt_overflow OV26 over=1234 exact", Request{}},
	{422, "`inputs` must have less than 4096 tokens. Given: 5000",
		"prompt_overflow OV31 actual=5000 limit=4095 over=905 exact", Request{}},
	{400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
		"prompt_overflow OV13 actual=40000 limit=32768 over=7232 exact", Request{}},
	{400, "输入内容超长", "prompt_overflow OV20 strong", Request{}},
	{413, "413 status code (no body)", "prompt_overflow OV15 weak", Request{Window: 100_000, Estimate: 80_000}},
	{413, "", "prompt_overflow OV15 weak", Request{Window: 100_000, Estimate: 80_000}},
	{400, "{}", "prompt_overflow OV15 weak", Request{Window: 100_000, Estimate: 80_000}},
	{404, "", "none", Request{Window: 100_000, Estimate: 80_000}},
	{0, "400 (no body)", "prompt_overflow OV15 weak", Request{Window: 100_000, Estimate: 50_000}},
	{400, "too many tokens", "prompt_overflow OV92 weak", Request{}},
	{0, "", "prompt_overflow OV18 exact at finish", Request{}}, // with the finish reason below
	{200, `{"choices":[{"finish_reason":"model_context_window_exceeded"}]}`,
		"prompt_overflow OV18 exact at choices[0].finish_reason", Request{}},
	{404, "Your input exceeds the context window of this model", "prompt_overflow OV06 strong", Request{}},
	{0, "Context budget exceeded: 140,000 tokens are more than 128,000",
		"prompt_overflow PF1 actual=140000 limit=128000 over=12000 exact", Request{}},

	// The output decides.
	{400, "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000",
		"output_budget OB1 actual=195000 limit=200000 output=8192 cap=3000 exact", Request{}},
	{400, "input length and `max_tokens` exceed context limit: 201000 + 8192 > 200000",
		"prompt_overflow OB1 actual=201000 limit=200000 over=1000 output=8192 exact", Request{}},
	{400,
		"This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (5004 in the messages, 4096 in the completion).",
		"output_budget OB4 actual=5004 limit=8192 output=4096 cap=2932 exact", Request{}},
	{400,
		"This model's maximum context length is 8192 tokens. However, you requested 12100 tokens (8204 in the messages, 3896 in the completion).",
		"prompt_overflow OB4 actual=8204 limit=8192 over=12 output=3896 exact", Request{}},
	{400,
		"This endpoint's maximum context length is 128000 tokens. However, you requested about 150000 tokens (140000 of text input, 6000 of tool input, 4000 in the output).",
		"prompt_overflow OB5 actual=146000 limit=128000 over=18000 output=4000 exact", Request{}},
	{400,
		"This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens (110000 of text input, 4000 of tool input, 16000 in the output).",
		"output_budget OB5 actual=114000 limit=128000 output=16000 cap=12720 exact", Request{}},
	{400,
		"This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens and your prompt contains at least 28673 input tokens",
		"output_budget OB3 actual=28673 limit=32768 output=4096 cap=3768 exact", Request{}},
	{400,
		"This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens and your prompt contains at least 32767 input tokens",
		"prompt_overflow OB3 actual=32767 limit=32768 output=4096 exact", Request{}},
	{400,
		"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 1,200 input tokens",
		"output_budget OB2 actual=1200 limit=16384 output=32000 cap=14928 exact", Request{}},
	{422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`",
		"output_budget OB6 actual=4000 limit=4096 output=512 exact", Request{}},
	{422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4100 `inputs` tokens and 512 `max_new_tokens`",
		"prompt_overflow OB6 actual=4100 limit=4096 over=4 output=512 exact", Request{}},

	// As Bedrock said it: https://github.com/vercel/ai/issues/7927, https://github.com/BerriAI/litellm/issues/39627.
	{400, `{"message":"The model returned the following errors: ` +
		"`max_tokens` must be greater than `thinking.budget_tokens`" +
		`. Please consult our documentation at https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking` +
		`#max-tokens-and-context-window-size"}`, "output_budget OB7 strong at message", Request{}},
	{400, `{"error":{"message":"{\"message\":\"` + "`max_tokens` must be greater than `thinking.budget_tokens`." + `\"}"}}`,
		"output_budget OB7 strong at error.message.message", Request{}},

	// Calls and results were parted, in the words of Anthropic: https://github.com/OpenHands/OpenHands/issues/11871,
	// https://github.com/langchain-ai/langchainjs/issues/7573, https://github.com/anthropics/claude-code/issues/13460,
	// https://github.com/tghamm/Anthropic.SDK/issues/184.
	{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.4: ` +
		"`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block " +
		"must have a corresponding `tool_result` block in the next message." + `"}}`,
		"broken_pairs TP1 strong at error.message", Request{}},
	{400, "Did not find 1 `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks " +
		"must begin with a matching number of `tool_result` blocks", "broken_pairs TP1 strong", Request{}},
	{400, "messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block " +
		"must have a corresponding `tool_use` block in the previous message.", "broken_pairs TP2 strong", Request{}},
	{400, "messages.8.content.0: unexpected tool_use_id found in tool_result blocks: toolu_1. Each tool_result block " +
		"must have a corresponding tool_use block in the previous message.", "broken_pairs TP2 strong", Request{}},
	// Bedrock: https://github.com/agno-agi/agno/issues/6698, https://github.com/Just-Curieous/Curie/issues/16.
	{400, "An error occurred (ValidationException) when calling the ConverseStream operation: Expected toolResult blocks at " +
		"messages.2.content for the following Ids: tooluse_1, tooluse_2", "broken_pairs TP3 strong", Request{}},
	{400, `{"message":"The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of ` +
		`previous turn."}`, "broken_pairs TP4 strong at message", Request{}},
	// OpenAI: https://github.com/router-for-me/CLIProxyAPI/issues/2798, https://github.com/miurla/morphic/issues/136,
	// https://github.com/symgraph/GhidrAssist/issues/78, https://github.com/microsoft/vscode/issues/320060; those who speak
	// like it: https://github.com/QwenLM/qwen-code/issues/606, https://github.com/QwenLM/qwen-code/issues/2360 (DashScope),
	// https://github.com/FoundationAgents/OpenManus/issues/744 (DeepSeek).
	{400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
		"The following tool_call_ids did not have response messages: call_1", "broken_pairs TP5 strong", Request{}},
	{400, `400 <400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool ` +
		`messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: ` +
		`message[532].role`, "broken_pairs TP5 strong", Request{}},
	{400, "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
		"broken_pairs TP6 strong", Request{}},
	{400, "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
		"broken_pairs TP6 strong", Request{}},
	{400, `<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message ` +
		`with "tool_calls".`, "broken_pairs TP6 strong", Request{}},
	{400, `{"error":{"message":"No tool output found for function call call_1.","type":"invalid_request_error"}}`,
		"broken_pairs TP7 strong at error.message", Request{}},
	{400, "No tool call found for function call output with call_id call_1.", "broken_pairs TP7 strong", Request{}},
	// Gemini: https://github.com/microsoft/vscode/issues/299295, https://github.com/lobehub/lobehub/issues/7298,
	// https://github.com/google-gemini/gemini-cli/issues/26486.
	{400, `{"error":{"code":400,"message":"Please ensure that the number of function response parts is equal to the ` +
		`number of function call parts of the function call turn.","status":"INVALID_ARGUMENT"}}`,
		"broken_pairs TP8 strong at error.message", Request{}},
	{400, "Please ensure that function response turn comes immediately after a function call turn.",
		"broken_pairs TP8 strong", Request{}},
	{400, "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
		"broken_pairs TP8 strong", Request{}},

	// The body is too large.
	{413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
		"payload_too_large OV02 exact at error.type", Request{}},
	{413, "413 Request Entity Too Large", "payload_too_large OV33 strong", Request{}},
	{0, "Estimated request payload of 40,000,000 bytes is more than 32,000,000",
		"payload_too_large PF2 strong", Request{}},

	// Something else.
	{400, "ThrottlingException: Too many tokens, please wait before trying again.", "none V5", Request{}},
	{400, "Throttling error: Too many tokens", "none V4", Request{}},
	{429, "Rate limit reached for gpt: tokens per minute limit exceeded", "none V1", Request{}},
	{413, "Request too large: tokens per minute limit", "none V3", Request{}},
	{503, "Service unavailable: context window exceeded", "none V4", Request{}},
	{500, "internal error computing maximum context length", "none", Request{}},
	{500, `{"error":{"code":"context_length_exceeded"}}`, "none", Request{}},
	{429, "Request tokens exceed your available quota.", "none V8", Request{}},
	{400, "Invalid 'user': string too long. Expected a string with maximum length 64", "none V7", Request{}},
	{400, `{"error":{"code":"string_above_max_length","message":"prompt is too long"}}`, "none V6", Request{}},
	{401, "invalid x-api-key", "none", Request{}},
	{403, "too many tokens", "none", Request{}},
	{429, `{"error":{"code":"context_length_exceeded"}}`, "none V8", Request{}},
	{307, "prompt is too long", "none", Request{}},
	{400, "400 status code (no body)", "none", Request{Window: 100_000, Estimate: 40_000}},
	{400, "400 status code (no body)", "none", Request{}},
	{200, `{"message":"the prompt is too long, I would say","stop_reason":"end_turn"}`, "none", Request{}},
	{200, "prompt is too long", "none", Request{}},
	{400, "", "none", Request{}}, {400, "null", "none", Request{}}, {400, "42", "none", Request{}},
	{400, "{}", "none", Request{}}, {400, "[", "none", Request{}},

	// Errors inside of other things.
	{400,
		`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 5000 tokens > 4096 maximum\"}}"}}}`,
		"prompt_overflow OV01 actual=5000 limit=4096 over=904 exact at error.metadata.raw.error.message", Request{}},
	{200, `{"error":{"message":"prompt is too long","code":400}}`,
		"prompt_overflow OV01 strong at error.message", Request{}},
	{200, `{"error":{"message":"context window exceeded","code":429}}`, "none V8", Request{}},
	{200,
		"event: message\ndata: {\"delta\":\"Hi\"}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"prompt is too long\"}}\n\ndata: [DONE]\n",
		"prompt_overflow OV01 strong at data.error.message", Request{}},
	{0, `upstream said {"code": 503, "message": "prompt is too long"} twice`, "none", Request{}},
	{0, `upstream said {"status": "413", "message": "too many tokens"}`, "prompt_overflow OV92 weak", Request{}},
	{0,
		`{"name":"AI_RetryError","message":"Failed after 3 attempts.","errors":[{"message":"prompt is too long","statusCode":400},{"message":"overloaded","statusCode":529}]}`,
		"none", Request{}},
	{0,
		`{"name":"AI_RetryError","errors":[{"message":"rate limit"},{"message":"nothing"}],"lastError":{"message":"prompt is too long","statusCode":400}}`,
		"prompt_overflow OV01 strong at lastError.message", Request{}},
	{400, `{"error":{"errors":[{"message":"no"},{"message":"prompt is too long"}]}}`,
		"prompt_overflow OV01 strong at error.errors[1].message", Request{}},
	{400, inside(8), "prompt_overflow OV01 strong at " + strings.Repeat("error.", 7) + "error", Request{}},
	{400, inside(9), "none", Request{}},
	{400, quotedIn(3), "prompt_overflow OV01 strong at message.message.message", Request{}},
	{400, quotedIn(9), "none", Request{}},
}

// inside is a message so many objects deep, quotedIn one that is so many times JSON in a string.
func inside(n int) string {
	return strings.Repeat(`{"error":`, n) + `"prompt is too long"` + strings.Repeat("}", n)
}

func quotedIn(n int) string {
	s := "prompt is too long"
	for range n {
		s = fmt.Sprintf(`{"message":%q}`, s)
	}
	return s
}

func (v Verdict) brief() string {
	out := string(v.Class)
	if v.Pattern != "" {
		out += " " + v.Pattern
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"actual", v.Actual}, {"limit", v.Limit}, {"over", v.OverBy},
		{"output", v.RequestedOutput}, {"cap", v.OutputCap},
	} {
		if n.value != 0 {
			out += fmt.Sprintf(" %s=%d", n.name, n.value)
		}
	}
	if v.Class != None {
		out += " " + string(v.Confidence)
	}
	if v.Path != "" && v.Class != None {
		out += " at " + v.Path
	}
	return out
}

func TestVectors(t *testing.T) {
	for _, c := range vectors {
		r := Response{Status: c.status, Body: []byte(c.body)}
		if c.body == "" && c.status == 0 {
			r.Finish = "model_context_window_exceeded"
		}
		if got := Classify(r, c.q).brief(); got != c.want {
			t.Errorf("%d %.200s\n  is %s\nwant %s", c.status, c.body, got, c.want)
		}
	}
}

// TestEveryRowKnowsItsOwn tests every row against the samples of all: each sample is taken by its own.
func TestEveryRowKnowsItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.id] {
			t.Errorf("two rows are %s", r.id)
		}
		seen[r.id] = true
		if strings.ToLower(r.expr) != strings.NewReplacer("(?P<", "(?p<").Replace(r.expr) {
			t.Errorf("%s: the expression has capital letters and can match nothing", r.id)
		}
		got := Classify(Response{Status: 400, Body: []byte(r.sample)}, Request{Window: 1000, Estimate: 1000})
		if got.Pattern != r.id {
			t.Errorf("%q is %s, want %s", r.sample, got.brief(), r.id)
		}
		if n := strings.Count(r.expr, `(?P<`); n > 0 && got.Actual*got.Limit == 0 {
			t.Errorf("%s reads no numbers: %s", r.id, got.brief())
		}
	}
}

func TestSilentOverflow(t *testing.T) {
	for _, c := range []struct {
		name   string
		finish string
		u      *Usage
		q      Request
		want   string
	}{
		{"above the window", "stop", &Usage{Input: 10_000, CacheRead: 200_000}, Request{Window: 200_000},
			"silent_overflow SO1 actual=210000 limit=200000 over=10000 exact at usage"},
		{"within the window", "stop", &Usage{Input: 200_000}, Request{Window: 200_000}, "none"},
		{"no output", "length", &Usage{Input: 129_800}, Request{Window: 131_072},
			"silent_overflow SO2 actual=129800 limit=131072 exact at usage"},
		{"no output, far from full", "length", &Usage{Input: 100_000}, Request{Window: 131_072}, "none"},
		{"hardly any output", "max_tokens", &Usage{Input: 130_000, Output: 100},
			Request{Window: 131_072, MaxOutput: 8192},
			"silent_overflow SO3 actual=130000 limit=131072 strong at usage"},
		{"little output was asked for", "max_tokens", &Usage{Input: 130_000, Output: 100},
			Request{Window: 131_072, MaxOutput: 100}, "none"},
		{"half is left", "stop", &Usage{Input: 16_386}, Request{Estimate: 50_000, NumCtx: 32_768},
			"silent_overflow SO4 actual=16386 limit=32768 strong at usage"},
		{"a small prompt", "stop", &Usage{Input: 11_800}, Request{Estimate: 12_000, NumCtx: 32_768}, "none"},
		{"less than expected", "stop", &Usage{Input: 30_000}, Request{Estimate: 50_000, NumCtx: 32_768}, "none SO4"},
		{"less than expected, again", "stop", &Usage{Input: 30_000},
			Request{Estimate: 50_000, NumCtx: 32_768, Suspected: true},
			"silent_overflow SO4 actual=30000 limit=32768 strong at usage"},
		{"no usage", "stop", nil, Request{Window: 1000, Estimate: 5000, NumCtx: 1000}, "none"},
		{"no window", "length", &Usage{Input: 1_000_000}, Request{}, "none"},
	} {
		got := Classify(Response{Status: 200, Body: []byte(`{"choices":[{"message":{"content":"hi"}}]}`),
			Finish: c.finish, Usage: c.u}, c.q)
		if got.brief() != c.want || got.Suspect != (c.want == "none SO4") {
			t.Errorf("%s: is %s, want %s", c.name, got.brief(), c.want)
		}
	}
}
