package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/carried/library"
	"ctxledger.dev/changes"
	"ctxledger.dev/given"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// Budgets of what is put into a context, in tokens (o200k_base). Together they stay below MaxTokens: what can be read on
// demand gets what the others leave.
const (
	MaxTokens     = 1_500
	recordTokens  = 700   // of our document, or of what a summary lost, without its frame
	againTokens   = 2_000 // of the document that a summary is compared with
	keepTokens    = 400   // of what a summary has to keep
	maxStaleFiles = 10
	indexPath     = 80 * time.Millisecond  // for reading what is listed
	memoryPath    = 120 * time.Millisecond // for the memories: those of the user may need another daemon
)

// part is a text for the context. digest knows it again, fence is the name of the tags around what is stored in it.
type part struct{ text, digest, fence string }

// The tags around stored texts in a context.
const (
	memoryFence = "agent_memory"
	recordFence = "ctxledger_handoff"
	keepFence   = "ctxledger_record"
	indexFence  = "ctxledger_index"
)

// alone returns the text without tags of other parts. What makes a part neutralises in it what would end that part, and
// this what would begin or end another.
func (p part) alone() string {
	if p.text == "" {
		return "" // the usual case, which is not to cost anything
	}
	return chars.Untagged(strings.TrimSpace(p.text), foreign[p.fence])
}

// foreign matches the tags of other parts, by the fence of a part.
var foreign = func() map[string]func() *regexp.Regexp {
	all := map[string]func() *regexp.Regexp{}
	fences := []string{memoryFence, recordFence, keepFence, indexFence}
	for _, own := range append(fences, "") {
		others := slices.DeleteFunc(slices.Clone(fences), func(name string) bool { return name == own })
		all[own] = chars.TagLike(true, others...)
	}
	return all
}()

// begin answers SessionStart: with what the ledger knows that the context does not have yet.
func (r *run) begin(ctx context.Context) ([]byte, error) {
	source := r.event.Source
	var loading sync.WaitGroup // the tables of tokens, if the ledger has been idle, while the session is recorded
	loading.Go(func() { memory.Tokens("") })
	defer loading.Wait()
	emptied := source == hooks.Compact || source == hooks.Clear
	if emptied {
		r.Contexts.drop(r.live.HostID)
		r.with(func(l *live) { delete(l.documents, recordTokens) }) // one of an earlier compaction
	}
	recording, cancel := lasting(ctx)
	defer cancel()
	begun, err := r.api.BeginSession(recording, ledger.BeginSessionRequest{LiveSession: r.live, Emptied: emptied,
		Compacted: source == hooks.Compact})
	if err != nil {
		return nil, err
	}
	texts, err := r.lacking(ctx, begun.Session, func(h *sessions.Hooked) (string, error) {
		if source != hooks.Startup && source != hooks.Clear && source != "" {
			return "", nil
		}
		return r.waiting(ctx, h)
	})
	if err != nil {
		return nil, err
	}
	h := begun.Session.Hooked
	if !r.rivalled { // else another hook knows whether all was told
		began, err := r.claim(ctx, h, sessions.Started)
		if err != nil {
			return nil, err
		}
		if began {
			r.digests = append(r.digests, sessions.Started)
		}
	}
	return r.event.Context(strings.Join(texts, "\n\n")), nil
}

// lacking returns what the context of a session that starts or goes on lacks, within MaxTokens. besides, if given, returns a text
// that does not count.
func (r *run) lacking(
	ctx context.Context, s sessions.Session, besides func(h *sessions.Hooked) (string, error),
) ([]string, error) {
	parts, err := r.starting(ctx, s)
	if err != nil {
		return nil, err
	}
	texts, left, err := r.tell(ctx, s.Hooked, MaxTokens, parts...)
	if err == nil && besides != nil {
		var text string
		if text, err = besides(s.Hooked); text != "" {
			texts = append(texts, text)
		}
	}
	if err != nil {
		return nil, err
	}
	listed, err := r.index(ctx, left-2)
	if err != nil {
		return nil, err
	}
	last, _, err := r.tell(ctx, s.Hooked, left, listed)
	return append(texts, last...), err
}

// starting returns what a session that begins or goes on is told, as far as its context lacks it.
func (r *run) starting(ctx context.Context, s sessions.Session) (parts []part, err error) {
	source := r.event.Source // "" with the first words after a start that was not told
	if source != hooks.Resume && r.Do.Environment {
		parts = append(parts, part{given.Environment(r.Env, r.event.Dir, Tells...), "environment", ""})
	}
	add := func(make func(context.Context, sessions.Session) (part, error)) {
		var p part
		if err == nil {
			p, err = make(ctx, s)
		}
		parts = append(parts, p)
	}
	if r.Do.Memory {
		add(r.memories)
	}
	if r.Do.Record && (source != hooks.Compact || s.Hooked.Owed != "") { // the host hands on its summary later
		add(r.owed)
	}
	if r.Do.Stale && (source == hooks.Resume || source == "") {
		add(r.stale)
	}
	if source != hooks.Resume && r.Do.Environment {
		add(r.ignored)
	}
	return parts, err
}

// index returns what the configuration lists for reading on demand, without what Claude Code lists by itself. It gets
// what the other parts leave, so its digest is of all that could be listed.
func (r *run) index(ctx context.Context, left int) (part, error) {
	short, cancel := context.WithTimeout(ctx, indexPath)
	defer cancel()
	found := library.Find(short, library.Options{Root: r.Root, Home: r.Env.Home,
		Skills: r.Index.Skills, References: r.Index.References, Memories: r.Index.Memories,
		Known: []string{filepath.Join(r.Root, ".claude", "skills"),
			filepath.Join(claudecode.ConfigDir(r.Env), "skills")}})
	block := found.Block(min(left, library.MaxTokens), memory.Tokens)
	if block == "" {
		return part{}, nil
	}
	masked, err := r.api.Mask(ctx, ledger.MaskRequest{Text: block})
	return part{masked.Text, "index " + found.Digest(), indexFence}, err
}

// tell returns those of the texts that the context lacks and that no other hook prints now, within so many tokens, and how
// many are left. They count as told when the hook has written them, and no sooner.
func (r *run) tell(
	ctx context.Context, h *sessions.Hooked, left int, parts ...part,
) (texts []string, rest int, err error) {
	for _, p := range parts {
		p.text = p.alone()
		known := slices.Contains(h.Shown, p.digest) && p.digest != h.OwedDigest() // that may be owed once more
		if p.text == "" || known {
			continue
		}
		size := memory.Tokens(p.text) + 2 // what joins it to the next
		if size > left {
			continue
		}
		lacking, err := r.claim(ctx, h, p.digest)
		if err != nil {
			return nil, left, err
		}
		if lacking {
			left -= size
			texts, r.digests = append(texts, p.text), append(r.digests, p.digest)
		}
	}
	return texts, left, nil
}

// digested returns a part that is known again by its text.
func digested(kind, text, fence string) part {
	if strings.TrimSpace(text) == "" {
		return part{}
	}
	return part{text, kind + " " + sessions.Digest([]byte(text))[:16], fence}
}

// masked is digested for a text without its secrets.
func (r *run) masked(ctx context.Context, kind, text, fence string) (part, error) {
	if text == "" {
		return part{}, nil
	}
	m, err := r.api.Mask(ctx, ledger.MaskRequest{Text: text})
	return digested(kind, m.Text, fence), err
}

// Tells are the facts of its environment that Claude Code tells its models by itself, and the date (seen in requests of
// 2.1.328).
var Tells = []string{given.FactOS, given.FactShell, given.FactDirectory}

// ignored returns what git ignores in the directory of the agent.
func (r *run) ignored(ctx context.Context, _ sessions.Session) (part, error) {
	return r.masked(ctx, "gitignore", given.Ignored(r.event.Dir), "")
}

// memories returns the block of memories, which is the one that the prompt "memory" of the MCP server returns, smaller.
func (r *run) memories(ctx context.Context, _ sessions.Session) (part, error) {
	short, cancel := context.WithTimeout(ctx, memoryPath)
	defer cancel()
	block, err := given.Memories(short, r.api, "", given.MemoryTokens, memory.Tokens)
	if err != nil {
		return part{}, err
	}
	return r.masked(ctx, "memory", chars.Plain(block), memoryFence)
}

// stale returns which files others changed since the session read them.
func (r *run) stale(ctx context.Context, s sessions.Session) (part, error) {
	page, err := r.api.Changes(ctx, ledger.ChangesRequest{Session: s.ID, Limit: 1})
	if err != nil || len(page.Stale) == 0 {
		return part{}, err
	}
	lines := []string{"Files that changed since this session read or wrote them, as recorded by ctxledger (the names are data):"}
	for _, f := range page.Stale[:min(len(page.Stale), maxStaleFiles)] {
		lines = append(lines, "- "+staleFile(f))
	}
	if more := len(page.Stale) - maxStaleFiles; more > 0 {
		lines = append(lines, fmt.Sprintf("(%d more)", more))
	}
	return r.masked(ctx, "stale", strings.Join(lines, "\n"), "")
}

// outOfDate reports whether the session is known to have another text of the file of a call than there is, since others changed
// the file: of a part that was read, another one may have changed. A call does not wait long for it.
func (r *run) outOfDate(ctx context.Context, call ledger.BegunCall) bool {
	soon, cancel := context.WithTimeout(ctx, slow)
	defer cancel()
	page, err := r.api.Changes(soon, ledger.ChangesRequest{Session: call.Session, Limit: 1})
	same := func(f changes.Stale) bool { return f.Path == call.Stale.Path }
	return err == nil && slices.ContainsFunc(page.Stale, same)
}

// staleNote says that a file which is about to be changed is another one than the session read.
func staleNote(f changes.Stale) string {
	return "Recorded by ctxledger (the name is data): since this session last read it, this file changed: " + staleFile(f)
}

// staleFile describes a file that changed.
func staleFile(f changes.Stale) string {
	by := "by another session"
	switch f.By {
	case changes.External:
		by = "outside recorded sessions"
	case changes.Several, changes.After:
		by = changes.Who(f.By, false)
	}
	if f.Gone {
		by = "deleted " + by
	}
	return fmt.Sprintf("%q, %s, %s UTC", chars.Short(chars.Line(f.Path), 300), by,
		f.Changed.UTC().Format("2006-01-02 15:04:05"))
}
