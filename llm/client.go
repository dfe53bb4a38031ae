package llm

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"net/url"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/ledger"
	"ctxledger.dev/trust"
)

// Client asks one model. It is safe for concurrent use.
type Client struct {
	// Died, if set before the first request, receives the last 40 lines that a program said before it failed,
	// masked, but neither cleaned nor on one line as they are in the error.
	Died func(said string)

	c        config.Summarizer
	approved trust.Approved
	env      env.Env
	window   int
	output   int
	masks    *redact.Redactor // of what servers and programs say
	ask      func(ctx context.Context, p compaction.Prompt) (compaction.Reply, error)
}

var _ compaction.Summarizer = (*Client)(nil)

// New returns a client for a summarizer that may be used: there is no other way to have a program run or a server
// asked. model, unless it is empty, takes the place of the configured one. Errors: denied where nothing is approved;
// invalid for a key that would travel in the clear, or a model for a command, which has its own.
func New(a trust.Approved, e env.Env, model string) (*Client, error) {
	const op = "llm.new"
	c := a.Summarizer()
	if model != "" && c.Kind == config.KindCommand {
		return nil, fault.New(fault.Invalid, op,
			"the summarizer is a command, which names its own model: no other model can be requested")
	}
	if model != "" {
		c.Model = model
	}
	cl := &Client{c: c, approved: a, env: e, masks: redact.New([]byte(e.ID(32)))}
	switch c.Kind {
	case config.KindAnthropic:
		cl.ask = cl.askAnthropic
	case config.KindOpenAI:
		cl.ask = cl.askOpenAI
	case config.KindCommand:
		cl.ask = cl.askCommand
	default:
		return nil, fault.New(fault.Denied, op, "no summarizer is approved")
	}
	if cl.keyed() && !private(cl.c.URL) {
		return nil, fault.New(fault.Invalid, op, "the key would travel to %s in the clear", Place(cl.c)).
			WithHint("give an https:// address, or no key")
	}
	known, _ := a.Models().Lookup(cl.c.Model)
	cl.window, cl.output = known.Window, known.Output
	if c.Output > 0 {
		cl.output = c.Output
	}
	return cl, nil
}

// Config returns what the client was made of.
func (cl *Client) Config() config.Summarizer { return cl.c }

// keyed reports whether requests carry a key.
func (cl *Client) keyed() bool { return cl.c.KeyEnv != "" || len(cl.c.KeyCommand) > 0 }

// private reports whether no one can read on the way what is sent to an address.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" {
		return err == nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// Limits implements compaction.Summarizer.
func (cl *Client) Limits() (window, output int) { return cl.window, cl.output }

// Summarize implements compaction.Summarizer. Errors: too_large for a prompt beyond the model's window;
// denied for a key that is missing or refused; limited when the server wants to be left alone, or says too
// much; not_found for a model that it does not know; unavailable when it cannot be reached in time.
func (cl *Client) Summarize(ctx context.Context, p compaction.Prompt) (compaction.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, cl.c.Timeout)
	defer cancel()
	r, err := cl.ask(ctx, p)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fault.New(fault.Unavailable, "llm.ask", "%s did not answer within %s", Place(cl.c),
			cl.c.Timeout.Round(time.Millisecond)).
			WithHint("allow more with timeout under summarizer")
	}
	return r, err
}

// Author returns who writes summaries with this model: all requests of one summary together within the
// configured time.
func (cl *Client) Author() ledger.Author {
	return func(ctx context.Context, b *compaction.Brief) (compaction.Answer, error) {
		limited, cancel := context.WithTimeout(ctx, cl.c.Timeout)
		defer cancel()
		b.Template = cl.c.Template
		a, err := compaction.Ask(limited, b, cl)
		if a.Run.Model == "" {
			a.Run.Model = cmp.Or(cl.c.Model, Place(cl.c))
		}
		return a, err
	}
}

// quote is what a server or a program says, as one masked line.
func (cl *Client) quote(said string, limit int) string {
	return short(cl.masks.String(visible(said)), limit)
}

// Place says in words where a summarizer's prompts go: the server's host, or the program.
func Place(c config.Summarizer) string {
	if c.Kind == config.KindCommand {
		return "the command " + short(c.Command[0], 200)
	}
	return host(c.URL)
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Host
}
