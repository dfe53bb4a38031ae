package audit

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"strings"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/intents"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

const (
	// maxPart bounds the arguments of a read and the command of a shell that are kept for comparison, in bytes.
	maxPart = 64 << 10
	// stretch is how much text is searched for names at a time, in bytes: transcript.Extract stops at
	// so many names of one text.
	stretch = 4 << 10
)

// entries makes the entries of a report of the records of one file.
type entries struct {
	seed   maphash.Seed
	counts map[uint64]int           // tokens of long texts, of which a session has many again and again
	names  bool                     // look for what texts name
	mask   func(text string) string // before that: a name in a list has lost what would show that it is a secret
}

const (
	// longText is from how many bytes on a text's count is remembered, and maxTexts bounds how many are.
	longText = 256
	maxTexts = 10_000
)

// tokens counts a text.
func (x *entries) tokens(text string) int {
	if len(text) < longText {
		return tokens.O200kBase.CountString(text)
	}
	id := maphash.String(x.seed, text)
	n, known := x.counts[id]
	if !known {
		n = tokens.O200kBase.CountString(text)
		if len(x.counts) < maxTexts {
			x.counts[id] = n
		}
	}
	return n
}

// of makes the entry of a record.
func (x *entries) of(r *sessionfile.Record) report.Entry {
	said := r.Spoken()
	e := report.Entry{
		ID: r.ID, Parent: r.Parent, Time: r.Time, Thread: r.Thread, Request: r.Request(), Compaction: r.Compaction,
		Prompt: said.Role == transcript.RoleUser && !r.Aside && !r.Summary, Copied: r.Continues != "" || r.Again,
	}
	for _, p := range said.Parts {
		if piece, ok := x.piece(r, said.Role, p); ok {
			if x.names {
				p.Text, p.Args = x.mask(p.Text), json.RawMessage(x.mask(string(p.Args)))
				piece.Names = namesOf(p)
			}
			e.Pieces = append(e.Pieces, piece)
		}
	}
	if a := r.Attached; a != nil && len(e.Pieces) > 0 {
		e.Pieces[0].Action = &report.Action{Read: a.Path}
		if a.Partial {
			e.Pieces[0].Action.Part = "a part"
		}
	}
	return e
}

// piece makes a piece of a part of a message.
func (x *entries) piece(r *sessionfile.Record, role transcript.Role, p transcript.Part) (report.Piece, bool) {
	out := report.Piece{Class: speaker(r, role), Text: p.Text, Call: p.ID, Tokens: p.MediaTokens(r.Format)}
	switch p.Kind {
	case transcript.KindText:
	case transcript.KindReasoning:
		out.Class = report.Reasoning
	case transcript.KindCall:
		out.Class, out.Text = report.Calls, string(p.Args)
		out.Action = actionOf(p)
	case transcript.KindResult:
		out.Class, out.Failed = report.Result, p.IsError
	case transcript.KindImage:
		if role == transcript.RoleTool {
			out.Class = report.Result
		}
		return out, true
	default:
		return out, false
	}
	out.Tokens += x.tokens(out.Text)
	return out, true
}

// speaker says whose a message is.
func speaker(r *sessionfile.Record, role transcript.Role) report.Class {
	switch {
	case r.Summary:
		return report.Summary
	case role == transcript.RoleAssistant:
		return report.Assistant
	case r.Aside:
		return report.Host
	default:
		return report.User
	}
}

// actionOf says what a call does.
func actionOf(p transcript.Part) *report.Action {
	meaning := intents.Classify(p.Name, p.Args)
	a := &report.Action{Tool: p.Name, Command: clip(meaning.Command)}
	if meaning.Op == intents.OpRead && meaning.Target != "" {
		a.Read, a.Part = meaning.Target, clip(partOf(p.Args, meaning.Target))
	}
	return a
}

// partOf returns what the arguments of a read say besides the path, which has several spellings.
func partOf(args json.RawMessage, target string) string {
	var said map[string]any
	if json.Unmarshal(args, &said) != nil {
		return string(args)
	}
	maps.DeleteFunc(said, func(_ string, v any) bool { return v == target })
	part, _ := json.Marshal(said) // it was JSON
	return string(part)
}

// clip returns as much of the beginning of a text as is kept.
func clip(s string) string { return strings.Clone(s[:min(len(s), maxPart)]) }

// namesOf returns the identifiers and paths that a part names.
func namesOf(p transcript.Part) []string {
	if p.Kind == transcript.KindCall {
		return factsOf(p)
	}
	var all []string
	for text := p.Text; text != ""; {
		n := min(len(text), stretch)
		if i := strings.LastIndexAny(text[:n], " \t\n"); n < len(text) && i > 0 {
			n = i + 1
		}
		all = append(all, factsOf(transcript.Part{Kind: transcript.KindText, Text: text[:n]})...)
		text = text[n:]
	}
	return all
}

func factsOf(p transcript.Part) []string {
	f := transcript.Extract(transcript.Message{Parts: []transcript.Part{p}})
	return append(f.Paths, f.Names...)
}
