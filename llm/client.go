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
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/tokens"
)

// The servers and variables of the vendors, where nothing else is configured.
const (
	anthropicURL = "https://api.anthropic.com"
	anthropicKey = "ANTHROPIC_API_KEY"
	openaiURL    = "https://api.openai.com/v1"
	openaiKey    = "OPENAI_API_KEY"
)

// Client asks one model. It is safe for concurrent use.
type Client struct {
	// Died, if set before the first request, is told the last 40 lines that a program said before it failed,
	// masked, but neither cleaned nor on one line as they are in the error.
	Died func(said string)

	c      config.Summarizer
	env    env.Env
	window int
	output int
	masks  *redact.Redactor // of what servers and programs say
	ask    func(ctx context.Context, p compaction.Prompt) (compaction.Reply, error)
}

var _ compaction.Summarizer = (*Client)(nil)

// New returns a client for a summarizer; models says how large the model's window is. model, unless it is
// empty, takes the place of the configured one. Errors: invalid for a key that would travel in the clear,
// or a model for a command, which has its own.
func New(c config.Summarizer, e env.Env, models *tokens.Registry, model string) (*Client, error) {
	const op = "llm.new"
	if model != "" && c.Kind == config.KindCommand {
		return nil, fault.New(fault.Invalid, op, "the summarizer is a command, which names its model itself: another one cannot be asked for")
	}
	if model != "" {
		c.Model = model
	}
	cl := &Client{c: c, env: e, masks: redact.New([]byte(e.ID(32)))}
	switch c.Kind {
	case config.KindAnthropic:
		cl.defaults(anthropicURL, anthropicKey)
		cl.ask = cl.askAnthropic
	case config.KindOpenAI:
		cl.defaults(openaiURL, openaiKey)
		cl.ask = cl.askOpenAI
	default:
		cl.ask = cl.askCommand
	}
	if cl.keyed() && !private(cl.c.URL) {
		return nil, fault.New(fault.Invalid, op, "the key would travel to %s in the clear", Place(cl.c)).
			WithHint("give an https:// address, or no key")
	}
	known, _ := models.Lookup(cl.c.Model)
	cl.window, cl.output = known.Window, known.Output
	if c.Output > 0 {
		cl.output = c.Output
	}
	return cl, nil
}

// defaults sets the vendor's address, and with it the vendor's key where none is named.
func (cl *Client) defaults(address, variable string) {
	if cl.c.URL == "" {
		cl.c.URL = address
		if cl.c.KeyEnv == "" && len(cl.c.KeyCommand) == 0 {
			cl.c.KeyEnv = variable
		}
	}
}

// keyed reports whether requests carry a key.
func (cl *Client) keyed() bool { return cl.c.KeyEnv != "" || len(cl.c.KeyCommand) > 0 }

// private reports whether what is sent to an address can be read by nobody on the way.
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
		err = fault.New(fault.Unavailable, "llm.ask", "%s did not answer within %s", Place(cl.c), cl.c.Timeout.Round(time.Millisecond)).
			WithHint("allow more with timeout under summarizer in %s", config.File)
	}
	return r, err
}

// Author returns who writes summaries with this model: all requests of one summary together within the
// configured time.
func (cl *Client) Author() engine.Author {
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
	switch {
	case c.Kind == config.KindCommand:
		return "the command " + short(c.Command[0], 200)
	case c.URL == "" && c.Kind == config.KindAnthropic:
		return host(anthropicURL)
	case c.URL == "":
		return host(openaiURL)
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
