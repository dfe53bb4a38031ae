package mcp

import (
	"cmp"
	"context"
	"errors"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxMeta bounds what is read of a member, in bytes: no host's id is longer.
const maxMeta = 256

// chat is the request for the session that a call belongs to, by what the host sends with it. Variables of the process
// do not count: a host may share one server among chats, and its variables stay as they are when a chat ends.
func chat(meta *proto.Meta) (r ledger.SessionRequest) {
	if meta == nil {
		return r
	}
	text := func(name string) string {
		s, _ := meta.AdditionalFields[name].(string)
		if name == "" || len(s) > maxMeta {
			return ""
		}
		return s
	}
	for _, a := range registry.All() {
		if r.Call = text(a.Client.Call); r.Call != "" {
			return r
		}
		for _, member := range a.Client.Chat {
			if r.HostID = text(member); r.HostID != "" {
				r.Host = string(a.Name)
				return r
			}
		}
	}
	return r
}

// session finds the session of a call: the named one, or the one that the host says it belongs to. Errors: not_found,
// unknownChat for the call's own; conflict, which lists the candidates.
func (c *call) session(ctx context.Context, name string) (sessions.Session, error) {
	r := c.chat
	if name != "" {
		r = ledger.SessionRequest{Name: name}
	}
	if !r.ByHost() && name == "" {
		return sessions.Session{}, c.unknownChat(ctx)
	}
	s, err := ledger.FindSession(ctx, c.api, r)
	if name == "" && fault.Is(err, fault.NotFound) {
		err = c.unknownChat(ctx)
	}
	return s, err
}

// errUnknownChat is in the chain of the error for a chat without a recorded session.
var errUnknownChat = errors.New("this chat is not recorded")

// unknownChat is that error. No other session is named: it is somebody else's.
func (c *call) unknownChat(ctx context.Context) error {
	why := "its host does not say which chat it is"
	if c.chat.ByHost() {
		why = "its session may not be written yet, or run in another directory"
	}
	if info, err := c.api.Info(ctx, ledger.InfoRequest{}); err == nil && !c.once {
		why = cmp.Or(info.NotFollowed(c.chat.Host), why)
	}
	e := &fault.Error{Code: fault.NotFound, Op: "mcp.session", Err: errUnknownChat}
	return e.WithHint(`%s. Hand the conversation to compact_conversation as "messages" (the answer has an id for later `+
		`calls), or pass the id of a recorded session as "session"`, why)
}
