package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// askAgain is how long what a server said of its context is believed: a model can be loaded again with another one.
	askAgain = time.Minute
	// askPatience is how long a server may take to say it.
	askPatience = time.Second
	// maxSaid bounds what it says, in bytes.
	maxSaid = 1 << 20
)

// The contexts that are believed, in tokens.
const leastContext, mostContext = 256, 100_000_000

// heard is what a server said of the context with which it has loaded a model.
type heard struct {
	tokens int // 0: it did not say
	at     time.Time
}

// questions are how servers on one's own machine are asked for the context that they have loaded, not for the one that the
// model was trained with. Each has its own, and the first that is answered counts.
var questions = []struct {
	path, body string
	read       func(answer []byte, model string) int
}{
	{"/api/ps", "", func(answer []byte, model string) int { // Ollama
		var a struct {
			Models []struct {
				Name    string `json:"name"`
				Context int    `json:"context_length"`
			} `json:"models"`
		}
		_ = json.Unmarshal(answer, &a) // it is another server's
		for _, m := range a.Models {
			if sameModel(m.Name, model) {
				return m.Context
			}
		}
		return 0
	}},
	{"/v1/models", "", listed},     // vLLM
	{"/api/v0/models", "", listed}, // LM Studio
	{"/props", "", func(answer []byte, _ string) int { // llama.cpp
		var a struct {
			Settings struct {
				Context int `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		_ = json.Unmarshal(answer, &a) // as above
		return a.Settings.Context
	}},
	{"/api/show", `{"model":%s}`, func(answer []byte, _ string) int { // Ollama, before /api/ps said it
		var a struct {
			Parameters string `json:"parameters"` // lines of a name and a value
		}
		_ = json.Unmarshal(answer, &a) // as above
		for line := range strings.Lines(a.Parameters) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
				n, _ := strconv.Atoi(f[1]) // 0 says nothing
				return n
			}
		}
		return 0
	}},
}

// listed reads a list of models as vLLM and LM Studio have it.
func listed(answer []byte, model string) int {
	var a struct {
		Data []struct {
			ID     string `json:"id"`
			Most   int    `json:"max_model_len"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	_ = json.Unmarshal(answer, &a) // it is another server's
	for _, m := range a.Data {
		if sameModel(m.ID, model) {
			return max(m.Most, m.Loaded)
		}
	}
	return 0
}

// sameModel compares names of models, of which one may have Ollama's usual tag.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// Near reports whether an address is one of this machine or of a private network.
func Near(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}

// loaded returns the context that the server of a request has loaded for its model, if it may be asked; 0: not known.
func (r *recorder) loaded(e *entry) int {
	base := r.Upstreams[e.provider]
	loaded := e.status == http.StatusOK || e.tooLarge != nil
	if !r.Ask[e.provider] || base == nil || !loaded || e.asked.model == "" {
		return 0
	}
	key := e.provider + "\x00" + e.asked.model
	known, asked := r.contexts[key]
	if now := r.Env.Now(); !asked || now.Sub(known.at) > askAgain {
		if len(r.contexts) >= maxTalks {
			clear(r.contexts)
		}
		known = heard{r.ask(base, e.asked.model, e.header), now}
		r.contexts[key] = known
	}
	return known.tokens
}

// ask asks a server, with the key of the request that it has just answered.
func (r *recorder) ask(base *url.URL, model string, header http.Header) int {
	ctx, cancel := context.WithTimeout(r.life, askPatience)
	defer cancel()
	for _, q := range questions {
		u := *base
		u.RawPath, u.Path = "", strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), "/v1")+q.path
		method, body := http.MethodGet, ""
		if q.body != "" {
			name, _ := json.Marshal(model) // a text
			method, body = http.MethodPost, strings.Replace(q.body, "%s", string(name), 1)
		}
		req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
		if err != nil {
			return 0
		}
		for _, name := range []string{"Authorization", "X-Api-Key"} {
			if key := header.Get(name); key != "" {
				req.Header.Set(name, key)
			}
		}
		resp, err := r.transport.RoundTrip(req) // which follows no redirect
		if err != nil {
			return 0
		}
		var said bytes.Buffer
		_, err = io.Copy(&said, io.LimitReader(resp.Body, maxSaid))
		_ = resp.Body.Close() // it was read
		if err != nil || resp.StatusCode != http.StatusOK {
			continue
		}
		if n := q.read(said.Bytes(), model); n >= leastContext && n <= mostContext {
			return n
		}
	}
	return 0
}
