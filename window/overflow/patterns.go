package overflow

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// row is one way in which a provider says that a request is too large.
type row struct {
	id       string
	provider string // whose words they are; "": anybody's
	class    Class
	// expr is an RE2 expression that is matched with the trimmed text in lower case; "." matches a line
	// feed. Named groups are read as numbers: see measure and budget.
	expr     string
	sample   string // a text that this row, and no row before it, matches
	weak     bool   // words that anybody might use
	own      bool   // of a server that runs one model with one context: the limit is its own
	bodyless bool   // an error that says nothing: counts only if we think that the prompt is large
}

const (
	lessThan = "OV31" // the row whose number is one more than what is accepted
	// thinkingBudget is the row of an output that leaves nothing beside the model's thinking.
	thinkingBudget = "OB7"
)

// rows is the table, in the order in which it is tried. OB decide between the prompt and the output by
// their numbers: in (and in2) are tokens of the prompt, out of the output that was asked for, lim is the
// window.
var rows = []row{
	{id: "OB1", provider: "anthropic", class: OutputBudget,
		expr:   `input length and .{0,2}max_tokens.{0,2} exceed context limit: (?P<in>[\d,]+) \+ (?P<out>[\d,]+) > (?P<lim>[\d,]+)`,
		sample: "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000"},
	{id: "OB2", provider: "openai, vllm", class: OutputBudget,
		expr:   `max_(?:completion_)?tokens'?.{0,60}too large: (?P<out>[\d,]+).{0,40}maximum context length is (?P<lim>[\d,]+) tokens.{0,60}your request has (?P<in>[\d,]+) input tokens`,
		sample: "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 1,200 input tokens"},
	{id: "OB3", provider: "vllm", class: OutputBudget, own: true,
		expr:   `maximum context length is (?P<lim>[\d,]+) tokens.{0,40}you requested (?P<out>[\d,]+) output tokens and your prompt contains (?P<least>at least )?(?P<in>[\d,]+) input tokens`,
		sample: "This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens and your prompt contains at least 28673 input tokens"},
	{id: "OB4", provider: "openai", class: OutputBudget,
		expr:   `maximum context length is (?P<lim>[\d,]+) tokens.{0,40}you requested [\d,]+ tokens \((?P<in>[\d,]+) in the messages, (?P<out>[\d,]+) in the completion\)`,
		sample: "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (5004 in the messages, 4096 in the completion)."},
	{id: "OB5", provider: "openrouter", class: OutputBudget,
		expr:   `maximum context length is (?P<lim>[\d,]+) tokens.{0,40}you requested about [\d,]+ tokens \((?P<in>[\d,]+) of text input(?:, (?P<in2>[\d,]+) of tool input)?, (?P<out>[\d,]+) in the output\)`,
		sample: "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens (110000 of text input, 4000 of tool input, 16000 in the output)."},
	{id: "OB6", provider: "tgi", class: OutputBudget, own: true,
		expr:   `max_new_tokens.{0,2} must be <= (?P<lim>[\d,]+)\. given: (?P<in>[\d,]+) .{0,2}inputs.{0,2} tokens and (?P<out>[\d,]+) .{0,2}max_new_tokens`,
		sample: "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`"},

	{id: thinkingBudget, provider: "anthropic, bedrock", class: OutputBudget,
		expr:   `max_tokens.{0,2} must be greater than .{0,2}thinking\.budget_tokens`,
		sample: "The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`."},

	{id: "TP1", provider: "anthropic", class: BrokenPairs,
		expr:   `tool_use.{0,2} ids were found without .{0,2}tool_result.{0,2} blocks|did not find \d+ .{0,2}tool_result.{0,2} block`,
		sample: "messages.108: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_014WRYo8."},
	{id: "TP2", provider: "anthropic", class: BrokenPairs,
		expr:   `unexpected .{0,2}tool_use_id.{0,2} found in .{0,2}tool_result.{0,2} blocks`,
		sample: "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."},
	{id: "TP3", provider: "bedrock", class: BrokenPairs,
		expr:   `expected toolresult blocks at messages`,
		sample: "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_abc"},
	{id: "TP4", provider: "bedrock", class: BrokenPairs,
		expr:   `number of toolresult blocks at messages.{0,40} exceeds the number of tooluse blocks`,
		sample: "The number of toolResult blocks at messages.1.content exceeds the number of toolUse blocks of previous turn."},
	{id: "TP5", provider: "openai", class: BrokenPairs,
		expr:   `tool_calls.{1,2} must be followed by tool messages responding to each`,
		sample: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."},
	{id: "TP6", provider: "openai", class: BrokenPairs,
		expr:   `role .{1,2}tool.{1,2} must be a response to a prece+ding message with .{1,2}tool_calls`,
		sample: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."},
	{id: "TP7", provider: "openai", class: BrokenPairs,
		expr:   `no tool (?:output found for function call|call found for function call output)`,
		sample: "No tool output found for function call call_abc."},
	{id: "TP8", provider: "gemini", class: BrokenPairs,
		expr:   `function response parts is equal to the number of function call parts|ensure that function (?:response|call) turn comes immediately after`,
		sample: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."},

	{id: "OV02", provider: "anthropic", class: PayloadTooLarge,
		expr: `request_too_large|request exceeds the maximum size`, sample: "Request exceeds the maximum size"},
	{id: "OV33", provider: "", class: PayloadTooLarge,
		expr: `request entity too large`, sample: "413 Request Entity Too Large"},
	{id: "PF2", provider: "ctxledger", class: PayloadTooLarge,
		expr: `^` + strings.ToLower(payloadExceeded), sample: payloadExceeded + " of 40,000,000 bytes is more than 32,000,000"},

	{id: "OV01", provider: "anthropic, bedrock", class: PromptOverflow,
		expr: `prompt is too long`, sample: "prompt is too long: 213462 tokens > 200000 maximum"},
	{id: "OV03", provider: "bedrock", class: PromptOverflow,
		expr: `input is too long for requested model`, sample: "ValidationException: Input is too long for requested model."},
	{id: "OV04", provider: "openai, groq, azure", class: PromptOverflow,
		expr: `context[_ ]length[_ ]exceeded`, sample: "context_length_exceeded"},
	{id: "OV05", provider: "openai, azure, openrouter, deepseek, vllm", class: PromptOverflow,
		expr:   `maximum context length (?:is|of) [\d,]+ tokens?`,
		sample: "This model's maximum context length is 128000 tokens. However, your messages resulted in 143210 tokens."},
	{id: "OV06", provider: "openai", class: PromptOverflow,
		expr: `exceeds the context window`, sample: "Your input exceeds the context window of this model"},
	{id: "OV07", provider: "openai", class: PromptOverflow,
		expr: `input tokens exceed the configured limit of [\d,]+ tokens?`, sample: "Input tokens exceed the configured limit of 272000 tokens"},
	{id: "OV08", provider: "gemini, vertex", class: PromptOverflow,
		expr:   `input token count.*exceeds the maximum`,
		sample: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"},
	{id: "OV09", provider: "gemini", class: PromptOverflow,
		expr: `tokens in request more than max tokens allowed`, sample: "Tokens in request more than max tokens allowed"},
	{id: "OV10", provider: "xai", class: PromptOverflow,
		expr:   `maximum prompt length is [\d,]+`,
		sample: "This model's maximum prompt length is 131072 but the request contains 537812 tokens"},
	{id: "OV11", provider: "groq", class: PromptOverflow,
		expr: `reduce the length of the messages`, sample: "Please reduce the length of the messages or completion"},
	{id: "OV12", provider: "together, sglang", class: PromptOverflow,
		expr:   `input \([\d,]+ tokens\) is longer than the model'?s context length`,
		sample: "The input (40000 tokens) is longer than the model's context length (32768 tokens)."},
	{id: "OV13", provider: "mistral", class: PromptOverflow,
		expr:   `too large for model with [\d,]+ maximum context length`,
		sample: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"},
	{id: "OV14", provider: "cerebras", class: PromptOverflow,
		expr: `current length is [\d,]+ while limit is [\d,]+`, sample: "Current length is 9000 while limit is 8192"},
	{id: "OV16", provider: "kimi, moonshot", class: PromptOverflow,
		expr: `exceeded model token limit`, sample: "Your request exceeded model token limit: 131072 (requested: 140000)"},
	{id: "OV17", provider: "minimax", class: PromptOverflow,
		expr: `context window exceeds limit`, sample: "invalid params, context window exceeds limit"},
	{id: "OV18", provider: "zai, glm", class: PromptOverflow,
		expr: `model_context_window_exceeded`, sample: "model_context_window_exceeded"},
	{id: "OV19", provider: "zai, glm", class: PromptOverflow,
		expr: `prompt exceeds max length`, sample: "Prompt exceeds max length"},
	{id: "OV20", provider: "zai, glm", class: PromptOverflow,
		expr: `超长|超过最大长度`, sample: "输入内容超长"},
	{id: "OV21", provider: "qwen, dashscope", class: PromptOverflow,
		expr: `range of input length should be \[`, sample: "Range of input length should be [1, 129024]"},
	{id: "OV22", provider: "qwen, ollama", class: PromptOverflow,
		expr: `input length.{0,80}exceeds`, sample: "requested input length 40000 exceeds the maximum"},
	{id: "OV23", provider: "github copilot", class: PromptOverflow,
		expr:   `prompt token count of [\d,]+ exceeds the limit of [\d,]+`,
		sample: "prompt token count of 140000 exceeds the limit of 128000"},
	{id: "OV24", provider: "llama.cpp", class: PromptOverflow, own: true,
		expr:   `exceeds the available context size|exceed_context_size_error`,
		sample: "request (124071 tokens) exceeds the available context size (123904 tokens)"},
	{id: "OV25", provider: "lm studio", class: PromptOverflow, own: true,
		expr:   `greater than the context length`,
		sample: "The number of tokens to keep from the initial prompt is greater than the context length"},
	{id: "OV26", provider: "ollama", class: PromptOverflow, own: true,
		expr: `prompt too long; exceeded (?:max )?context length`, sample: "prompt too long; exceeded max context length by 1234 tokens"},
	{id: "OV27", provider: "vllm", class: PromptOverflow, own: true,
		expr:   `decoder prompt \(length [\d,]+\) is longer than the maximum model length`,
		sample: "The decoder prompt (length 40000) is longer than the maximum model length of 32768."},
	{id: "OV28", provider: "vllm", class: PromptOverflow, own: true,
		expr:   `prompt \(total length [\d,]+\) is too long to fit into the model`,
		sample: "The prompt (total length 40000) is too long to fit into the model (context length 32768)"},
	{id: "OV29", provider: "vllm", class: PromptOverflow, own: true,
		expr: `context length is only [\d,]+ tokens`, sample: "the model's context length is only 4096 tokens"},
	{id: "OV30", provider: "vllm", class: PromptOverflow, own: true,
		expr:   `input prompt \([\d,]+ tokens\) is too long and exceeds limit of [\d,]+`,
		sample: "Input prompt (40000 tokens) is too long and exceeds limit of 32768"},
	{id: "OV31", provider: "tgi", class: PromptOverflow, own: true,
		expr: `inputs.{0,2} must have less than [\d,]+ tokens`, sample: "`inputs` must have less than 4096 tokens. Given: 5000"},
	{id: "PF1", provider: "ctxledger", class: PromptOverflow,
		expr: `^` + strings.ToLower(contextExceeded), sample: contextExceeded + ": 140,000 tokens are more than 128,000"},

	{id: "OV15", provider: "cerebras", class: PromptOverflow, weak: true, bodyless: true,
		expr: `^4(?:00|13)\s*(?:status code)?\s*\(no body\)`, sample: "400 status code (no body)"},
	{id: "OV90", class: PromptOverflow, weak: true, expr: `context window exceeded`, sample: "context window exceeded"},
	{id: "OV91", class: PromptOverflow, weak: true, expr: `token limit exceeded`, sample: "token limit exceeded"},
	{id: "OV92", class: PromptOverflow, weak: true, expr: `too many tokens`, sample: "too many tokens"},
}

// vetoes are texts of other failures. They win over every row.
var vetoes = []struct{ id, expr string }{
	{"V1", `rate[\s_-]?limit`},
	{"V2", `too many requests`},
	{"V3", `per[\s_-]?minute`},
	{"V4", `^(?:throttling error|service unavailable):`},
	{"V5", `throttlingexception`},
	{"V6", `string_above_max_length`},
	{"V7", `invalid '[^']+':? string too long`},
}

// extract finds numbers: act is the size of the prompt, lim what would have been accepted, over the
// difference.
var extract = []string{
	`(?P<act>[\d,]+) tokens > (?P<lim>[\d,]+) maximum`,
	`maximum context length (?:is|of) (?P<lim>[\d,]+) tokens?`,
	`messages resulted in (?P<act>[\d,]+) tokens`,
	`configured limit of (?P<lim>[\d,]+) tokens?`,
	`input token count \((?P<act>[\d,]+)\) exceeds the maximum number of tokens allowed \((?P<lim>[\d,]+)\)`,
	`maximum prompt length is (?P<lim>[\d,]+) but the request contains (?P<act>[\d,]+) tokens`,
	`input \((?P<act>[\d,]+) tokens\) is longer than the model'?s context length \((?P<lim>[\d,]+) tokens\)`,
	`prompt contains (?P<act>[\d,]+) tokens`,
	`model with (?P<lim>[\d,]+) maximum context length`,
	`current length is (?P<act>[\d,]+) while limit is (?P<lim>[\d,]+)`,
	`model token limit: (?P<lim>[\d,]+) \(requested: (?P<act>[\d,]+)\)`,
	`range of input length should be \[\s*\d+\s*,\s*(?P<lim>[\d,]*\d)\s*\]`,
	`prompt token count of (?P<act>[\d,]+) exceeds the limit of (?P<lim>[\d,]+)`,
	`request \((?P<act>[\d,]+) tokens\) exceeds the available context size \((?P<lim>[\d,]+) tokens\)`,
	`decoder prompt \(length (?P<act>[\d,]+)\) is longer than the maximum model length of (?P<lim>[\d,]*\d)`,
	`prompt \(total length (?P<act>[\d,]+)\) is too long to fit into the model \(context length (?P<lim>[\d,]+)\)`,
	`context length is only (?P<lim>[\d,]+) tokens`,
	`input prompt \((?P<act>[\d,]+) tokens\) is too long and exceeds limit of (?P<lim>[\d,]+)`,
	`must have less than (?P<lim>[\d,]+) tokens\. given: (?P<act>[\d,]+)`,
	`exceeded (?:max )?context length by (?P<over>[\d,]+) tokens?`,
	strings.ToLower(contextExceeded) + `: (?P<act>[\d,]+) tokens are more than (?P<lim>[\d,]+)`,
}

// expressions are the tables, compiled.
type expressions struct {
	rows, vetoes, extract []*regexp.Regexp
	status                *regexp.Regexp // of a text that is not JSON but quotes some
}

// compiled compiles the tables when the first error comes: most processes see none.
var compiled = sync.OnceValue(func() (x expressions) {
	for _, r := range rows {
		x.rows = append(x.rows, regexp.MustCompile(`(?s)`+r.expr))
	}
	for _, v := range vetoes {
		x.vetoes = append(x.vetoes, regexp.MustCompile(v.expr))
	}
	for _, e := range extract {
		x.extract = append(x.extract, regexp.MustCompile(e))
	}
	x.status = regexp.MustCompile(`"(?:code|status)"\s*:\s*"?(\d{3})"?`)
	return x
})

// Bounds of numbers that are believed, in tokens.
const (
	maxTokens = 100_000_000
	minLimit  = 256
)

// numbers returns the named groups of a match as numbers. A group that is not a number counts as 1, one
// that cannot be right as 0.
func numbers(re *regexp.Regexp, groups []string) map[string]int {
	n := map[string]int{}
	for i, name := range re.SubexpNames() {
		if name == "" || groups[i] == "" {
			continue
		}
		v, err := strconv.Atoi(strings.ReplaceAll(groups[i], ",", ""))
		switch {
		case name == "least":
			v = 1
		case err != nil || v > maxTokens || name == "lim" && v < minLimit:
			v = 0
		}
		n[name] = v
	}
	return n
}
