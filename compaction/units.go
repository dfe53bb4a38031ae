package compaction

import "ctxledger.dev/transcript"

// borders reports before which items the conversation may be cut without separating a call from one of its
// results, or a message from what the host loaded with it. It has one element per item; the first is always true.
//
// A result belongs to the newest earlier call with its id, however late or out of order it came. A call of the
// newest answer without a result is still pending: nothing is cut after it.
func borders(items []Item) []bool {
	reach := furthestResults(items)
	ok := make([]bool, len(items))
	far := -1
	for i := range items {
		ok[i] = i == 0 || far < i && !isResult(&items[i]) && !items[i].Loaded
		far = max(far, reach[i])
	}
	return ok
}

// furthestResults returns for each item the index of the last result to one of its calls, or its
// own index.
func furthestResults(items []Item) []int {
	reach := make([]int, len(items))
	caller := make(map[string]int)
	answered := make(map[string]bool)
	newest := -1
	for i := range items {
		reach[i] = i
		for _, r := range items[i].Results {
			if j, known := caller[r.CallID]; known {
				reach[j] = max(reach[j], i)
				answered[r.CallID] = true
			}
		}
		for _, c := range items[i].Calls {
			caller[c.ID] = i
			answered[c.ID] = false
		}
		if items[i].Role == transcript.RoleAssistant {
			newest = i
		}
	}
	if newest >= 0 {
		for _, c := range items[newest].Calls {
			if !answered[c.ID] {
				reach[newest] = len(items)
			}
		}
	}
	return reach
}

func isResult(it *Item) bool {
	return it.Role == transcript.RoleTool || len(it.Results) > 0
}
