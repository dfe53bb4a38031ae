package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxledger.dev/given"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// The tools by which several agents of one session tell each other what they know. They are offered where the person who
// starts the server asks for them: each request pays for a tool. What they record is an agent's own claim.

// agentTools returns them, and the name under which other programs know one of them, which no list shows.
func agentTools() []tool {
	alias := sessionContextTool()
	alias.name, alias.hidden = "session_context_write", true
	return []tool{sessionContextTool(), attemptTool(), hypothesisTool(), handoffTool(), saveTool(), alias}
}

// whoProperties are the arguments that all of them have.
const whoProperties = `"agent":{"type":"string","description":"your name"},` +
	`"session":{"type":"string","description":"default: this chat"}`

func sessionContextTool() tool {
	return tool{
		name: "session_context",
		description: "What the next agent must know: state, decisions, open points. With summary it replaces the whole text; " +
			"without, it returns it. version restores an earlier one.",
		does:  "keeps one text for the next agent; earlier versions can be restored",
		hints: hints{idempotent: true},
		input: `{"type":"object","properties":{"summary":{"type":"string"},"version":{"type":"integer"},` +
			whoProperties + `}}`,
		output:  `{"type":"object","properties":{"text":{"type":"string"},"session":{"type":"string"},"versions":{"type":"integer"}}}`,
		forms:   map[string]string{"summary": `"The handler works; open: pagination."`, "version": "1"},
		secrets: "masked", why: "before storing, by `engine.KeepNotes`",
		calls: []string{`{"session":"SESSION"}`},
		run:   takes(shareContext),
	}
}

func attemptTool() tool {
	return tool{
		name:        "log_attempt",
		description: "Logs something you tried and what came of it, so that no agent tries it again.",
		does:        "logs what was tried",
		input: `{"type":"object","properties":{"attempt":{"type":"string"},"outcome":{"type":"string"},` +
			whoProperties + `},"required":["attempt"]}`,
		output:  noteOutput,
		forms:   map[string]string{"attempt": `"pin the driver to 1.2"`, "outcome": `"same error"`},
		secrets: "silent", why: "it returns only an id",
		calls: []string{`{"session":"SESSION","attempt":"x"}`},
		run: logs(func(a noteArgs) sessions.Notes {
			return sessions.Notes{Kind: sessions.NotesAttempt, Text: a.Attempt, Reason: a.Outcome}
		}),
	}
}

func hypothesisTool() tool {
	return tool{
		name:        "log_hypothesis",
		description: "Logs a suspected cause, or what became of one, by its id.",
		does:        "logs a hypothesis, and whether it was confirmed or rejected",
		input: `{"type":"object","properties":{"hypothesis":{"type":"string"},` +
			`"id":{"type":"string","description":"of one that was logged"},` +
			`"status":{"type":"string","enum":["open","confirmed","rejected"]},"reason":{"type":"string"},` +
			whoProperties + `}}`,
		output:  noteOutput,
		forms:   map[string]string{"id": `"h1"`, "status": `"rejected"`},
		secrets: "silent", why: "it returns only an id",
		calls: []string{`{"session":"SESSION","hypothesis":"x"}`},
		run: logs(func(a noteArgs) sessions.Notes {
			return sessions.Notes{Kind: sessions.NotesHypothesis, Text: a.Hypothesis, ID: a.ID, Status: a.Status,
				Reason: a.Reason}
		}),
	}
}

func handoffTool() tool {
	return tool{
		name:        "handoff",
		description: "Hands your work to another agent, with what the configuration declares for it.",
		does:        "records what one agent hands to another, as the configuration declares",
		input: `{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"},` +
			`"session":{"type":"string","description":"default: this chat"}},"required":["from","to"]}`,
		output:  `{"type":"object","properties":{"text":{"type":"string"},"session":{"type":"string"}}}`,
		forms:   map[string]string{"from": `"Developer"`, "to": `"Tester"`},
		secrets: "masked", why: "by `given.HandOff`",
		calls: []string{`{"session":"SESSION","from":"Developer","to":"Tester"}`},
		run:   takes(handOver),
	}
}

// noteOutput is the schema of noteResult.
const noteOutput = `{"type":"object","properties":{"id":{"type":"string"},"session":{"type":"string"},"text":{"type":"string"}}}`

// noteArgs are the arguments of the tools.
type noteArgs struct {
	Summary    *string `json:"summary"`
	Version    int     `json:"version"`
	Attempt    string  `json:"attempt"`
	Outcome    string  `json:"outcome"`
	Hypothesis string  `json:"hypothesis"`
	ID         string  `json:"id"`
	Status     string  `json:"status"`
	Reason     string  `json:"reason"`
	Agent      string  `json:"agent"`
	Session    string  `json:"session"`
	From       string  `json:"from"`
	To         string  `json:"to"`
}

// noteResult is the result of the tools.
type noteResult struct {
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Session  string `json:"session,omitempty"`
	Versions int    `json:"versions,omitempty"` // of the session context
}

// readChars is how much of a session context a reader gets, in characters.
const readChars = 8_000

// Answers that other programs know.
const (
	contextHeading = "[Session context (context_summary.md)]\n\n"
	contextCut     = "\n\n[session context truncated — %s chars omitted. If earlier context is needed, re-read the source " +
		"files directly.]"
	contextAbsent = "There is no session context summary yet. Before you hand over, write one: pass it as summary."
)

// shareContext runs session_context.
func shareContext(ctx context.Context, c *call, a noteArgs) (reply, error) {
	s, err := a.of(ctx, c)
	if err != nil {
		return reply{}, err
	}
	var kept []sessions.Notes
	if s.ID != "" {
		if kept, err = given.Notes(ctx, c.api, s, sessions.NotesContext); err != nil {
			return reply{}, err
		}
	}
	switch {
	case a.Version != 0:
		if a.Version < 1 || a.Version > len(kept) {
			return reply{}, fault.New(fault.NotFound, "mcp.session_context",
				"there is no version %d of the session context: it has %d", a.Version, len(kept))
		}
		a.Summary = &kept[a.Version-1].Text
	case a.Summary == nil:
		r, err := c.givenRequest(ctx, s, "", "")
		if err != nil {
			return reply{}, err
		}
		text, err := given.SessionContext(ctx, c.api, r)
		return reply{noteResult{Text: text, Session: s.ID, Versions: len(kept)}, readable(text)}, err
	}
	_, id, err := a.log(ctx, c, s, sessions.Notes{Kind: sessions.NotesContext, Text: *a.Summary})
	n := len(kept) + 1
	return reply{noteResult{Session: id, Versions: n},
		fmt.Sprintf("written: version %d of the context of session %s", n, id)}, err
}

// readable returns a session context as an agent reads it.
func readable(text string) string {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return contextAbsent
	}
	return contextHeading + given.Cut(text, readChars, contextCut)
}

// logs makes the function of a tool that records what its arguments say.
func logs(notes func(a noteArgs) sessions.Notes) runner {
	return takes(func(ctx context.Context, c *call, a noteArgs) (reply, error) {
		s, err := a.of(ctx, c)
		if err != nil {
			return reply{}, err
		}
		n, id, err := a.log(ctx, c, s, notes(a))
		return reply{noteResult{ID: n.ID, Session: id},
			strings.Join(strings.Fields("logged "+n.ID+" "+n.Status+" in session "+id), " ")}, err
	})
}

// handOver runs handoff.
func handOver(ctx context.Context, c *call, a noteArgs) (reply, error) {
	s, err := c.session(ctx, a.Session)
	if err != nil {
		return reply{}, err
	}
	r, err := c.givenRequest(ctx, s, a.To, "")
	if err != nil {
		return reply{}, err
	}
	out, err := given.HandOff(ctx, c.api, r, a.From)
	text := cmp.Or(out.Handoff, "nothing was handed over: no declared source has content")
	return reply{noteResult{Text: out.Handoff, Session: out.Session}, text}, err
}

// of returns the session that notes belong to, that of its parent for a subagent's; the zero value where the chat is not
// recorded.
func (a *noteArgs) of(ctx context.Context, c *call) (sessions.Session, error) {
	s, err := c.session(ctx, a.Session)
	if errors.Is(err, errUnknownChat) {
		return sessions.Session{}, nil
	}
	if err != nil {
		return s, err
	}
	return given.Root(ctx, c.api, s)
}

// log records notes of the agent in a session: in a new one where the chat is not recorded.
func (a *noteArgs) log(
	ctx context.Context, c *call, s sessions.Session, n sessions.Notes,
) (sessions.Notes, string, error) {
	n.Agent = cmp.Or(strings.TrimSpace(a.Agent), agentname.Of(c.client))
	return given.Log(ctx, c.api, s, hostName, n)
}

// givenRequest returns a request for what an agent of a session is given.
func (c *call) givenRequest(ctx context.Context, s sessions.Session, agent, task string) (given.Request, error) {
	root, err := c.tree(ctx)
	if err == nil && s.ID != "" {
		s, err = given.Root(ctx, c.api, s)
	}
	r := given.Request{Agent: agent, Session: s, Task: task, Root: root, Env: c.o.Env, Spec: spec.Spec{}}
	if c.o.Given != nil {
		r.Spec, r.Told = c.o.Given(root)
	}
	return r, err
}
