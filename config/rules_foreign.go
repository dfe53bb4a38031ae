package config

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/settings"
)

// The keys of other programs, so that a configuration written for them loads unchanged. Most set what a key
// of context sets; the rest are named, so that they are not taken for spelling mistakes.

// foreignRules are sections of fuseraft and Fabric.
func foreignRules() []Rule {
	return slices.Concat([]Rule{
		{Key: "compaction", Kind: Mapping, From: "fuseraft, Fabric",
			Doc:   "the same settings as under `context`, under different names",
			Rules: compactionRules(), into: func(t *target) any { return &t.parts.compaction }},
		{Key: "context_budget", Kind: Mapping, From: "fuseraft",
			Doc: "the same settings as under `context`", Rules: []Rule{
				of("warn_at", "warn_at", "fuseraft"),
				of("cutover_at", "cutover_at", "fuseraft"),
				of("max_single_turn_input_tokens", "max_turn_input_tokens", "fuseraft"),
				of("max_tool_result_tokens", "max_tool_result_tokens", "fuseraft"),
				of("in_turn_tool_window", "in_turn_tool_window", "fuseraft"),
			}, into: func(t *target) any { return &t.parts.contextBudget }},
		{Key: "selection", Kind: Any, From: "fuseraft",
			Doc:  "of a state machine: which agent hands over to which, and the `handoff_context` of the transition",
			into: func(t *target) any { return &t.parts.selection }},
		{Key: "max_total_tokens", Kind: Count, Unit: "tokens", From: "fuseraft", As: "limits.session.tokens",
			Doc:  "the same as `limits` with `session: {tokens: N}`, which overrides it",
			into: func(t *target) any { return &t.config.Limits.Session.Tokens }},
	},
		ignored("fuseraft", "what changes is always recorded; `ctxledger ledger export` writes it to files",
			"change_tracking"),
		ignored("fuseraft", "memories are kept in the ledger; no URL is contacted", "memory"),
		ignored("fuseraft", "the `memory` tool is always available", "enable_memory"),
		ignored("fuseraft", notYet, "evidence_store warn_turn_tokens memory_extraction"),
		ignored("fuseraft", "`ctxledger events` prints them", "events"),
		ignored("fuseraft", other, `schema_version name description system_prompt system_prompt_path validation
			 contracts failure_handling verifier checkpoint skill_curation test_selector brownfield security
			telemetry output api_profiles saga scratchpad chatroom mcp_servers termination`))
}

// wrapper is the key at the top of fuseraft's files, around all others.
const wrapper = "orchestration"

// IsWrapper reports whether a key at the top of a file stands around all others.
func IsWrapper(key string) bool { return fold(key) == wrapper }

// Why keys have no effect.
const (
	other  = "it is about running agents, which ctxledger does not do"
	notYet = "this version has no equivalent"
)

func compactionRules() []Rule {
	return []Rule{
		of("trigger_turn_count", "compact_turns", "fuseraft"),
		keeps("keep_recent_turns", "keep.turns", "fuseraft"),
		mode(),
		of("anti_thrash_min_savings_ratio", "anti_thrash_ratio", "fuseraft"),
		of("anti_thrash_window", "anti_thrash_window", "fuseraft"),
		of("include_reasoning", "reasoning", "fuseraft"),
		{Key: "token_budget", Kind: Count, Unit: "tokens", From: "fuseraft", As: "effective_window",
			Doc:  "the budget of mode `window`; in other modes it has no effect",
			into: func(t *target) any { return &t.parts.tokenBudget }},
		of("enabled", "automatic", "Fabric"),
		of("include_symbol_graph", "symbol_graph", "fuseraft"),
		of("pin_last_routing_signal", "pin_last_routing_signal", "fuseraft"),
		of("include_exploration", "explored", "fuseraft"),
		of("max_chars_per_history_message", "prompt_chars", "fuseraft"),
		keeps("keep_recent_entries", "keep.messages", "Fabric"),
		keeps("keep_recent_tokens", "keep.tokens", "pi"),
		{Key: "generate_summary", Kind: Bool, Default: "true", From: "Fabric", As: "mode",
			Doc:  "false: no model writes, whatever `mode` says",
			into: func(t *target) any { return inverse{&t.policy.Compact.NoModel} }},
		decides("reserve_tokens", "reserve", "Fabric"),
		decides("compact_at_tokens", "effective_window", "Fabric"),
		of("recover_from_overflow", "recover_from_overflow", "Fabric"),
		{Key: "model", Kind: Any, From: "fuseraft", As: "summarizer.model",
			Doc:  "the model that writes, if `summarizer` in the same file names none: its id, or an alias under `Models`",
			into: func(t *target) any { return &t.parts.summaryModel }},
		{Key: "summary_template", Kind: Any, From: "fuseraft", As: "summarizer.template",
			Doc:  "the prompt, if `summarizer` in the same file has none",
			into: func(t *target) any { return &t.parts.summaryTemplate }},
	}
}

// keeps is a setting for what another program keeps. It replaces our own keep settings.
func keeps(key, as, from string) Rule {
	r := of(key, as, from)
	r.first = func(t *target) { t.policy.Keep = settings.Keep{} }
	return r
}

// decides is what another program compacts at, which no share of the window undercuts.
func decides(key, as, from string) Rule {
	r := of(key, as, from)
	r.first = func(t *target) {
		c := &t.policy.Compact
		c.Fraction, c.Effective, c.Idle, c.Gain = 0, 0, 0, 0
	}
	return r
}

// mode is fuseraft's mode, of which ctxledger lacks one. In its place fuseraft has a model write; who asked for evidence
// alone gets what needs none.
func mode() Rule {
	r := of("mode", "mode", "fuseraft")
	r.Missing = map[string]string{string(settings.Lossless): string(settings.Intent)}
	return r
}

// foreignAgentRules are keys of fuseraft's agents.
func foreignAgentRules() []Rule {
	return append(ignored("fuseraft", other, `agent_file instructions description model plugins
		capabilities function_choice trust_score isolation knowledge_weight max_tool_calls_per_turn sub_agent_model
		sub_agent_plugins sub_agent_max_tool_calls produces requires remote_agent`),
		ignored("fuseraft", "the `memory` tool is always available", "enable_memory")...)
}

// foreignModelRules are keys of fuseraft's models, by alias.
func foreignModelRules() []Rule {
	return ignored("fuseraft", other, `model_id endpoint provider api_key_env_var api_key api_keys
		api_key_env_vars max_tokens max_context_tokens max_payload_bytes temperature reasoning_effort fallover_models
		fallover_on`)
}

// of returns the rule of a key of another program that sets what a setting of context does.
func of(key, as, from string) Rule {
	r := *ruleAt(contextRules(), as)
	r.Key, r.As, r.From = key, as, from
	return r
}

// ignored returns the rules of keys that have no effect, separated by spaces.
func ignored(from, why, keys string) (rules []Rule) {
	for key := range strings.FieldsSeq(keys) {
		rules = append(rules, Rule{Key: key, Kind: Any, From: from, Ignored: why})
	}
	return rules
}
