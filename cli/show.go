package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/paging"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/records"
	"ctxledger.dev/sessions"
)

func showCommand() command {
	s := showing{turn: records.AllTurns}
	return command{
		name: "show", args: "[SESSION [TURN]]", short: "Read a session, or one turn of it",
		long: "Prints what was said in a session, turn by turn. Reasoning and the results of calls are one line each, with " +
			"the handle that `ctxledger artifact read` prints. On a terminal it is shown in the pager that PAGER names.",
		example: "ctxledger show ab03de2c 2\nctxledger show ab03de2c --markdown > session.md",
		does:    keeps, json: answers(shownSession{}),
		flags: func(f *pflag.FlagSet) { f.BoolVar(&s.markdown, "markdown", false, "print Markdown") },
		check: func(a *action, args []string) (err error) {
			if len(args) > 1 {
				if s.turn, err = strconv.Atoi(args[1]); err != nil || s.turn < 0 {
					return misuse("TURN is the number of a turn, not %q", args[1])
				}
			}
			if s.markdown && a.json {
				return misuse("--markdown and --json cannot be used together")
			}
			return nil
		},
		ask: s.run,
	}
}

// showing is a run of the show command.
type showing struct {
	turn     int // records.AllTurns or one
	markdown bool
	*action
	reader records.Reader
}

// shownSession is what the show command answers.
type shownSession struct {
	Session sessions.Session `json:"session"`
	sessions.Cost
	Turns []records.Turn `json:"turns"`
}

func (s *showing) run(ctx context.Context, a *action, args []string) error {
	found, err := a.session(ctx, strings.Join(args[:min(1, len(args))], ""))
	if err == nil {
		err = ledger.RefuseGone(found)
	}
	if err != nil {
		return err
	}
	st, err := a.ledger.Status(ctx, ledger.StatusRequest{Session: found.ID, Counted: true})
	if err != nil {
		return err
	}
	s.action, s.reader = a, records.Reader{API: a.ledger, Now: a.Env.Now()}
	write := func(w io.Writer) error { return s.write(ctx, w, st) }
	switch {
	case a.json:
		return s.asJSON(ctx, st)
	case terminal(a.Out):
		return paging.Write(ctx, a.Env, a.Out, write)
	}
	return write(a.Out)
}

// asJSON answers with the turns, secrets masked.
func (s *showing) asJSON(ctx context.Context, st ledger.Status) error {
	out := shownSession{Session: st.Session, Cost: st.Cost, Turns: []records.Turn{}}
	size := 0
	for t, err := range s.turns(ctx, st) {
		if err != nil {
			return err
		}
		raw, err := json.Marshal(t)
		if err != nil {
			return fault.Wrap(fault.Internal, "cli.show", err)
		}
		if size += len(raw); size > maxJSON {
			return tooLongForJSON("session " + st.Session.ID)
		}
		out.Turns = append(out.Turns, t)
	}
	return s.answerJSON(out)
}

// turns yields the turns that are shown, with secrets masked. Errors: not_found for a turn that the session does not have.
func (s *showing) turns(ctx context.Context, st ledger.Status) iter.Seq2[records.Turn, error] {
	return func(yield func(records.Turn, error) bool) {
		none := true
		for t, err := range s.reader.Turns(ctx, st, s.turn) {
			none = false
			s.mask(&t)
			if !yield(t, err) {
				return
			}
		}
		if none && s.turn != records.AllTurns {
			yield(records.Turn{}, fault.New(fault.NotFound, "cli.show", "session %s has no turn %d: it has %s",
				st.Session.ID, s.turn, chars.Plural(st.Session.Turns, "turn")))
		}
	}
}

// mask masks the secrets in the texts of a turn, before anything is cut or escaped.
func (s *showing) mask(t *records.Turn) {
	for i := range t.Messages {
		m := &t.Messages[i]
		m.Text = s.masks.String(m.Text)
		for k := range m.Calls {
			m.Calls[k].Name, m.Calls[k].Target = s.masks.String(m.Calls[k].Name), s.masks.String(m.Calls[k].Target)
		}
	}
}

// write writes the session for a person.
func (s *showing) write(ctx context.Context, w io.Writer, st ledger.Status) error {
	head := ""
	if s.turn == records.AllTurns {
		head = s.head(st)
	}
	for t, err := range s.turns(ctx, st) {
		if err != nil {
			return err
		}
		text := head + s.text(t)
		if s.markdown {
			if text, err = s.reader.Markdown(ctx, t); err != nil {
				return err
			}
			text = head + chars.Plain(text)
		}
		if _, err := io.WriteString(w, strings.TrimPrefix(text, "\n")); err != nil {
			return fault.Wrap(fault.Unavailable, "cli.show", err)
		}
		head = "\n"
	}
	return nil
}

// head says which session it is.
func (s *showing) head(st ledger.Status) string {
	if s.markdown {
		return chars.Plain(s.masks.String(s.reader.Head(st)))
	}
	x := st.Session
	about := []string{x.Host, st.Model, s.stamp(x.Created) + " – " + s.stamp(x.Updated), chars.Plural(x.Turns, "turn")}
	if cost := st.Cost.Words(); cost != "" {
		about = append(about, cost)
	}
	return fmt.Sprintf("session %s: %s\n%s\n", x.ID, s.line(x.Titled(), 120), s.line(strings.Join(about, " · "), 300))
}

// text returns a turn as it is read on a terminal. Stored text is indented, so that it cannot pass as ours.
func (s *showing) text(t records.Turn) string {
	var b strings.Builder
	b.WriteString("\n" + s.bold(s.reader.Name(t)) + "\n")
	speaker := ""
	for _, m := range t.Messages {
		if m.Note != "" {
			b.WriteString("\n" + chars.Line(m.Note) + ".\n")
			continue
		}
		switch {
		case m.Chars > 0:
			b.WriteString("\n" + s.bold(m.Speaker) + "  " + m.Handle + "\n" + inset(said(m)))
		case m.Speaker != speaker: // whose calls and reasoning follow
			b.WriteString("\n" + s.bold(m.Speaker) + "\n")
		}
		speaker = m.Speaker
		if m.Reasoning != nil {
			b.WriteString("  reasoning: " + m.Reasoning.Tokens() + ", " + m.Handle + "\n")
		}
		for _, c := range m.Calls {
			b.WriteString("  " + s.line(strings.TrimSpace(c.Name+" "+c.Target), 120) + ": " + outcome(c) + "\n")
		}
	}
	return b.String()
}

// bold returns a text in bold where the terminal may be styled.
func (s *showing) bold(text string) string {
	if !s.colours() {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// said returns what a message says, safe to show.
func said(m records.Message) string {
	if m.Text == "" {
		return chars.Plural(m.Chars, "character") + ", not shown: `ctxledger artifact read " + m.Handle + "` prints it"
	}
	return chars.Plain(strings.ReplaceAll(m.Text, "\r\n", "\n"))
}

// inset indents each line of a text.
func inset(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n" }

// outcome says what became of a call, and which handle reads its result.
func outcome(c records.Call) string {
	if c.Result == nil {
		return "no result"
	}
	text := c.Result.Tokens()
	if c.Failed {
		text = "failed, " + text
	}
	if c.Handle != "" {
		text += ", " + c.Handle
	}
	return text
}
