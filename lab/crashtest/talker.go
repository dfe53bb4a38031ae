package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// talker is a host that hands its conversation in, compacts it and takes compactions back.
type talker struct {
	name    string
	count   int
	session conversation
	carried *carried // messages whose blob is on its way
}

// carried is a list of messages that travels as a blob.
type carried struct {
	lines []line
	array []byte
	sent  bool
}

func newTalker(name string) *talker {
	return &talker{name: name, session: conversation{path: name + ".txt", handed: true, restored: map[string]bool{}}}
}

// keptTurns is what a talker's compactions keep verbatim.
const keptTurns = 1

func (t *talker) next(r *rand.Rand) *operation {
	t.count++
	key := ledger.Mutation{Key: fmt.Sprintf("%s-%d", t.name, t.count)}
	s := &t.session
	settled := s.open() == "" && t.carried == nil
	switch current := s.current(); {
	case t.carried != nil && t.carried.sent:
		c := t.carried
		return t.hand(ledger.AppendMessagesRequest{Mutation: key, Blob: sessions.Digest(c.array)}, c.lines)
	case settled && t.sinceSummary() >= 3 && r.IntN(2) == 0:
		return t.compact(key)
	case settled && current != nil && r.IntN(6) == 0:
		return t.restore(key, *current)
	}
	lines := t.speak(r)
	var raws [][]byte
	for _, l := range lines {
		raws = append(raws, l.original)
	}
	if r.IntN(6) == 0 {
		return t.carry(lines, raws)
	}
	return t.hand(ledger.AppendMessagesRequest{Mutation: key, Messages: raws}, lines)
}

// speak returns the next messages: a request with a call, or the result of that with an answer.
func (t *talker) speak(r *rand.Rand) []line {
	id := fmt.Sprintf("%s-call-%d", t.name, len(t.session.calls)+1)
	if open := t.session.open(); open != "" {
		failed := r.IntN(4) == 0
		return []line{
			{original: resultMessage(open, fmt.Sprintf("written in operation %d", t.count), failed), result: open,
				failed: failed},
			{original: textMessage(transcript.RoleAssistant,
				fmt.Sprintf("This is what operation %d has done. ", t.count), 10+r.IntN(60))},
		}
	}
	return []line{
		{original: textMessage(transcript.RoleUser, fmt.Sprintf("Please write what operation %d says. ", t.count), 1),
			prompt: true},
		{original: callMessage(id, t.session.path, strings.Repeat("content ", r.IntN(100))), call: id},
	}
}

// hand hands messages in.
func (t *talker) hand(r ledger.AppendMessagesRequest, lines []line) *operation {
	r.Host, r.Format = t.name, transcript.Anthropic
	r.Session, r.Since = t.session.id, t.session.id != ""
	name := "append messages"
	if r.Blob != "" {
		name = "append a blob of messages"
	}
	return mutation(name, func(ctx context.Context, api ledger.API) (ledger.AppendMessagesResponse, error) {
		return api.AppendMessages(ctx, r)
	}, func(a ledger.AppendMessagesResponse) {
		t.carried = nil
		t.session.id = a.Session
		t.session.append(lines)
	})
}

// carry stores messages as a blob, for the next operation.
func (t *talker) carry(lines []line, raws [][]byte) *operation {
	array := slices.Concat([]byte("["), bytes.Join(raws, []byte(",")), []byte("]"))
	t.carried = &carried{lines: lines, array: array}
	op := mutation("put messages", func(ctx context.Context, api ledger.API) (ledger.BlobRef, error) {
		return api.PutBlob(ctx, bytes.NewReader(array))
	}, func(ledger.BlobRef) { t.carried.sent = true })
	op.keyed = false
	return op
}

// sinceSummary returns how many turns the newest summary does not cover.
func (t *talker) sinceSummary() int {
	if current := t.session.current(); current != nil {
		return t.session.turns - current.TurnTo
	}
	return t.session.turns
}

// compact plans a compaction and accepts it. A conversation that would not become smaller stays.
func (t *talker) compact(key ledger.Mutation) *operation {
	r := ledger.PlanCompactionRequest{Session: t.session.id, Options: compaction.Options{Keep: keptTurns}}
	return mutation("compact", func(ctx context.Context, api ledger.API) (ledger.Summary, error) {
		plan, err := api.PlanCompaction(ctx, r)
		if err != nil {
			return ledger.Summary{}, err
		}
		s, err := api.AcceptCompaction(ctx, ledger.AcceptCompactionRequest{
			Mutation: key, PlanCompactionRequest: r, Position: plan.Position,
		})
		if plan.Outcome != compaction.Compacted && fault.Is(err, fault.Invalid) {
			return ledger.Summary{}, nil
		}
		return s, err
	}, func(s ledger.Summary) {
		if s.ID != "" {
			t.session.own(sessions.KindCompaction)
			t.session.summaries = append(t.session.summaries, s)
		}
	})
}

// restore takes a compaction back.
func (t *talker) restore(key ledger.Mutation, s ledger.Summary) *operation {
	return mutation("restore", func(ctx context.Context, api ledger.API) (ledger.RestoreResponse, error) {
		return api.Restore(ctx, ledger.RestoreRequest{Mutation: key, ID: s.ID})
	}, func(ledger.RestoreResponse) {
		t.session.own(sessions.KindRestore)
		t.session.restored[s.ID] = true
	})
}

func (t *talker) expect() facts { return t.session.expect() }

func (t *talker) observe(ctx context.Context, api ledger.API, all *inventory) (facts, error) {
	i := slices.IndexFunc(all.sessions, func(s sessions.Session) bool { return s.Host == t.name })
	if i < 0 {
		return facts{}, nil
	}
	return observeSession(ctx, api, all, all.sessions[i], t.session.path)
}

// textMessage returns a message of a sentence, said a number of times.
func textMessage(role transcript.Role, sentence string, times int) []byte {
	return transcript.NewMessage(transcript.Anthropic, role, strings.Repeat(sentence, times))
}

// callMessage returns a message that writes a file.
func callMessage(id, path, content string) []byte {
	args, _ := json.Marshal(map[string]string{"file_path": path, "content": content}) // strings can be encoded
	return []byte(fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Write","input":%s}]}`,
		id, args))
}

// resultMessage returns a message with the result of a call.
func resultMessage(id, output string, failed bool) []byte {
	quoted, _ := json.Marshal(output) // a string can be encoded
	return []byte(fmt.Sprintf(
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%s,"is_error":%t}]}`,
		id, quoted, failed))
}
