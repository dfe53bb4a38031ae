package config

import (
	"sync"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// Rules returns the keys of a configuration file, those of other programs after ctxledger's own.
func Rules() []Rule { return topRules() }

// rulesAt returns the keys that the mapping at a path may have. Each call returns the same list, so that a problem of a key is
// reported once.
func rulesAt(path string) []Rule { return ruleAt(topRules(), path).Rules }

var topRules = sync.OnceValue(func() []Rule {
	return append([]Rule{
		{Key: "follow", Kind: Bool, Default: "true",
			Doc: "the daemon follows the session files of coding agents, read-only, and observes the files that " +
				"sessions touch",
			into: func(t *target) any { return &t.parts.follow }},
		{Key: "exports", Kind: Bool, Default: "true",
			Doc:  "the daemon keeps `changes.json` and `intents.json` of the active session up to date",
			into: func(t *target) any { return &t.config.Exports }},
		{Key: "ledger_warn_mb", Kind: Count, Unit: "millions of bytes", Default: "2048",
			Doc:  "above this size on disk, of records and blobs together, `status` and `ledger du` warn; 0: never",
			into: func(t *target) any { return &t.config.LedgerWarnMB }},
		{Key: "reduce", Kind: Bool, Default: "false",
			Doc: "`ctxledger with` and `ctxledger proxy` make requests smaller, as with `--reduce`: see " +
				"[proxy](proxy.md). A workspace's file cannot turn it on",
			into: func(t *target) any { return &t.config.Reduce }},
		{Key: "corrections", Kind: Texts,
			Doc: "prefixes that mark a message as an orchestrator's correction of an agent, such as `\"RETRY \"`. " +
				"Default: those of known orchestrators. Applied when a message is recorded",
			into: func(t *target) any { return &t.config.Corrections }},
		{Key: "hooks", Kind: Mapping, Rules: hookRules(),
			Doc: "what the hooks of coding agents do, see [below](#hooks)"},
		{Key: "index", Kind: Mapping, Rules: indexRules(), Doc: "what is [listed](hooks.md#what-is-listed) for an " +
			"agent when its session begins, to be read when needed. Paths are relative to the workspace"},
		{Key: "graph", Kind: Mapping, Rules: graphRules(),
			Doc: "how [context graphs](graph.md#settings) are read and checked"},
		{Key: "limits", Kind: Mapping, Rules: limitRules(),
			Doc: "how much requests may use before they are stopped, see [below](#limits)"},
		{Key: "summarizer", Kind: Mapping, Rules: summarizerRules(),
			Doc:  "the model that writes summaries in `compact --mode llm` and `hybrid`, see [below](#the-summarizer)",
			into: func(t *target) any { return &t.parts.summarizer }},
		{Key: "models", Kind: Table, Rules: modelRules(),
			Doc:  "additional models, or different figures for known ones, by name, see [below](#models)",
			into: func(t *target) any { return &t.parts.models }},
		{Key: "context", Kind: Mapping, Rules: contextRules(),
			Doc:  "how much of a conversation a model sees, see [below](#context)",
			into: func(t *target) any { return &t.parts.context }},
		{Key: "agents", Kind: List, Rules: agentRules(),
			Doc:  "per-agent overrides, see [below](#single-agents)",
			into: func(t *target) any { return &t.parts.agents }},
	}, foreignRules()...)
})

// indexRules are the keys of index.
func indexRules() []Rule {
	return []Rule{
		{Key: "skills", Kind: Texts, Default: "[]",
			Doc: "directories that contain a directory with a `SKILL.md` for each skill, such as `.agents/skills`; also " +
				"`~/.agents/skills` and `~/.fuseraft/skills`, and no others in your home. If two share a name the " +
				"first counts",
			into: func(t *target) any { return &t.config.Index.Skills }},
		{Key: "references", Kind: Texts, Default: "[]",
			Doc:  "text files, and directories of them: `[docs, schema.sql]`",
			into: func(t *target) any { return &t.config.Index.References }},
		{Key: "memories", Kind: Texts, Default: "[]", Doc: "directories with a `MEMORY.md` that lists notes",
			into: func(t *target) any { return &t.config.Index.Memories }},
	}
}

// parts are the values that are taken when all documents are there.
type parts struct {
	follow, summarizer, models, context, agents yamldoc.Field
	severities                                  yamldoc.Field
	compaction, contextBudget, tokenBudget      yamldoc.Field
	selection, summaryModel, summaryTemplate    yamldoc.Field
}

// summarizerText is a summarizer as it is written.
type summarizerText struct {
	Summarizer
	seconds int
}

func summarizerRules() []Rule {
	return []Rule{
		{Key: "kind", Kind: Word, Values: []string{KindAnthropic, KindOpenAI, KindCommand},
			Doc:  "`anthropic` (Messages), `openai` (chat completions), `command`",
			into: func(t *target) any { return &t.summarizer.Kind }},
		{Key: "url", Kind: Text,
			Doc:  "the server's address; default: the vendor's. `/v1` is added if the address has no path",
			into: func(t *target) any { return &t.summarizer.URL }},
		{Key: "model", Kind: Text,
			Doc: "the model, as the server calls it; its window and output limit are those under [Models](#models), else " +
				"130,000 and 20,000 tokens",
			into: func(t *target) any { return &t.summarizer.Model }},
		{Key: "key_env", Kind: Text,
			Doc: "the environment variable with the key. Without `url`: `" + AnthropicKey + "` or `" + OpenAIKey +
				"`; with one: none",
			into: func(t *target) any { return &t.summarizer.KeyEnv }},
		{Key: "key_command", Kind: Texts,
			Doc:  "a program, with arguments, that prints the key on its first line: `[pass, show, anthropic]`",
			into: func(t *target) any { return &t.summarizer.KeyCommand }},
		{Key: "command", Kind: Texts,
			Doc: "a program with its arguments. No shell is involved; [above](#who-decides) says where it runs " +
				"and with what variables",
			into: func(t *target) any { return &t.summarizer.Command }},
		{Key: "max_output", Kind: Count, Unit: "tokens", Default: "0", Most: maxOutput,
			Doc:  "limit for one answer; 0: the model's known limit; a summary never asks for more than 16,000",
			into: func(t *target) any { return &t.summarizer.Output }},
		{Key: "timeout", Kind: Count, Unit: "seconds", Default: "180", Least: 1, Most: int(maxTimeout.Seconds()),
			Doc:  "for a whole summary, all requests together; then the program and what it started are killed",
			into: func(t *target) any { return &t.summarizer.seconds }},
		{Key: "sections", Kind: Word, Values: settings.PresetNames(), Default: "default",
			Doc: "the headings of the summary; `default`: Completed, Open Questions, Remaining Work, Key Findings. Missing " +
				"ones are requested once more, then added as `None recorded.`",
			into: func(t *target) any { return &t.summarizer.Sections }},
		{Key: "template", Kind: Text,
			Doc: "your own prompt, at most 16 KiB. `{{$task}}`, `{{$turn_count}}`, `{{$change_log}}` and " +
				"`{{$history}}` " +
				"(required) are replaced, in one pass. With it `sections` is `none` unless you set it",
			into: func(t *target) any { return &t.summarizer.Template }},
	}
}

// modelText is a model as it is written.
type modelText struct {
	tokens.Model
	family, encoding, ranks yamldoc.Field
}

func modelRules() []Rule {
	return append([]Rule{
		{Key: "encoding", Kind: Text, Doc: "`o200k_base` or `cl100k_base`: counts are exact",
			into: func(t *target) any { return &t.model.encoding }},
		{Key: "family", Kind: Text,
			Doc: "how tokens are estimated: `claude` (since Opus 4.7), `claude3` (before), `gemini`, `llama3` (3 to " +
				"3.3), `qwen2` (2, 2.5 and 3), `deepseek3` (V3 and R1)",
			into: func(t *target) any { return &t.model.family }},
		{Key: "ranks", Kind: Text,
			Doc:  "no longer has an effect: rank files are not read; tokens of such a model are estimated by its family",
			into: func(t *target) any { return &t.model.ranks }},
		{Key: "window", Kind: Count, Unit: "tokens", Doc: "of context",
			into: func(t *target) any { return &t.model.Window }},
		{Key: "output", Kind: Count, Unit: "tokens", Doc: "limit for one answer",
			into: func(t *target) any { return &t.model.Output }},
		{Key: "price", Kind: Mapping,
			Doc: "US dollars per million tokens, with at most six decimals", Rules: []Rule{
				{Key: "input", Kind: Number, into: func(t *target) any { return &t.model.Price.Input }},
				{Key: "cached_read", Kind: Number, into: func(t *target) any { return &t.model.Price.CachedRead }},
				{Key: "cached_write", Kind: Number, into: func(t *target) any { return &t.model.Price.CachedWrite }},
				{Key: "output", Kind: Number, into: func(t *target) any { return &t.model.Price.Output }},
			}},
	}, foreignModelRules()...)
}

// agentText is an agent as it is written.
type agentText struct {
	name          string
	view, context yamldoc.Field
	knownAs       []string
	skipState     bool
}

func agentRules() []Rule {
	return append([]Rule{
		{Key: "name", Kind: Text,
			Doc: "the agent's; case ignored", into: func(t *target) any { return &t.agent.name }},
		{Key: "context_window", Kind: Mapping, Rules: contextRules(),
			Doc:  "the keys of `context`; omitted ones are as in `context`",
			into: func(t *target) any { return &t.agent.view }},
		{Key: "context", Kind: List, Rules: sourceRules(),
			Doc: "what the agent is [given](given.md) when it starts, instead of the history: sources, in their order. " +
				"At most 20", into: func(t *target) any { return &t.agent.context }},
		{Key: "known_as", Kind: Texts, Default: "[]",
			Doc:  "what hosts call the agent: a type of subagent, `claude-code` for its main conversation",
			into: func(t *target) any { return &t.agent.knownAs }},
		{Key: "skip_execution_state", Kind: Bool, Default: "false",
			Doc: "an agent of a state machine (`selection`) is not given `execution_state` and `investigation_log` unless " +
				"`context` has them", into: func(t *target) any { return &t.agent.skipState }},
		of("max_in_turn_tool_pairs", "max_in_turn_tool_pairs", ""),
		of("max_in_turn_context_tokens", "max_in_turn_context_tokens", ""),
	}, foreignAgentRules()...)
}
