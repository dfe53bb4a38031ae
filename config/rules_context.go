package config

import (
	"sync"

	"ctxledger.dev/compaction/settings"
)

// contextRules are the keys of context, and of the context_window of an agent.
var contextRules = sync.OnceValue(func() []Rule {
	return []Rule{
		{Key: "threshold", Kind: Share, Default: "0.40",
			Doc: "fraction of the window above which a compaction is due. Set alone, it turns off `effective_window`, `idle` and " +
				"`gain`: `0.85` compacts at 85% of any window, which [costs " +
				"more](benchmarks.md#what-policies-cost-in-replay)",
			Theirs: "0.85 (deepagents, LangChain)",
			Differs: "the cost of a request grows with its size: in replays, 0.85 costs 93% of what sessions cost " +
				"under their hosts, the default 75% ([benchmarks](benchmarks.md#what-policies-cost-in-replay))",
			first: func(t *target) { // who sets one does not want it undercut
				t.policy.Compact.Effective, t.policy.Compact.Idle, t.policy.Compact.Gain = 0, 0, 0
			},
			into: func(t *target) any { return &t.policy.Compact.Fraction }},
		{Key: "reserve", Kind: Count, Unit: "tokens", Default: "20000",
			Doc:     "kept free for an answer; a third of a window of less than 40,000",
			Theirs:  "4096 (Fabric), 16384 (pi)",
			Differs: "today's models give longer answers; as in Flue",
			into:    func(t *target) any { return &t.policy.Compact.Reserve }},
		{Key: "effective_window", Kind: Count, Unit: "tokens", Default: "80000",
			Doc:     "an upper bound for large windows",
			Theirs:  "none",
			Differs: "as for `threshold`",
			into:    func(t *target) any { return &t.policy.Compact.Effective }},
		{Key: "max_context_tokens", Kind: Count, Unit: "tokens", Default: "0",
			Doc: "limit for a whole request, by our count: a larger view is sent as a [trimmed " +
				"copy](#what-is-never-sent)",
			into: func(t *target) any { return &t.policy.Compact.MaxContext }},
		{Key: "max_payload_bytes", Kind: Count, Unit: "bytes", Default: "0",
			Doc:  "the same for the body of a request: the messages as sent, plus 2,048",
			into: func(t *target) any { return &t.policy.Compact.MaxPayload }},
		{Key: "idle", Kind: Share, Default: "0.5",
			Doc:  "fraction of the threshold that applies after a pause in which the provider's cache has probably expired",
			into: func(t *target) any { return &t.policy.Compact.Idle }},
		{Key: "gain", Kind: Share, Default: "0.5",
			Doc: "minimum fraction of the threshold that a compaction must be able to cut: it cannot cut the system " +
				"prompt, the tools or the newest answer with its results",
			into: func(t *target) any { return &t.policy.Compact.Gain }},
		{Key: "compact_turns", Kind: Count, Unit: "turns", Default: "50",
			Doc:  "number of turns in the view at which a compaction is due",
			into: func(t *target) any { return &t.policy.Compact.Turns }},
		{Key: "automatic", Kind: Bool, Default: "true",
			Doc:  "false: compaction is never automatic, except after an overflow",
			into: func(t *target) any { return inverse{&t.policy.Compact.Off} }},
		{Key: "mode", Kind: Word, Values: settings.ModeNames(false), Default: string(settings.Intent), Code: "CFG302",
			Doc: "mode of a compaction that is due. Without a summarizer, and after an overflow, `intent` " +
				"replaces modes that use a model",
			Theirs: "`llm` (fuseraft)",
			Differs: "no model is called before somebody has configured one; a document made from the record costs " +
				"nothing, and every word of it can be traced",
			into: func(t *target) any { return &t.policy.Compact.Mode }},
		{Key: "reasoning", Kind: Bool, Default: "false",
			Doc: "a compaction's document ends with excerpts of the model's reasoning in the newest turns, up to 2,000 " +
				"characters each",
			Theirs: "`true` (fuseraft's documentation; its program: `false`)",
			Differs: "measured: with excerpts a replay costs 75.4% instead of 75.2%, and a document of the same " +
				"length names fewer of the identifiers (65% instead of 67%) and changed files (98% instead of " +
				"99%) that are needed later; some models mistake thoughts in a user's message for the user's own",
			into: func(t *target) any { return &t.policy.Compact.Reasoning }},
		{Key: "explored", Kind: Bool, Default: "true",
			Doc:  "a compaction's document lists the files that were read but not changed",
			into: func(t *target) any { return inverse{&t.policy.Compact.NoReads} }},
		{Key: "symbol_graph", Kind: Bool, Default: "false",
			Doc: "a compaction's document lists what written files define, and what they use of each other, by the " +
				"recorded edits: at most 200 lines",
			Theirs: "`true` (fuseraft)",
			Differs: "the list of changed files names what each edit declared; the graph takes room in a document to " +
				"say it again by file",
			into: func(t *target) any { return &t.policy.Compact.Symbols }},
		{Key: "pin_last_routing_signal", Kind: Bool, Default: "true",
			Doc:  "a compacted view ends with the keyword of the last `handoff` call, if the messages that stay lack it",
			into: func(t *target) any { return inverse{&t.policy.Compact.NoRouting} }},
		{Key: "prompt_chars", Kind: Count, Unit: "characters", Default: "8000",
			Doc:  "limit for a message in the prompt of a summarizer; 0: none",
			into: func(t *target) any { return &t.policy.Compact.PromptChars }},
		{Key: "recover_from_overflow", Kind: Bool, Default: "true",
			Doc:  "false: a provider's refusal is classified and its limit learned, but no recovery is tried",
			into: func(t *target) any { return inverse{&t.policy.Compact.NoRecovery} }},
		{Key: "max_turn_input_tokens", Kind: Count, Unit: "tokens", Default: "0",
			Doc:  "input of one turn above which a compaction is due",
			into: func(t *target) any { return &t.policy.Compact.SingleTurn }},
		{Key: "warn_at", Kind: Count, Unit: "tokens", Default: "0",
			Doc: "input of an agent since the last compaction, not counting what its provider read from a cache (see " +
				"`count_cached`; estimated where nothing is measured), at which it is warned, once. Agents are counted " +
				"separately; one without messages in a view (a subagent) only causes a warning",
			into: func(t *target) any { return &t.policy.Compact.WarnAt }},
		{Key: "cutover_at", Kind: Count, Unit: "tokens", Default: "0",
			Doc:  "the same, at which a compaction is due",
			into: func(t *target) any { return &t.policy.Compact.CutoverAt }},
		{Key: "count_cached", Kind: Bool, Default: "false",
			Doc:    "`warn_at` and `cutover_at` count all input of every request, including what a provider read from its cache",
			Theirs: "`true` (fuseraft)",
			Differs: "the requests of coding agents repeat the whole conversation: counted that way, a limit says how many requests " +
				"there were, not how much was said",
			into: func(t *target) any { return &t.policy.Compact.CountCached }},
		{Key: "anti_thrash_window", Kind: Count, Default: "3",
			Doc: "after this many compactions that each saved less than `anti_thrash_ratio` (a failed one saved " +
				"nothing), no automatic compaction follows until the view has grown by a tenth of the window or 8,000 " +
				"tokens, the model changes, or a person compacts",
			Theirs:  "10 (fuseraft)",
			Differs: "each futile compaction rewrites the provider's cache: three are enough to tell",
			into:    func(t *target) any { return &t.policy.Compact.ThrashWindow }},
		{Key: "anti_thrash_ratio", Kind: Share, Default: "0.10", Code: "CFG307",
			Doc:  "minimum fraction that a useful compaction saves",
			into: func(t *target) any { return &t.policy.Compact.ThrashRatio }},
		{Key: "keep", Kind: Mapping, Rules: keepRules(),
			Doc: "what a compaction leaves as it is: the newest messages, as many as fit both bounds, and always the " +
				"newest call with its result"},
		{Key: "clear", Kind: Mapping, Rules: clearRules(),
			Doc: "the step before a compaction: old results are replaced by a line each"},
		{Key: "arguments", Kind: Mapping, Rules: argumentRules(),
			Doc: "long texts in the arguments of calls that write are truncated"},
		{Key: "max_tool_result_chars", Kind: Count, Unit: "characters", Default: "0", Doc: "limit for a result",
			into: func(t *target) any { return &t.policy.ResultChars }},
		{Key: "tool_result_char_overrides", Kind: Counts, Unit: "characters",
			Doc: "the same for individual tools' results; 0: no bound. A name stands for what a tool does: `grep_file` " +
				"also matches Claude Code's `Grep`, but a tool's own name takes precedence",
			into: func(t *target) any { return &t.policy.ResultCharsOf }},
		{Key: "max_user_chars", Kind: Count, Unit: "characters", Default: "200000",
			Doc:   "limit for a user's message: of a larger one the view shows the head, the tail and a handle",
			first: func(t *target) { t.policy.UserSet = true },
			into:  func(t *target) any { return &t.policy.UserChars }},
		{Key: "max_replay_chars", Kind: Count, Unit: "characters", Default: "2000",
			Doc:   "limit for the text of an earlier answer",
			first: func(t *target) { t.policy.ReplaySet = true },
			into:  func(t *target) any { return &t.policy.ReplayChars }},
		{Key: "batch_chars", Kind: Count, Unit: "characters", Default: "65536",
			Doc: "superseded writes, repeated calls, commands and lines of files (and old text) are rewritten " +
				"once they add up to this",
			first: func(t *target) { t.policy.BatchSet = true },
			into:  func(t *target) any { return &t.policy.BatchChars }},
		{Key: "read_only_tools", Kind: Texts, Default: "[]",
			Doc: "additional tools whose calls change nothing: of two such calls with the same arguments the " +
				"older one is dropped",
			into: func(t *target) any { return &t.policy.ReadOnly }},
		{Key: "old_words", Kind: Bool, Default: "false",
			Doc:  "shorten the text of answers that make calls, and long texts in their arguments",
			into: func(t *target) any { return &t.policy.OldWords }},
		{Key: "max_in_turn_tool_pairs", Kind: Count, Default: "0",
			Doc: "limit on answers with calls whose results are in the view. When there are more, the oldest results are " +
				"replaced by a line each, a quarter of the maximum at once unless `exact` is set",
			into: func(t *target) any { return &t.policy.ToolPairs }},
		{Key: "max_in_turn_context_tokens", Kind: Count, Unit: "tokens", Default: "0",
			Doc:  "limit for all results and notes together: the oldest are replaced by a line, then the rest are cut",
			into: func(t *target) any { return &t.policy.InTurnTokens }},
		{Key: "max_tool_result_tokens", Kind: Count, Unit: "tokens", Default: "0",
			Doc: "limit for all results together: above it the oldest are *evicted*, see [below](#eviction), " +
				"except the newest `in_turn_tool_window` results, unless these alone exceed it",
			into: func(t *target) any { return &t.policy.Evict.MaxTokens }},
		{Key: "in_turn_tool_window", Kind: Count, Default: "20",
			Doc:  "number of newest results that are not evicted",
			into: func(t *target) any { return &t.policy.Evict.Window }},
		{Key: "text_only", Kind: Bool, Default: "false",
			Doc:  "no calls, results or reasoning: only users' messages and the text of answers",
			into: func(t *target) any { return &t.policy.TextOnly }},
		{Key: "exclude_agents", Kind: Texts, Default: "[]",
			Doc:  "drops messages from these authors, and all results",
			into: func(t *target) any { return &t.policy.ExcludeAgents }},
		{Key: "max_turn_age", Kind: Count, Unit: "turns", Default: "0",
			Doc:  "the newest ones to keep. A turn begins with a request, or when another agent takes over",
			into: func(t *target) any { return &t.policy.Turns }},
		{Key: "max_tail_messages", Kind: Count, Unit: "messages", Default: "0",
			Doc: "the newest ones to keep, in addition to the first request, a host's newest summary, the twenty " +
				"newest corrections, and leading system messages",
			into: func(t *target) any { return &t.policy.Messages }},
		{Key: "context_cap_fraction", Kind: Share, Default: "0", Code: "CFG201",
			Doc:  "above this fraction of `max_tail_messages` it warns every ten turns",
			into: func(t *target) any { return &t.policy.CapFraction }},
		{Key: "exact", Kind: Bool, Default: "false",
			Doc: "`max_turn_age`, `max_tail_messages` and `max_in_turn_tool_pairs` move with each message, not in steps of a " +
				"quarter. Between steps the provider's cache stays valid",
			into: func(t *target) any { return &t.policy.Exact }},
	}
})

func keepRules() []Rule {
	return []Rule{
		{Key: "turns", Kind: Count, Unit: "turns", Default: "10",
			Doc:  "the newest ones; one may be split. 0: no such bound",
			into: func(t *target) any { return &t.policy.Keep.Turns }},
		{Key: "tokens", Kind: Count, Unit: "tokens", Default: "6000",
			Doc:    "at most half of a small window. 0: no such bound",
			Theirs: "20000 (pi), 8000 (Flue), 10% of the window (deepagents)",
			Differs: "what is kept is written to the provider's cache again: in replays, 20,000 cost about 11 points " +
				"more than 8,000",
			into: func(t *target) any { return &t.policy.Keep.Tokens }},
		{Key: "messages", Kind: Count, Unit: "messages", Default: "0",
			Doc:     "at least this many, whatever the bounds",
			Theirs:  "20 (Fabric)",
			Differs: "messages vary a lot in size: turns and tokens bound what is kept",
			into:    func(t *target) any { return &t.policy.Keep.Messages }},
	}
}

func clearRules() []Rule {
	return []Rule{
		{Key: "trigger", Kind: Share, Default: "0.6",
			Doc: "fraction of the compaction limit above which results are cleared: 48,000 in a window of " +
				"200,000 or more. 0: never",
			Theirs:  "0.6 of the window (jutul-agent), 100000 tokens (LangChain)",
			Differs: "a compaction is due at 40% of the window, so the step before it has to come earlier",
			first:   func(t *target) { t.policy.Clear.Set = true },
			into:    func(t *target) any { return &t.policy.Clear.Trigger }},
		{Key: "keep", Kind: Count, Default: "0",
			Doc:    "number of newest results kept; 0: six, or three in a window below 100,000",
			Theirs: "3 (LangChain)",
			Differs: "0 is six, as in jutul-agent; replayed, three cost 0.4 points less on average, but more in the " +
				"worst session",
			into: func(t *target) any { return &t.policy.Clear.Keep }},
		{Key: "at_least", Kind: Count, Unit: "tokens", Default: "0",
			Doc: "what clearing has to free; 0: a fifth of the compaction limit, at least 3,000, or a twentieth " +
				"where `trigger` is set",
			Theirs:  "0 (LangChain), a twentieth of the window (jutul-agent)",
			Differs: "clearing a little rewrites much of the cache: in replays, 75.2% instead of 75.6%",
			into:    func(t *target) any { return &t.policy.Clear.AtLeast }},
		{Key: "exclude", Kind: Texts, Default: "[]", Doc: "tools whose results stay, under any host's name for them",
			into: func(t *target) any { return &t.policy.Clear.Exclude }},
		{Key: "only", Kind: Texts, Default: "[]", Doc: "the only tools whose results are cleared; if empty: all",
			into: func(t *target) any { return &t.policy.Clear.Only }},
		{Key: "inputs", Kind: Bool, Default: "false", Doc: "the arguments of the calls are also cleared",
			into: func(t *target) any { return &t.policy.Clear.Inputs }},
	}
}

func argumentRules() []Rule {
	return []Rule{
		{Key: "trigger", Kind: Share, Default: "0.85",
			Doc:   "fraction of the window above which they are truncated. 0: never",
			first: func(t *target) { t.policy.Arguments.Set = true },
			into:  func(t *target) any { return &t.policy.Arguments.Trigger }},
		{Key: "keep", Kind: Share, Default: "0.1", Doc: "size of the newest part of the window, where texts are kept whole",
			into: func(t *target) any { return &t.policy.Arguments.Keep }},
		{Key: "over", Kind: Count, Unit: "characters", Default: "2000",
			Doc:  "length above which a text is truncated",
			into: func(t *target) any { return &t.policy.Arguments.Over }},
		{Key: "tools", Kind: Texts, Default: "[]",
			Doc:  "tools that write a lot, besides those that write or patch files",
			into: func(t *target) any { return &t.policy.Arguments.Tools }},
	}
}
