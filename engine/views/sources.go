package views

import (
	"cmp"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// sources sums the content of slots by file and by tool, the largest first. A call about a file counts for its tool as
// well; for that alone if it failed, which neither read nor wrote the file. result is what one takes where nothing was edited.
func sources(f *core.Folded, m measure, slots []window.Slot, result func(sessions.Result) int) []ledger.Source {
	sums, failed := map[ledger.Source]*sourceSum{}, failedIn(f.Entries)
	for _, slot := range slots {
		if slot.Note != "" {
			continue
		}
		for _, seq := range slot.Seqs {
			e := f.Entries[seq-1]
			if a := e.Attached; a != nil && !slot.TextOnly {
				file := ledger.Source{Kind: ledger.SourceFile, Name: a.Path}
				add(sums, file, sourceSum{tokens: m.part(seq, e.Tokens), calls: 1})
			}
			for _, call := range callsIn(slot, &e) {
				n := shown(slot.Shortened).tokens(seq, call.ID, window.PartArguments, call.Tokens)
				charge(sums, call, failed[call.ID], sourceSum{tokens: m.part(seq, n), calls: 1})
			}
			for _, r := range resultsIn(slot, &e) {
				if call, known := f.Call(r.CallID); known {
					n := shown(slot.Shortened).tokens(seq, r.CallID, window.PartResult, result(r))
					took := sourceSum{tokens: m.part(seq, n), artifacts: min(1, len(r.Artifact))}
					charge(sums, call, failed[call.ID], took)
				}
			}
		}
	}
	out := make([]ledger.Source, 0, len(sums))
	for s, sum := range sums {
		s.Tokens, s.Calls, s.Artifacts = m.sum(sum.tokens), sum.calls, sum.artifacts
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b ledger.Source) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Tokens.N, a.Tokens.N), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// sourceSum is what one source takes; tokens are weighed.
type sourceSum struct{ tokens, calls, artifacts int }

// failedIn returns the calls of a log that failed.
func failedIn(log []sessions.Entry) map[string]bool {
	failed := map[string]bool{}
	for i := range log {
		for _, r := range log[i].Results {
			if r.Failed {
				failed[r.CallID] = true
			}
		}
	}
	return failed
}

// charge adds what a call or its result takes to its tool and to the file that it is about.
func charge(sums map[ledger.Source]*sourceSum, call sessions.Call, failed bool, n sourceSum) {
	keys := []ledger.Source{{Kind: ledger.SourceTool, Name: call.Name}}
	if call.Target != "" && intents.OfFile(call.Op) && !failed {
		keys = append(keys, ledger.Source{Kind: ledger.SourceFile, Name: call.Target})
	}
	if call.Prints != "" && !failed {
		keys = append(keys, ledger.Source{Kind: ledger.SourceFile, Name: call.Prints})
	}
	for _, key := range keys {
		add(sums, key, n)
	}
}

// add adds what something takes to a source.
func add(sums map[ledger.Source]*sourceSum, key ledger.Source, n sourceSum) {
	if sums[key] == nil {
		sums[key] = &sourceSum{}
	}
	sums[key].tokens += n.tokens
	sums[key].calls += n.calls
	sums[key].artifacts += n.artifacts
}

// stubbed is what a result takes in the view: its stub, if there is one.
func stubbed(r sessions.Result) int {
	if r.Artifact != "" {
		return r.StubTokens
	}
	return r.Tokens
}

// maxSources is how many files and how many tools a status names, the largest ones.
const maxSources = 20

// most keeps the first sources of each kind.
func most(sources []ledger.Source) []ledger.Source {
	kept := map[string]int{}
	return slices.DeleteFunc(sources, func(s ledger.Source) bool {
		kept[s.Kind]++
		return kept[s.Kind] > maxSources
	})
}

// counting counts content whose o200k_base count is known: a tokens.Counter, or a tokens.Scale.
type counting interface{ Of(o200k int) tokens.Count }

// fixedInput estimates what every request carries in addition to the conversation: system prompt, tools, memory.
// It is what the provider measured of the first request, less the messages in it, or of the first request after the
// host's compaction in effect, if that is less: a session may continue another one, whose messages nobody has seen.
func fixedInput(f *core.Folded, c counting) (tokens.Count, bool) {
	first, known := besides(f, c, 0)
	if f.View.HostCut == 0 {
		return first, known
	}
	if now, after := besides(f, c, f.View.HostCut); after && (!known || now.N < first.N) {
		return now, true
	}
	return first, known
}

// midway reports whether the first message of a log follows, directly or behind notes, a record that is not in it: the file was
// truncated or continues another one, so the requests contain messages that were not recorded.
func midway(log []sessions.Entry) bool {
	first := slices.IndexFunc(log, func(e sessions.Entry) bool { return e.Kind == sessions.KindMessage })
	if first < 0 || log[first].Earlier {
		return false
	}
	for log[first].HostParent != "" {
		parent := log[first].HostParent
		first = slices.IndexFunc(log[:first], func(e sessions.Entry) bool { return e.HostID == parent })
		if first < 0 {
			return true
		}
	}
	return false
}

// besides returns what the provider measured of the first request after an entry of the log, less the messages in it.
func besides(f *core.Folded, c counting, since int64) (tokens.Count, bool) {
	for i := int(since); i < len(f.Entries); i++ {
		e := &f.Entries[i]
		if e.Usage == nil || e.Hidden || e.Usage.Prompt() == 0 {
			continue
		}
		had := 0
		for _, slot := range window.Plan(window.Input{Entries: f.Entries[:i]}).Slots {
			had += slot.Tokens
		}
		n := max(0, e.Usage.Prompt()-c.Of(had).N)
		return tokens.Count{N: n, Upper: max(n, e.Usage.Prompt())}, n > 0
	}
	return tokens.Count{}, false
}
