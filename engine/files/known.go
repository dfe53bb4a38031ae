package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
	"ctxledger.dev/transcript"
)

// text is what a session knows of the text of a file.
type text struct {
	body string // with line feeds
	// trimmed is the same if the host took off the white space at the ends of edited lines; "": it cannot have, or need not.
	trimmed string
	// whole says that the file has no other text where it is unchanged, but for line ends; else the text can only tell
	// that it is unchanged.
	whole bool
	parts []part  // if only parts of the file are known
	by    []*step // the calls that it is made of, the newest first
}

// part is a part of a file: lines that follow each other, as they were read, with the later edits of the session.
type part struct {
	body, trimmed string // as in text
	line          int    // the number of the first one; 0: not known, or edited since
}

// likeness is how a file is like the text that a session knows of it.
type likeness int

const (
	unlike likeness = iota // as far as is known
	moved                  // partly, but lines have other numbers
	partly                 // the parts that the session read are still in it
	same
)

// compare compares the text that a session knows of a file, which is there, with it, and says who changed it if it is another
// one and would not be if the file were unchanged. Line ends, whether the last line has one, and a mark of the byte order
// are not in it. It counts what it decodes and reads.
func (l *Files) compare(
	ctx context.Context, tx kv.Tx, f *core.Folded, steps []*step, st changes.State, n *spent,
) (likeness, *changes.Stale, error) {
	changed, err := attribution.Recent(tx, st.Tree, st.Path)
	if err != nil {
		return unlike, nil, err
	}
	t, err := l.known(ctx, tx, f, steps, changed, &n.decoded)
	if err != nil || len(t.by) == 0 {
		return unlike, nil, err
	}
	if t.is(st) {
		return same, nil, nil
	}
	switch like := l.has(t.parts, st, n); {
	case like != unlike:
		return like, nil, nil
	case !t.whole || st.Text == "":
		return unlike, nil, nil
	}
	if last := t.by[0]; st.Looked.Before(f.Entries[last.result-1].Time) &&
		!(st.Looked.IsZero() && last.call.Op == intents.OpRead) {
		return unlike, nil, nil // nobody has looked since
	}
	if t.otherwise(f, changed) {
		return unlike, nil, nil
	}
	since := t.by[0].Time
	if st.Since.Before(since.Add(-slack)) { // states of earlier versions do not say when they were first seen
		if st.Looked.After(since) {
			since = st.Looked
		}
		return unlike, &changes.Stale{Changed: since, Seen: true, By: changes.External}, nil
	}
	by, err := attribution.NewAttributor(l.core.Trees, tx, nil).Of(st.Tree, st.Path, st.Since)
	if err != nil {
		return unlike, nil, err
	}
	var c changes.Change
	by.Put(&c)
	if own, err := attribution.ChangesOf(tx, f.Session.ID)(c); own || err != nil {
		return unlike, nil, err // a command of its own
	}
	return unlike, &changes.Stale{Changed: st.Since, By: c.By()}, nil
}

// has reports whether a file still has all parts that were read, each as it was, as far as the budget of an answer goes. It
// opens the file below its tree only, and believes it only if it is as it was observed.
func (l *Files) has(parts []part, st changes.State, n *spent) likeness {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return strings.TrimSpace(p.body) == "" })
	if len(parts) == 0 || st.Hash == "" || n.read+st.Size > maxRead {
		return unlike
	}
	n.read += st.Size
	tree, err := safefs.Open(cmp.Or(st.Tree, l.core.Options.Workspace))
	if err != nil {
		return unlike
	}
	defer tree.Close() // only read
	raw := tree.Read(st.Path, st.Size)
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != st.Hash {
		return unlike
	}
	body := "\n" + strings.ReplaceAll(strings.TrimPrefix(string(raw), "\ufeff"), "\r\n", "\n") + "\n"
	like := partly
	for _, p := range parts {
		like = min(like, p.in(body))
	}
	return like
}

// in says how a part is in the text of a file, which begins and ends with a line feed.
func (p part) in(body string) likeness {
	if !strings.Contains(body, "\n"+p.body) && (p.trimmed == "" || !strings.Contains(body, "\n"+p.trimmed)) {
		return unlike
	}
	at := body
	for range p.line {
		_, at, _ = strings.Cut(at, "\n")
	}
	if p.line > 0 && !strings.HasPrefix(at, p.body) {
		return moved
	}
	return partly
}

// is reports whether a file has the text, however its lines and the text end.
func (t text) is(st changes.State) bool {
	if t.body == "" && len(t.parts) > 0 {
		return false
	}
	wholes := []string{t.body, t.trimmed}
	if t.trimmed == "" { // not another text: an empty file has none either
		wholes = wholes[:1]
	}
	for _, whole := range wholes {
		body := strings.TrimRight(whole, "\n")
		for _, tail := range []string{"\n", "", "\n\n", whole[len(body):]} {
			sum, err := filetext.Hash(strings.NewReader(body + tail))
			if err == nil && (sum == st.Text || sum == st.Hash) {
				return true
			}
		}
	}
	return false
}

// known returns what the calls of a session on a file say of its text: what the newest of them read or wrote whole, and the
// later edits, or else the parts that were read. It takes the newest changes of the file.
func (l *Files) known(
	ctx context.Context, tx kv.Tx, f *core.Folded, steps []*step, changed []changes.Change, decoded *int,
) (t text, err error) {
	k := knowing{lines: map[int]line{}, whole: true, changed: changed}
	for _, s := range slices.Backward(steps) {
		if s.failed || s.stub == artifacts.CauseRepeated {
			continue // it changed nothing, or has the same text again
		}
		if *decoded++; *decoded > maxDecoded {
			return text{}, nil
		}
		var call, result transcript.Part
		switch {
		case s.Attached != nil:
			result.Text, err = l.core.AttachedText(ctx, tx, f, s.Seq)
		case s.call.Op != intents.OpRead || s.call.Partial:
			call, err = l.part(ctx, tx, f, s.Seq, s.call.ID, transcript.KindCall)
		}
		if err == nil && s.Attached == nil && s.call.Op == intents.OpRead && s.result > 0 {
			result, err = l.part(ctx, tx, f, s.result, s.call.ID, transcript.KindResult)
		}
		switch {
		case fault.Is(err, fault.NotFound):
			return text{}, nil // forgotten
		case err != nil:
			return text{}, err
		}
		if ended := k.take(s, call, result); ended {
			return k.text, nil
		}
	}
	return k.joined(), nil
}

// part returns the part of a message that is a call or its result.
func (l *Files) part(
	ctx context.Context, tx kv.Tx, f *core.Folded, seq int64, id string, kind transcript.Kind,
) (transcript.Part, error) {
	m, err := l.core.DecodeEntry(ctx, tx, f, seq)
	if err != nil {
		return transcript.Part{}, err
	}
	at := slices.IndexFunc(m.Parts, func(p transcript.Part) bool { return p.Kind == kind && p.ID == id })
	if at < 0 {
		return transcript.Part{}, fault.New(fault.NotFound, "files.known", "entry %d has no call %.100q", seq, id)
	}
	return m.Parts[at], nil
}

// knowing is what is known of a text while calls are looked at, the newest first.
type knowing struct {
	text
	whole bool
	edits []intents.Edit // the newest first
	by    []*step
	lines map[int]line // that were read in part, by their numbers
	ages  []age        // of these lines, the newest first
	last  int          // the last line of the file, as a part that goes to its end shows; 0: not known
	// changed has the newest changes of the file, by any session or program.
	changed []changes.Change
}

// line is one that was read in part. The numbers of lines of different ages say nothing about each other.
type line struct {
	body string
	age  int
}

// age is a time in which a file did not change, as far as is known.
type age struct {
	from  time.Time // the oldest read
	edits int       // how many of knowing.edits are later
}

// ageOf returns the age of a read, which is older than all that were taken.
func (k *knowing) ageOf(read time.Time) int {
	at := len(k.ages) - 1
	if at < 0 || k.ages[at].edits < len(k.edits) || slices.ContainsFunc(k.changed, func(c changes.Change) bool {
		return c.Time.After(read) && c.Time.Before(k.ages[at].from)
	}) {
		k.ages = append(k.ages, age{edits: len(k.edits)})
		at++
	}
	k.ages[at].from = read
	return at
}

// unchanged begins what Claude Code (2.1.328) answers a read of a file that is as it was read before.
const unchanged = "File unchanged since last read"

// take takes one call. It reports whether nothing more is needed, or helps.
func (k *knowing) take(s *step, call, result transcript.Part) (ended bool) {
	k.by = append(k.by, s)
	k.whole = k.whole && !s.rewound
	switch {
	case s.Attached != nil:
		if !s.call.Partial && result.Text != "" {
			k.found(result.Text, !cutShort(result.Text))
		}
		return true
	case s.call.Op == intents.OpRead && s.result == 0:
		k.whole = false // the text may be another one by now
		return false
	case s.call.Op == intents.OpRead && strings.HasPrefix(result.Text, unchanged):
		return false
	case s.call.Op == intents.OpRead && s.stub == "" && result.Media == 0:
		return k.read(s, call, result.Text)
	case s.result == 0 || !s.wrote():
		return true
	}
	edits := intents.Edits(call.Name, call.Args)
	switch {
	case len(edits) == 1 && edits[0].Whole:
		k.found(edits[0].New, true)
		return true
	case len(edits) == 0 || slices.ContainsFunc(edits, func(e intents.Edit) bool { return e.Whole }):
		return true
	}
	slices.Reverse(edits)
	k.edits = append(k.edits, edits...)
	return false
}

// read takes what a call read.
func (k *knowing) read(s *step, call transcript.Part, printed string) (ended bool) {
	plain := filetext.Plain(printed, true)
	numbered := strings.TrimRight(plain, "\n") != strings.TrimRight(printed, "\n") // as the tool of Claude Code prints
	lines := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	var asked struct{ Offset, Limit int }
	_ = json.Unmarshal(call.Args, &asked) // other hosts have other ones
	if all := asked.Offset <= 1 && asked.Limit > strings.Count(plain, "\n"); s.call.Partial && !(all && numbered) {
		first := filetext.First(printed)
		if !numbered || first == 0 {
			k.whole = false
			k.later(strings.Join(lines, "\n")+"\n", 0, len(k.edits))
			return false
		}
		if toEnd := asked.Limit == 0 || asked.Limit > len(lines); toEnd && k.last == 0 && !cutShort(plain) {
			k.last = first + len(lines) - 1
		}
		read := k.ageOf(s.Time)
		for i, body := range lines {
			if _, known := k.lines[first+i]; !known {
				k.lines[first+i] = line{strings.TrimSuffix(body, "\r"), read}
			}
		}
		return false
	}
	k.found(plain, numbered && !cutShort(plain))
	return true
}

// cutShort reports whether Claude Code may have cut a text that it read, or replaced bytes in it that were not UTF-8.
func cutShort(plain string) bool {
	lines := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
	return len(lines) >= cutLines || len(plain) >= cutBytes || strings.ContainsRune(plain, utf8.RuneError) ||
		slices.ContainsFunc(lines, func(line string) bool { return len(line) >= cutLine })
}

// found takes a text that a call read or wrote, and makes the later edits in it.
func (k *knowing) found(body string, whole bool) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if !k.agrees(body) {
		return
	}
	plain, ok := edited(body, k.edits, asWritten)
	trimmed, also := edited(body, k.edits, trimEnds)
	switch {
	case !ok && !also:
		return
	case !ok:
		plain = trimmed
	case !also || trimmed == plain:
		trimmed = ""
	}
	whole = whole && k.whole && !slices.ContainsFunc(k.edits, func(e intents.Edit) bool { return e.New == "" })
	k.text = text{body: plain, trimmed: trimmed, whole: whole, by: k.by}
}

// agrees reports whether a text has the lines that were read in part later, each with the edits before that.
func (k *knowing) agrees(body string) bool {
	read, from, ok := make([][]int, len(k.ages)), len(k.edits), true
	for n, l := range k.lines {
		read[l.age] = append(read[l.age], n)
	}
	for i, a := range slices.Backward(k.ages) {
		if body, ok = edited(body, k.edits[a.edits:from], trimEnds); !ok {
			return false
		}
		from = a.edits
		lines, same := strings.Split(body, "\n"), asWritten
		if len(k.edits) > 0 {
			same = trimEnds
		}
		for _, n := range read[i] {
			if n > len(lines) || same(lines[n-1]) != same(k.lines[n].body) {
				return false
			}
		}
	}
	return true
}

// edited makes edits in a text, each with its new text as the host wrote it. It is false where one does not fit.
func edited(body string, edits []intents.Edit, wrote func(string) string) (string, bool) {
	for _, e := range slices.Backward(edits) {
		var ok bool
		if body, ok = edit(body, e, wrote); !ok {
			return "", false
		}
	}
	return body, true
}

// edit makes one edit in a text; where it does not fit, the text stays.
func edit(body string, e intents.Edit, wrote func(string) string) (string, bool) {
	old := strings.ReplaceAll(e.Old, "\r\n", "\n")
	if e.New == "" && !strings.HasSuffix(old, "\n") && strings.Contains(body, old+"\n") {
		old += "\n" // Claude Code takes the whole line
	}
	if n := strings.Count(body, old); old == "" || n == 0 || n > 1 && !e.All {
		return body, false
	}
	return strings.ReplaceAll(body, old, wrote(strings.ReplaceAll(e.New, "\r\n", "\n"))), true
}

func asWritten(s string) string { return s }

// later adds a part that was read before the newest edits, as they left it: those that do not fit were elsewhere.
func (k *knowing) later(body string, line, edits int) {
	p := part{body: body, trimmed: body, line: line}
	for _, e := range slices.Backward(k.edits[:edits]) {
		p.body, _ = edit(p.body, e, asWritten)
		p.trimmed, _ = edit(p.trimmed, e, trimEnds)
		p.line = 0
	}
	k.parts = append(k.parts, p)
}

// joined returns the parts that were read, and the text of them, if they are one behind the other from the first line: whether
// more follows is known only if one was read to the end.
func (k *knowing) joined() text {
	if len(k.lines) == 0 {
		return text{}
	}
	var b strings.Builder
	numbers := slices.Sorted(maps.Keys(k.lines))
	for i, n := range numbers {
		l := k.lines[n]
		b.WriteString(l.body + "\n")
		if i+1 == len(numbers) || numbers[i+1] != n+1 || k.lines[n+1].age != l.age {
			k.later(b.String(), n+1-strings.Count(b.String(), "\n"), k.ages[l.age].edits)
			b.Reset()
		}
	}
	t := text{by: k.by, parts: k.parts}
	if len(t.parts) == 1 && t.parts[0].line == 1 {
		t.body, t.whole = t.parts[0].body, k.whole && k.last == len(k.lines)
	}
	return t
}

// trimEnds takes the white space off the ends of the lines of a text.
func trimEnds(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// otherwise reports whether the session changed a file, after the first call that its text is made of, by another call.
func (t text) otherwise(f *core.Folded, changed []changes.Change) bool {
	from := t.by[len(t.by)-1].Time
	return slices.ContainsFunc(changed, func(c changes.Change) bool {
		return c.Session == f.Session.ID && c.Time.After(from) &&
			!slices.ContainsFunc(t.by, func(s *step) bool { return c.Seq == s.Seq || c.Seq == s.result })
	})
}
