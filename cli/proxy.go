package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/connection"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/proxy"
)

// served is what the command proxy answers when it serves.
type served struct {
	Address   string           `json:"address"`
	Providers []servedProvider `json:"providers"`
	Variables []proxy.Variable `json:"variables,omitempty"` // of agents
}

// servedProvider is a provider that the proxy passes requests on to.
type servedProvider struct {
	Name     string `json:"name"`
	BaseURL  string `json:"base_url,omitempty"` // for the agent
	Upstream string `json:"upstream"`
}

// maxToken bounds the token that is read from standard input.
const maxToken = 200

// proxyMemory is from how much memory on the proxy collects garbage more often, so that it stays below 100 MB.
const proxyMemory = 56 << 20

func proxyCommand() command {
	var listen string
	var upstream []string
	var beyond, behind, reduce bool
	return command{
		name: "proxy", near: []string{"serve", "gateway"},
		short: "Measure an agent's requests to its model, and pass them on",
		long: "Runs a proxy on this machine until it is interrupted, and prints the addresses to give to agents. Requests " +
			"and answers pass unchanged. The usage that the provider reports for each is recorded, and `ctxledger status` " +
			"shows it. `ctxledger with` does the same for one agent.\n\n" +
			"Requests go to the address that --upstream names, or else to the one in the agent's variable, or else to " +
			"the provider's own. PROVIDER is anthropic, openai or gemini. A server that --upstream names on this machine or a " +
			"private network is also asked how large a context it has loaded.",
		example: "ctxledger proxy --upstream openai=http://127.0.0.1:11434/v1",
		does:    keeps, undo: "it records", json: answers(served{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&listen, "listen", "127.0.0.1:0", "listen on this local `ADDRESS`")
			f.StringArrayVar(&upstream, "upstream", nil, "send requests to `PROVIDER=URL`; can be repeated")
			f.BoolVar(&reduce, "reduce", false, "make requests smaller: see docs/proxy.md")
			f.BoolVar(&beyond, "beyond-limits", false, "send requests even if a limit is reached")
			f.BoolVar(&behind, "behind", false, "read the token from standard input, and exit when it closes")
			_ = f.MarkHidden("behind") // which `ctxledger with` starts
		},
		run: func(ctx context.Context, a *action, _ []string) error {
			to, err := upstreams(a, upstream)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
			defer stop()
			token := a.Env.ID(16)
			if !behind {
				a.complain(problemsHere(a))
			} else {
				a.complained = problemsHere(a) // by the one that started it
				if token, ctx, err = behindParent(ctx, a); err != nil {
					return err
				}
			}
			c := proxy.Config{Token: token, Upstreams: to, Ask: asked(upstream, to), Reduce: reduce || a.reduces()}
			if !beyond {
				c.Limited = limited(a)
			}
			return serveProxy(ctx, a, c, listen, behind)
		},
	}
}

// limited returns what says whether limits are configured here now.
func limited(a *action) func() bool {
	ws, err := a.find()
	if err != nil {
		return nil // nothing is recorded
	}
	files := config.NewLoader(a.Env, nil)
	return func() bool {
		c, _ := files.Load(ws.Root, ws.State)
		return len(c.LimitsSet()) > 0
	}
}

// reduces reports whether the person's settings have requests made smaller.
func (a *action) reduces() bool {
	ws, err := a.find()
	c, _ := config.Load(a.Env, ws.Root, "") // what is wrong with it, others say
	return err == nil && c.Reduce
}

// upstreams returns where requests go to, by what options and variables say.
func upstreams(a *action, options []string) (map[string]*url.URL, error) {
	given := map[string]string{}
	for _, o := range options {
		name, address, found := strings.Cut(o, "=")
		if !found {
			return nil, misuse("--upstream takes PROVIDER=URL, not %q", o)
		}
		given[name] = address
	}
	return proxy.Upstreams(given, a.Env.Lookup)
}

// asked returns the servers of which a person named the address, and that are near enough to be asked what they have loaded.
func asked(options []string, to map[string]*url.URL) map[string]bool {
	out := map[string]bool{}
	for _, o := range options {
		name, _, _ := strings.Cut(o, "=")
		out[name] = proxy.Near(to[name])
	}
	return out
}

// behindParent reads the token, and returns a context that ends with standard input.
func behindParent(ctx context.Context, a *action) (string, context.Context, error) {
	in := bufio.NewReader(io.LimitReader(a.In, maxToken))
	line, err := in.ReadString('\n')
	token := strings.TrimSpace(line)
	if err != nil || token == "" {
		return "", nil, fault.New(fault.Invalid, "cli.proxy", "standard input has no token")
	}
	ctx, end := context.WithCancel(ctx)
	go func() { // ends with the process: reading standard input cannot be interrupted
		defer end()
		_, _ = io.Copy(io.Discard, a.In)
	}()
	return token, ctx, nil
}

// serveProxy serves until ctx ends.
func serveProxy(ctx context.Context, a *action, c proxy.Config, listen string, behind bool) error {
	shared := connection.NewLazy(func(ctx context.Context) (ledger.API, error) {
		err := a.open(ctx)
		api := a.ledger
		a.ledger = nil // the connection closes it
		if err == nil && a.place.Root == "" {
			_ = api.Close() // nothing was written
			err = fault.New(fault.NotFound, "cli.proxy", "no workspace here: %s", a.place.Why)
		}
		return api, err
	})
	defer shared.Close() // what was acknowledged is recorded
	debug.SetMemoryLimit(proxyMemory)
	c.Env, c.Dir = a.Env, a.Env.Dir
	c.Ledger = func(ctx context.Context) (proxy.Ledger, error) { return shared.Get(ctx) }
	c.Say = func(text string) { a.say("%s", text) }
	return proxy.Serve(ctx, c, listen, func(address string) error {
		out := served{Address: address}
		base := "http://" + address + "/" + c.Token
		if !behind {
			out.Variables = proxy.Variables(base, "", a.Env.Lookup)
		}
		for _, p := range proxy.Providers() {
			s := servedProvider{Name: p.Name, Upstream: c.Upstreams[p.Name].String()}
			if !behind {
				s.BaseURL = base + "/" + p.Name
			}
			out.Providers = append(out.Providers, s)
		}
		return a.answer(out, func(w io.Writer) {
			why := ""
			for _, v := range out.Variables {
				if v.Why != why {
					fmt.Fprintf(w, "# %s\n", v.Why)
				}
				fmt.Fprintf(w, "%s=%s\n", v.Name, v.Value)
				why = v.Why
			}
			for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
				a.say("%s: requests go to %s", name, c.Upstreams[name])
			}
		})
	})
}
