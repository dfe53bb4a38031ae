package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Step is one operation of the script: in the ledger entirely or not at all.
type Step struct {
	Name    string
	run     func(ctx context.Context, p *player) error
	keyless bool // its request cannot be repeated: it would bring back what was forgotten since
	staged  bool // it takes several commits: cut off, each answer is that of before or of after
}

// importID names the source of the imported session.
const importID = "script"

// noteTime is when the imported notes were written, as their source says.
var noteTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// player is a run of the script with what it has learned so far.
type player struct {
	api       ledger.API
	number    int // of the present step
	session   string
	artifacts []string
	summary   string
}

// Play runs the steps on a ledger in order and hands the outcome of each to after, whose error ends
// the run. A step that failed may be run again: after asks for it with again. The first done steps
// were acknowledged by an earlier run: they are repeated, so that this one learns their answers.
func Play(ctx context.Context, api ledger.API, clock *Clock, steps []Step, done int,
	after func(n int, err error) (again bool, end error)) error {
	p := &player{api: api}
	for n, s := range steps {
		if s.keyless && n < done {
			continue
		}
		for again := true; again; {
			clock.Enter(n + 1)
			p.number = n + 1
			var end error
			if again, end = after(n, s.run(ctx, p)); end != nil {
				return end
			}
		}
	}
	return nil
}

// key is that of the present step.
func (p *player) key() ledger.Mutation { return ledger.Mutation{Key: fmt.Sprint("step-", p.number)} }

// MaxRounds is the longest script.
const MaxRounds = 16

// Steps returns a script of so many rounds, at most MaxRounds, each of which does everything once.
func Steps(rounds int) []Step {
	var steps []Step
	for r := range min(rounds, MaxRounds) {
		steps = append(steps,
			Step{Name: "messages", run: func(ctx context.Context, p *player) error { return p.say(ctx, r) }},
			Step{Name: "import", run: func(ctx context.Context, p *player) error { return p.note(ctx, r) }},
			Step{Name: "memory", run: func(ctx context.Context, p *player) error { return p.remember(ctx, r) }},
			Step{Name: "blob", run: func(ctx context.Context, p *player) error { return p.store(ctx, r) },
				keyless: true},
			Step{Name: "artifact", run: func(ctx context.Context, p *player) error { return p.keep(ctx, r) }},
		)
		switch r % 4 {
		case 1:
			steps = append(steps, Step{Name: "compaction", run: of((*player).compact)})
		case 2:
			steps = append(steps, Step{Name: "forget", run: of((*player).forget), staged: true},
				Step{Name: "collect", run: of((*player).collect)})
		case 3:
			steps = append(steps, Step{Name: "restore", run: of((*player).restore)},
				Step{Name: "unlearn", run: func(ctx context.Context, p *player) error { return p.unlearn(ctx, r-1) }})
		}
	}
	return steps
}

// of turns a method of a player into a step's function.
func of(do func(*player, context.Context) error) func(context.Context, *player) error {
	return func(ctx context.Context, p *player) error { return do(p, ctx) }
}

// words is text of n bytes that is not the same for two rounds.
func words(round, n int) string {
	line := fmt.Sprintf("round %d reads lines of the loader, ", round)
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// say hands in the conversation with what is new: a call whose result is, by turns, long
// enough for a blob, short, and long enough for an artifact.
func (p *player) say(ctx context.Context, r int) error {
	call := fmt.Sprint("call-", r)
	size := []int{36_000, 300, 41_000}[r%3]
	turn := [][]byte{
		fmt.Appendf(nil, `{"role":"user","content":"request %d: %s"}`, r, words(r, 600)),
		fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Read",`+
			`"input":{"file_path":"/w/file%d.go"}}]}`, call, r),
		fmt.Appendf(nil, `{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, call,
			words(r, size)),
		fmt.Appendf(nil, `{"role":"assistant","content":"answer %d"}`, r),
	}
	resp, err := p.api.AppendMessages(ctx, ledger.AppendMessagesRequest{
		Mutation: p.key(), Session: p.session, Since: p.session != "", Format: transcript.Anthropic, Messages: turn,
	})
	if err == nil {
		p.session = resp.Session
	}
	return err
}

// note appends to an import. A batch that has been there for long is not known again by its key: like an
// importer it then asks how far the import has come.
func (p *player) note(ctx context.Context, r int) error {
	_, err := p.api.AppendEntries(ctx, ledger.AppendEntriesRequest{
		Mutation: p.key(), Import: importID, Session: sessions.Session{Host: "script", HostID: "imported"},
		Offset: int64(r), Next: int64(r + 1), Done: true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Time: noteTime, Original: []byte(words(r, 200))}},
	})
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	st, asked := p.api.ImportState(ctx, ledger.ImportStateRequest{Import: importID})
	if asked == nil && st.Offset > int64(r) {
		return nil
	}
	return errors.Join(err, asked)
}

// remember saves two memories by turns: a new one, and the one that changes.
func (p *player) remember(ctx context.Context, r int) error {
	name := "changing"
	if r%2 == 0 {
		name = memoryName(r)
	}
	_, err := p.api.SaveMemory(ctx, ledger.SaveMemoryRequest{Mutation: p.key(), Entry: memory.Entry{
		Name: name, Description: "of the script", Source: "script", Body: words(r, 1500),
	}})
	return err
}

func memoryName(r int) string { return fmt.Sprint("fact-", r) }

// unlearn deletes what remember saved in a round.
func (p *player) unlearn(ctx context.Context, r int) error {
	_, err := p.api.DeleteMemory(ctx, ledger.DeleteMemoryRequest{Mutation: p.key(), Name: memoryName(r)})
	return err
}

// digests is text that does not compress well.
func digests(r int) string {
	var b strings.Builder
	for i := range 40 {
		b.WriteString(sessions.Digest(fmt.Appendf(nil, "%d/%d", r, i)))
		b.WriteByte('\n')
	}
	return b.String()
}

// digestsHash is the name of the blob that holds digests.
func digestsHash(r int) string {
	sum := sha256.Sum256([]byte(digests(r)))
	return hex.EncodeToString(sum[:])
}

// store puts a blob.
func (p *player) store(ctx context.Context, r int) error {
	_, err := p.api.PutBlob(ctx, strings.NewReader(digests(r)))
	return err
}

// keep makes an artifact of the blob that store has put.
func (p *player) keep(ctx context.Context, r int) error {
	a, err := p.api.PutArtifact(
		ctx, ledger.PutArtifactRequest{Mutation: p.key(), Blob: digestsHash(r), Title: "digests"})
	if err == nil {
		p.artifacts = append(p.artifacts, a.ID)
	}
	return err
}

// forget forgets the newest artifact.
func (p *player) forget(ctx context.Context) error {
	_, err := p.api.Forget(ctx, ledger.ForgetRequest{Mutation: p.key(), Handle: p.artifacts[len(p.artifacts)-1]})
	return err
}

func (p *player) compact(ctx context.Context) error {
	plan, err := ledger.Compact(ctx, p.api,
		ledger.PlanCompactionRequest{Session: p.session, Options: compaction.Options{Keep: 1}}, p.key().Key, false)
	if err == nil && plan.Outcome != compaction.Compacted {
		return fault.New(fault.Internal, "script", "nothing was compacted: %s", plan.Why)
	}
	if err == nil {
		p.summary = plan.Summary.ID
	}
	return err
}

func (p *player) restore(ctx context.Context) error {
	_, err := p.api.Restore(ctx, ledger.RestoreRequest{Mutation: p.key(), ID: p.summary})
	return err
}

// collect reclaims the space of deleted records: the ledger is copied into a new file.
func (p *player) collect(ctx context.Context) error {
	_, err := p.api.CollectGarbage(ctx, ledger.CollectGarbageRequest{})
	return err
}
