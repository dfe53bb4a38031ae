package config

import "ctxledger.dev/compaction/settings"

// The keys of other programs, so that a configuration written for them loads unchanged. Most set what a key
// of context sets; the rest are named, so that they are not taken for spelling mistakes.

// foreignRules are sections of fuseraft and Fabric.
var foreignRules = []Rule{
	{Key: "compaction", Kind: Mapping, From: "fuseraft, Fabric",
		Doc:   "the same settings as under `context`, by other names",
		Rules: compactionRules, into: func(t *target) any { return &t.parts.compaction }},
	{Key: "context_budget", Kind: Mapping, From: "fuseraft",
		Doc: "the same settings as under `context`", Rules: []Rule{
			of("warn_at", "warn_at", "fuseraft"),
			of("cutover_at", "cutover_at", "fuseraft"),
			of("max_single_turn_input_tokens", "max_turn_input_tokens", "fuseraft"),
			of("max_tool_result_tokens", "max_tool_result_tokens", "fuseraft"),
			of("in_turn_tool_window", "in_turn_tool_window", "fuseraft"),
		}, into: func(t *target) any { return &t.parts.contextBudget }},
	ignored("change_tracking", "fuseraft", "what changes is always recorded; `ctxledger ledger export` writes "+
		"it to files"),
	ignored("memory", "fuseraft", "memories are in the ledger, and no URL is called"),
	ignored("enable_memory", "fuseraft", "the tool `memory` is always there"),
	ignored("evidence_store", "fuseraft", notYet), ignored("events", "fuseraft", "`ctxledger events` prints them"),
	ignored("schema_version", "fuseraft", other), ignored("name", "fuseraft", other),
	ignored("description", "fuseraft", other), ignored("system_prompt", "fuseraft", other),
	ignored("system_prompt_path", "fuseraft", other), ignored("max_total_tokens", "fuseraft", other),
	ignored("warn_turn_tokens", "fuseraft", notYet), ignored("validation", "fuseraft", other),
	ignored("contracts", "fuseraft", other), ignored("failure_handling", "fuseraft", other),
	ignored("verifier", "fuseraft", other), ignored("memory_extraction", "fuseraft", notYet),
	ignored("checkpoint", "fuseraft", other), ignored("skill_curation", "fuseraft", other),
	ignored("test_selector", "fuseraft", other), ignored("brownfield", "fuseraft", other),
	ignored("security", "fuseraft", other), ignored("telemetry", "fuseraft", other), ignored("output", "fuseraft",
		other),
	ignored("api_profiles", "fuseraft", other), ignored("saga", "fuseraft", other), ignored("scratchpad",
		"fuseraft", other),
	ignored("chatroom", "fuseraft", other), ignored("mcp_servers", "fuseraft", other),
	{Key: "selection", Kind: Any, From: "fuseraft",
		Doc:  "of a state machine: which agent hands over to which, and the `handoff_context` of the transition",
		into: func(t *target) any { return &t.parts.selection }},
	ignored("termination", "fuseraft", other),
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

var compactionRules = []Rule{
	of("trigger_turn_count", "compact_turns", "fuseraft"),
	of("keep_recent_turns", "keep.turns", "fuseraft"),
	mode(),
	of("anti_thrash_min_savings_ratio", "anti_thrash_ratio", "fuseraft"),
	of("anti_thrash_window", "anti_thrash_window", "fuseraft"),
	of("include_reasoning", "reasoning", "fuseraft"),
	{Key: "token_budget", Kind: Count, Unit: "tokens", From: "fuseraft", As: "effective_window",
		Doc:  "the budget of mode `window`; in other modes it has no effect",
		into: func(t *target) any { return &t.parts.tokenBudget }},
	ignored("model", "fuseraft", "the model that writes is the one under `summarizer`"),
	ignored("summary_template", "fuseraft", "a prompt of your own goes under `summarizer`: `template`"),
	ignored("max_chars_per_history_message", "fuseraft", "prompts take 8,000 characters per message"),
	ignored("include_symbol_graph", "fuseraft", notYet),
	ignored("include_exploration", "fuseraft", "what was read and searched is always part of the document"),
	ignored("pin_last_routing_signal", "fuseraft", "the newest messages stay as they are"),
	of("enabled", "automatic", "Fabric"),
	of("keep_recent_entries", "keep.messages", "Fabric"),
	of("keep_recent_tokens", "keep.tokens", "pi"),
	of("reserve_tokens", "reserve", "Fabric"),
	compactAt(),
	of("recover_from_overflow", "recover_from_overflow", "Fabric"),
	ignored("generate_summary", "Fabric", "a document is always made; `mode` says whether a model writes"),
}

// compactAt is Fabric's threshold in tokens, which no share of the window undercuts.
func compactAt() Rule {
	r := of("compact_at_tokens", "effective_window", "Fabric")
	r.first = func(t *target) { t.policy.Compact.Fraction, t.policy.Compact.Idle, t.policy.Compact.Gain = 0, 0, 0 }
	return r
}

// mode is fuseraft's mode, of which ctxledger lacks one.
func mode() Rule {
	r := of("mode", "mode", "fuseraft")
	r.Missing = map[string]string{string(settings.Lossless): string(settings.Intent)}
	return r
}

// foreignAgentRules are keys of fuseraft's agents.
var foreignAgentRules = []Rule{
	ignored("agent_file", "fuseraft", other),
	ignored("instructions", "fuseraft", other), ignored("description", "fuseraft", other), ignored("model",
		"fuseraft", other),
	ignored("plugins", "fuseraft", other), ignored("capabilities", "fuseraft", other),
	ignored("function_choice", "fuseraft", other), ignored("trust_score", "fuseraft", other),
	ignored("isolation", "fuseraft", other),
	ignored("knowledge_weight", "fuseraft", other), ignored("max_tool_calls_per_turn", "fuseraft", other),
	ignored("sub_agent_model", "fuseraft", other), ignored("sub_agent_plugins", "fuseraft", other),
	ignored("sub_agent_max_tool_calls", "fuseraft", other), ignored("produces", "fuseraft", other),
	ignored("requires", "fuseraft", other), ignored("remote_agent", "fuseraft", other),
	ignored("enable_memory", "fuseraft", "the tool `memory` is always there"),
}

// of returns the rule of a key of another program that sets what a setting of context does.
func of(key, as, from string) Rule {
	r := *ruleAt(contextRules, as)
	r.Key, r.As, r.From = key, as, from
	return r
}

// ignored returns the rule of a key that has no effect.
func ignored(key, from, why string) Rule { return Rule{Key: key, Kind: Any, From: from, Ignored: why} }
