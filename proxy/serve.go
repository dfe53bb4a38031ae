package proxy

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// Provider is a kind of API that the proxy passes requests on to.
type Provider struct {
	Name      string     // the segment of the path behind the token
	Address   string     // of the provider, unless another one is named
	Variables []Variable // in which agents look for the address; without values
}

// Variable is an environment variable of agents behind a proxy.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// Providers are the kinds of API that the proxy knows.
func Providers() []Provider {
	return []Provider{
		{"anthropic", "https://api.anthropic.com", []Variable{{Name: "ANTHROPIC_BASE_URL",
			Why: "Claude Code and other clients of Anthropic read their address here"}}},
		{"openai", "https://api.openai.com/v1", []Variable{{Name: "OPENAI_BASE_URL",
			Why: "clients of OpenAI read their address here; Codex needs an argument: -c openai_base_url=ADDRESS"},
			{Name: "OPENAI_API_BASE", Why: "older clients of OpenAI read it here"}}},
		{"gemini", "https://generativelanguage.googleapis.com", []Variable{{Name: "GOOGLE_GEMINI_BASE_URL",
			Why: "Gemini CLI reads its address here"}}},
	}
}

// Variables are those that an agent needs behind a proxy at an address with its token, besides the ones that it has: the address
// of a provider, "" for all, and what that requires.
func Variables(base, provider string, lookup func(string) string) (out []Variable) {
	for _, p := range Providers() {
		for _, v := range p.Variables {
			if v.Value = base + "/" + p.Name; provider == "" || provider == p.Name {
				out = append(out, v)
			}
		}
	}
	if lookup("ENABLE_TOOL_SEARCH") == "" && (provider == "" || provider == "anthropic") {
		out = append(out, Variable{"ENABLE_TOOL_SEARCH", "true",
			"else Claude Code sends the definitions of all tools to an address that it does not know"})
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		out = append(out, Variable{name, strings.Trim(lookup(name)+",127.0.0.1", ","),
			"requests to this machine must not go to a proxy of your network"})
	}
	return out
}

// Upstreams returns the addresses of the providers: those given by their names, else those that the variables of the
// environment name, else the providers' own. Errors: invalid.
func Upstreams(given map[string]string, lookup func(string) string) (map[string]*url.URL, error) {
	out := map[string]*url.URL{}
	for _, p := range Providers() {
		address, from := given[p.Name], "the address of "+p.Name
		for i := 0; address == "" && i < len(p.Variables); i++ {
			from = p.Variables[i].Name
			address = lookup(from)
		}
		if address == "" {
			address = p.Address
		}
		u, err := parseUpstream(address)
		if err != nil {
			return nil, fault.New(fault.Invalid, "proxy.upstream", "%s: %s", from, err).
				WithHint("for example https://api.anthropic.com")
		}
		out[p.Name] = u
		delete(given, p.Name)
	}
	for name := range given {
		return nil, fault.New(fault.Invalid, "proxy.upstream", "there is no provider %.40q", name).
			WithHint("the providers are anthropic, openai and gemini")
	}
	return out, nil
}

// parseUpstream reads the address of a provider.
func parseUpstream(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("it has to be http:// or https:// with a host, and without a user, query or fragment")
	}
	return u, nil
}

const (
	// leave is how long answers that are under way may take when the proxy ends.
	leave = 2 * time.Second
	// headers is how long an agent may take to send the headers of a request.
	headers = 30 * time.Second
)

// Serve passes requests on until ctx ends. listen is an address of this machine, of which the port may be 0; ready gets the
// one in use. Errors: invalid for an address that others can reach; unavailable for one that is taken.
func Serve(ctx context.Context, c Config, listen string, ready func(address string) error) error {
	const op = "proxy.listen"
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fault.New(fault.Invalid, op, "%.80q is not an address that only this machine can reach", listen).
			WithHint("for example 127.0.0.1:8080")
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		if e, ok := errors.AsType[*net.OpError](err); ok {
			err = e.Err // the message names the address
		}
		return fault.New(fault.Unavailable, op, "cannot listen on %.80s: %s", listen, err).
			WithHint("port 0 takes one that is free")
	}
	s := New(c, l.Addr().String())
	defer s.Close()
	served := &http.Server{Handler: s, ReadHeaderTimeout: headers, ErrorLog: log.New(nowhere{}, "", 0)}
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(l) }()
	if err = ready(l.Addr().String()); err == nil {
		select {
		case <-ctx.Done():
		case err = <-ended:
			return fault.Wrap(fault.Unavailable, op, err)
		}
	}
	soon, cancel := context.WithTimeout(context.Background(), leave)
	defer cancel()
	if served.Shutdown(soon) != nil {
		_ = served.Close() // what is under way is cut off
	}
	<-ended
	return err
}
