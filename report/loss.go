package report

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	// lossCalls is how many calls after a compaction are looked at.
	lossCalls = 200
	// lossExamples is how many things of a kind a Loss names.
	lossExamples = 10
	// maxNames bounds the names that are remembered of one session.
	maxNames = 2_000_000
	// maxUsed bounds the names that are looked for in what one compaction left.
	maxUsed = 2_000
	// maxSaid bounds what a compaction left, as far as it is searched, in bytes: a context is not larger.
	maxSaid = 1 << 20
)

// Loss is what one compaction took away, judged by what was done after it: at most 200 calls, and none
// after the next compaction.
type Loss struct {
	Session string    `json:"session"`
	Project string    `json:"project,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	Trigger string    `json:"trigger,omitempty"`
	Before  int64     `json:"before"` // tokens of the context
	After   int64     `json:"after"`  // tokens of the first request behind it; 0: there was none
	Calls   int       `json:"calls"`  // that were looked at
	// Used are the identifiers and paths that those calls name and that were known before; Missing are
	// those of them that neither the summary names nor what was kept with it.
	Used    int      `json:"names_used"`
	Missing int      `json:"names_missing"`
	Names   []string `json:"names,omitempty"` // 10 of them, paths first, what most calls use first
	Reread  Again    `json:"files_read_again"`
	Rerun   Again    `json:"commands_run_again"`
}

// memory is what a thread knew, and what came of it after a compaction.
type memory struct {
	on    bool // whether names are gathered
	era   int  // compactions so far
	names map[uint64]int
	runs  map[uint64]int // commands; both by the era in which they came up first, or last
	loss  *Loss
	said  strings.Builder // what the newest compaction left
	open  bool            // what comes still belongs to that
	used  map[string]*use
}

// use is how a name that was known before a compaction is used behind it.
type use struct {
	calls   int
	missing bool
}

// compacted begins a loss.
func (m *memory) compacted(t *thread, e Entry, before int64) {
	m.end(t)
	m.era++
	m.loss = &Loss{
		Session: t.meter.out.ID, Project: t.meter.out.Project, Time: e.Time, Trigger: e.Compaction.Trigger,
		Before: before,
	}
	m.said.Reset()
	m.open, m.used = true, map[string]*use{}
}

// end hands in the newest loss.
func (m *memory) end(t *thread) {
	l := m.loss
	if l == nil {
		return
	}
	m.loss = nil
	var missing []string
	for n, u := range m.used {
		l.Used++
		if u.missing {
			missing = append(missing, n)
		}
	}
	l.Missing = len(missing)
	slices.SortFunc(missing, func(a, b string) int {
		isFile := func(n string) int { return min(strings.Count(n, "/"), 1) }
		return cmp.Or(isFile(b)-isFile(a), cmp.Compare(m.used[b].calls, m.used[a].calls), cmp.Compare(a, b))
	})
	l.Names = missing[:min(len(missing), lossExamples)]
	t.meter.out.Losses = append(t.meter.out.Losses, l)
}

// asked takes the size of a request.
func (m *memory) asked(tokens int64) {
	if m.open && m.loss != nil {
		m.loss.After = tokens
	}
	m.open = false
}

// heard takes a piece of the conversation.
func (m *memory) heard(t *thread, p Piece) {
	if !m.on {
		return
	}
	if m.open && m.said.Len()+len(p.Text) < maxSaid {
		m.said.WriteString(p.Text)
		m.said.WriteByte('\n')
	}
	if m.names == nil {
		m.names, m.runs = map[uint64]int{}, map[uint64]int{}
	}
	for _, n := range p.Names {
		h := t.meter.hash(n)
		if _, known := m.names[h]; !known && len(m.names) < maxNames {
			m.names[h] = m.era
		}
	}
	if p.Action != nil && p.Action.Command != "" && len(m.runs) < maxCalls {
		m.runs[t.meter.hash(p.Action.Command)] = m.era
	}
}

// called looks at a call behind a compaction. It comes before heard.
func (m *memory) called(t *thread, p Piece) {
	l := m.loss
	if !m.looks() {
		return
	}
	l.Calls++
	if !m.on {
		return
	}
	for _, n := range p.Names {
		if strings.HasPrefix(n, "/dev/") {
			continue // a device is not something that anybody forgets
		}
		u := m.used[n]
		if u == nil {
			if era, known := m.names[t.meter.hash(n)]; !known || era >= m.era || len(m.used) >= maxUsed {
				continue
			}
			u = &use{missing: !m.mentions(n)}
			m.used[strings.Clone(n)] = u
		}
		u.calls++
	}
	if c := p.Action.Command; c != "" {
		if era, run := m.runs[t.meter.hash(c)]; run && era < m.era {
			l.Rerun.Count++
			l.Rerun.Examples = example(l.Rerun.Examples, c)
		}
	}
}

// looks reports whether it looks at the next call.
func (m *memory) looks() bool { return m.loss != nil && m.loss.Calls < lossCalls }

// rereads counts a read of a file that was read before the compaction; nil when it comes too late.
func (m *memory) rereads(path string, early bool) *Again {
	if m.loss == nil || !early {
		return nil
	}
	m.loss.Reread.Count++
	m.loss.Reread.Examples = example(m.loss.Reread.Examples, path)
	return &m.loss.Reread
}

// mentions reports whether what the compaction left names an identifier, or a path by its last two parts.
func (m *memory) mentions(name string) bool {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if j := strings.LastIndexByte(name[:i], '/'); j >= 0 {
			name = name[j+1:]
		}
	}
	said := m.said.String()
	for at := 0; ; {
		i := strings.Index(said[at:], name)
		if i < 0 {
			return false
		}
		i += at
		if end := i + len(name); (i == 0 || !inWord(said[i-1])) && (end == len(said) || !inWord(said[end])) {
			return true
		}
		at = i + 1
	}
}

// inWord reports whether a name can continue with a byte.
func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// example adds to a short list what is not in it.
func example(list []string, s string) []string {
	const maxExample = 300 // bytes
	if len(list) >= lossExamples {
		return list
	}
	if len(s) > maxExample {
		s = strings.ToValidUTF8(s[:maxExample], "")
	}
	s = strings.Clone(s)
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
