package panel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// cells is the length of the bar.
const cells = 24

// estimate marks a figure that was not measured.
const estimate = "~"

// String returns the panel as Markdown. Other programs show the same text.
func (p Panel) String() string {
	var b chars.Prose
	if p.None {
		b.WriteString("No model calls yet: the window is measured with the first answer.")
		b.SayIf(p.Window > 0, "\nThe window has %s tokens.", Short(p.Window))
		p.model(&b)
		return b.String()
	}
	b.Say("%s\n\nEstimated usage by category:", p.headline())
	for _, x := range p.parts() {
		b.Say("\n- %s", x)
	}
	p.thresholds(&b)
	b.WriteString("\n")
	if u := p.Last; u != nil {
		b.Say("\nLast call: input %s", Short(u.Prompt()))
		b.SayIf(u.CacheRead > 0, " (cache-read %s)", Short(int(u.CacheRead)))
		b.Say(" · output %s", Short(int(u.Output)))
		b.SayIf(u.Reasoning > 0, " (reasoning %s)", Short(int(u.Reasoning)))
		b.Say("\nConversation growth: +%s over %s", Short(p.Growth), chars.Plural(p.Calls, "model call"))
	}
	b.SayIf(p.Compacted, "\n_estimated after compaction — refined on your next reply_")
	p.model(&b)
	b.SayIf(p.Compacts != "", "\n`%s` summarizes older turns to free space now", p.Compacts)
	return b.String()
}

func (p Panel) model(b *chars.Prose) { b.SayIf(p.Model != "", "\nModel: `%s`", p.Model) }

// headline says how full the window is, with a bar where its size is known.
func (p Panel) headline() string {
	held := mark(p.Held.Exact) + Short(p.Held.N)
	if p.Window == 0 {
		return "**" + held + " tokens** in context (window size unknown)"
	}
	part := min(p.Held.N, p.Window)
	full := (2*cells*part + p.Window) / (2 * p.Window)
	return fmt.Sprintf("`%s%s` **%s** — %s of %s tokens", strings.Repeat("█", full), strings.Repeat("░", cells-full),
		chars.Share(part, p.Window), held, Short(p.Window))
}

// parts says what the window holds, a line each.
func (p Panel) parts() (lines []string) {
	add := func(name, mark string, n int) { lines = append(lines, name+": "+mark+Short(n)+p.share(n)) }
	switch {
	case p.Fixed == nil:
		add("in context", mark(p.Held.Exact), p.Held.N)
		if p.Besides != "" {
			lines = append(lines, p.Besides)
		}
		return lines
	case p.System == nil && p.Memory == nil:
		add("fixed per call", mark(p.Fixed.Exact), p.Fixed.N)
	default:
		rest := "tools, skills & framework"
		if p.System != nil {
			add("system prompt", estimate, p.System.N)
		} else {
			rest = "system prompt, " + rest
		}
		if p.Memory != nil {
			add("memory index", estimate, p.Memory.N)
			if p.Notes > 0 {
				load := map[bool]string{true: "loads", false: "load"}[p.Notes == 1]
				lines[len(lines)-1] += " — " + chars.Plural(p.Notes, "note") + " " + load + " on demand"
			}
		}
		add(rest, estimate, p.Tools)
	}
	add("conversation", estimate, p.Said)
	return lines
}

// thresholds says what happens when the window grows.
func (p Panel) thresholds(b *chars.Prose) {
	b.SayIf(p.Window > 0, "\n- free space: %s%s%s", mark(p.Held.Exact), Short(p.Free), p.share(p.Free))
	b.SayIf(p.ClearsAt > 0, "\n- old tool results start clearing at %s (before any summary)", Short(p.ClearsAt))
	switch {
	case p.Buffer > 0:
		b.Say("\n- auto-compact buffer: %s%s — summarization triggers at %s", Short(p.Buffer), p.share(p.Buffer),
			Short(p.CompactsAt))
	case p.CompactsAt > 0:
		b.Say("\n- auto-compact triggers at %s tokens", Short(p.CompactsAt))
	default:
		b.SayIf(p.CompactsFrom != "", "\n- auto-compact: %s", p.CompactsFrom)
	}
}

// share says a part of the window in percent; "" where that is unknown.
func (p Panel) share(n int) string {
	if p.Window == 0 {
		return ""
	}
	t := tenths(n, p.Window)
	return fmt.Sprintf(" (%d.%d%%)", t/10, t%10)
}

// shown is how many things of a list More names.
const shown = 5

// Leading returns the panel with the first few of each list, those that More names: for readers who pay for each word.
func (p Panel) Leading() Panel {
	seen := map[string]int{}
	p.Sources = slices.DeleteFunc(slices.Clone(p.Sources), func(s ledger.Source) bool {
		seen[s.Kind]++
		return seen[s.Kind] > shown
	})
	p.Messages = p.Messages[:min(len(p.Messages), shown)]
	p.NextClears, p.NextCuts = p.NextClears[:min(len(p.NextClears), shown)], p.NextCuts[:min(len(p.NextCuts), shown)]
	return p
}

// More says what else is known, in lines: the largest things, the cache boundary, and what would be cut next.
func (p Panel) More() string {
	var b chars.Prose
	list := func(head string, lines []string) {
		for i, x := range lines[:min(len(lines), shown)] {
			b.SayIf(i == 0, "\n%s:", head)
			b.Say("\n- %s", x)
		}
	}
	var messages, calls, files []string
	for _, m := range p.Messages {
		messages = append(messages, fmt.Sprintf("%s, turn %d: %s (%s)", m.Role, m.Turn, about(m.Tokens), m.Handle))
	}
	for _, x := range p.Sources {
		text := x.Name + ": " + about(x.Tokens)
		if x.Kind == ledger.SourceFile {
			files = append(files, text)
		} else {
			calls = append(calls, text+", "+chars.Plural(x.Calls, "call"))
		}
	}
	list("Largest messages", messages)
	list("Largest calls, with results", calls)
	list("Largest files", files)
	b.SayIf(p.Scaled != "", "\n%s marks %s", estimate, p.Scaled)
	b.SayIf(p.Cached > 0, "\nCache boundary: the first %s tokens of the last call are probably cached", Short(int(p.Cached)))
	list("Would be cleared next", cuts(p.NextClears))
	list("Would be compacted next", cuts(p.NextCuts))
	b.SayIf(p.Offloaded.Results > 0, "\nKept outside the context: %s, %s", chars.Plural(p.Offloaded.Results, "result"),
		chars.Size(p.Offloaded.Bytes))
	b.SayIf(p.Overhead > 0, "\nctxledger's own tools: %s%s per call", estimate, Short(p.Overhead))
	return strings.TrimPrefix(b.String(), "\n")
}

func cuts(all []ledger.NextCut) (lines []string) {
	for _, c := range all {
		lines = append(lines, c.Label+": "+about(c.Tokens))
	}
	return lines
}

// about says a count.
func about(n tokens.Count) string { return mark(n.Exact) + Short(n.N) }

func mark(exact bool) string {
	if exact {
		return ""
	}
	return estimate
}

// Short says a number of tokens: 950, 1.4k, 29k, 1.2M. It is rounded first, then gets its unit.
func Short(n int) string {
	const k, m = 1_000, 1_000_000
	switch {
	case n < k:
		return strconv.Itoa(n)
	case round(n, k/10) < 10*k:
		t := round(n, k/10) / (k / 10)
		return fmt.Sprintf("%d.%dk", t/10, t%10)
	case round(n, k) < m:
		return strconv.Itoa(round(n, k)/k) + "k"
	}
	t := round(n, m/10) / (m / 10)
	return fmt.Sprintf("%d.%dM", t/10, t%10)
}

// round rounds to the nearest multiple, halves up.
func round(n, to int) int { return (n + to/2) / to * to }

// tenths returns a part in tenths of a percent, halves up.
func tenths(part, whole int) int { return int((int64(part)*2_000 + int64(whole)) / (2 * int64(whole))) }
