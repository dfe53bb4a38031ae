package compaction

import (
	"cmp"
	"slices"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/shellcmd"
)

// A commandKey identifies what a command runs.
type commandKey struct {
	key     string
	purpose shellcmd.Purpose
}

func keyOf(command string) commandKey {
	key, p := shellcmd.Key(command)
	return commandKey{layout.OneLine(key, 300), p}
}

// keyOf returns the key of a command and caches it.
func (w *work) keyOf(command string) commandKey {
	k, known := w.keys[command]
	if !known {
		k = keyOf(command)
		w.keys[command] = k
	}
	return k
}

// readsOnly reports whether a command only reads or searches.
func (w *work) readsOnly(command string) bool { return w.keyOf(command).purpose == shellcmd.Search }

// A run is a check with its outcome.
type run struct {
	shellcmd.Check
	failed bool
	by     *Operation
}

// supersedes reports whether the run replaces the outcome of an earlier check. A failed test run says neither
// that the code compiles nor that it does not, nor which of all tests passed.
func (r run) supersedes(old shellcmd.Check) bool {
	return (!r.failed || r.SameRank(old)) && r.Covers(old) || !r.failed && old.IsPartOf(r.Check)
}

// markCovered finds, for each command, the later run that supersedes all its checks.
func markCovered(all []*commandState) {
	newest := slices.Clone(all)
	slices.SortFunc(newest, func(a, b *commandState) int { return cmp.Compare(b.last.Seq, a.last.Seq) })
	const most = 200 // runs compared with: more than the tools and targets of one session
	var later []run
	for _, c := range newest {
		if c.purpose < shellcmd.Build {
			continue
		}
		checks := shellcmd.Checks(c.last.Command)
		covered := 0
		var by *Operation
		for _, old := range checks {
			if i := slices.IndexFunc(later, func(r run) bool { return r.supersedes(old) }); i >= 0 {
				covered++
				by = later[i].by
			}
		}
		if covered > 0 && covered == len(checks) {
			c.covered = by
		}
		if (c.covered != nil && c.failing()) || c.last.pending() || len(later) >= most {
			continue
		}
		for _, ch := range checks {
			later = append(later, run{ch, c.failing(), c.last})
		}
	}
}
