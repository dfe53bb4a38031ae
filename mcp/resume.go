package mcp

import (
	"context"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// Budgets of a handoff, in tokens. Memory, changes and the frame together take less than 1,500; the record has its
// own.
const (
	resumeBudget  = summaryBudget + 700
	memoryBudget  = 350
	changesBudget = 250
)

// memoryLike matches anything that may be taken for the fence of memories, so that a conversation cannot forge one.
var memoryLike = chars.TagLike(true, "agent_memory")

// resumePrompt continues an earlier chat in a new one.
var resumePrompt = prompt{
	name: "resume", description: "Continue from an earlier chat: its record as a handoff",
	arguments: []promptArgument{{"session", "default: the newest"}}, write: asUser("session", handoff),
}

// handoff writes the document for a new chat.
func handoff(ctx context.Context, c *call, name string) (string, error) {
	s, err := c.previous(ctx, name)
	if err != nil {
		return "", err
	}
	source := "No earlier session is recorded; this is what else the ledger has."
	var parts []string
	if s != nil {
		source = ledger.SourceOf(*s)
		if parts, err = c.record(ctx, *s); err != nil {
			return "", err
		}
	}
	rest, err := c.surroundings(ctx, s)
	if err != nil {
		return "", err
	}
	if parts = append(parts, rest...); len(parts) == 0 {
		return "The ledger of this workspace is empty: there is no earlier chat to continue.", nil
	}
	return ledger.Handoff(ctx, c.api, source, strings.Join(parts, "\n\n"), c.o.ToolPrefix+"read_artifact")
}

// begun is the maximum number of log entries of a session that has just begun.
const begun = 20

// previous returns the session to continue: the named one, else the newest that is not a subagent's. A session that
// has just begun is skipped if there is an older one, because it is the new chat itself. nil: nothing is recorded.
func (c *call) previous(ctx context.Context, name string) (*sessions.Session, error) {
	if name != "" {
		s, err := c.session(ctx, name)
		return &s, err
	}
	list, err := c.api.Sessions(ctx, ledger.SessionsRequest{})
	if err != nil {
		return nil, err
	}
	var young *sessions.Session
	for i := range list.Sessions {
		s := &list.Sessions[i]
		if s.Parent != "" || s.Unused() || s.Turns == 0 && s.Host != hostName {
			continue
		}
		if s.Turns > 1 || s.Seq > begun || s.Turns == 0 { // notes of a chat that is not recorded
			return s, nil
		}
		if young == nil {
			young = s
		}
	}
	return young, nil
}

// record returns the summary of a whole session, since a new chat has none of its messages. What it leaves out can
// be read by the session's id.
func (c *call) record(ctx context.Context, s sessions.Session) ([]string, error) {
	text, err := ledger.SummaryOfAll(ctx, c.api, s, resumeBudget)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return c.notes(ctx, s)
	}
	return []string{chars.Untagged(clean(text), memoryLike)}, nil
}

// notes returns what agents noted in a session without messages.
func (c *call) notes(ctx context.Context, s sessions.Session) ([]string, error) {
	texts, err := ledger.ReadNotes(ctx, c.api, s.ID)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	out := []string{"Notes of the agent, its own claims:"}
	for _, text := range texts {
		out = append(out, chars.Untagged(clean(text), memoryLike))
	}
	return out, nil
}

// surroundings returns memories and the newest file changes of the session, or of all sessions without one.
func (c *call) surroundings(ctx context.Context, s *sessions.Session) ([]string, error) {
	var parts []string
	page, err := c.api.Memories(ctx, ledger.MemoriesRequest{Body: true, Limit: listMost})
	if err != nil {
		return nil, err
	}
	for _, n := range page.Notes {
		parts = append(parts, "Note: "+inline(n))
	}
	if block := memory.Block(memory.Rank(page.Entries, "", 0), memoryBudget, memory.Tokens); block != "" {
		parts = append(parts, clean(strings.TrimSpace(block)))
	}
	of := changesArgs{Limit: changesDefault}
	if s != nil {
		of.Session = s.ID
	}
	r, err := changesOf(ctx, c, of)
	if err != nil {
		return nil, err
	}
	if len(r.Entries) > 0 {
		text, _ := upTo(r.String()+"\n", changesBudget)
		parts = append(parts, "Changed files, "+chars.Untagged(strings.TrimSpace(text), memoryLike))
	}
	return parts, nil
}
