package intents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// SameSize is the length of a digest that Same returns.
const SameSize = 12

// Same returns a digest of what a call asks. Calls of one tool have the same if their arguments are equal,
// in any order; a path counts as target, which is the same for all ways to write it, and of a command the
// command alone counts, not how it is described.
func Same(name string, m Meaning, args json.RawMessage, target string) string {
	var b strings.Builder
	b.WriteString(PlainName(name))
	switch m.Op {
	case OpShell:
		b.WriteString("\x00" + strings.TrimSpace(m.Command))
	default:
		writeArgs(&b, args, m.Target, target)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:SameSize]
}

// writeArgs writes arguments in the order of their names; those that are the path as given, as target.
func writeArgs(b *strings.Builder, args json.RawMessage, path, target string) {
	a := readArgs(args)
	if a == nil {
		b.WriteString("\x00" + string(args))
		return
	}
	for _, n := range slices.Sorted(maps.Keys(a)) {
		v := string(a[n])
		var s string
		if path != "" && slices.Contains(pathArgs, n) && json.Unmarshal(a[n], &s) == nil &&
			strings.TrimPrefix(s, "file://") == path {
			v = target
		}
		b.WriteString("\x00" + n + "\x00" + v)
	}
}
