package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/window/overflow"
)

const (
	// maxBody bounds an answer in bytes: far more than any summary, with what servers put around it.
	maxBody = 4 << 20
	// handshake is how long a server may take to be reached, apart from how long it thinks.
	handshake = 15 * time.Second
	agent     = "ctxledger"
)

// request is one request to a server.
type request struct {
	address string
	header  map[string]string
	key     string // in header; taken out of whatever the server says
	prompt  compaction.Prompt
	body    any
}

// post sends a request as JSON and reads the answer into out.
func (cl *Client) post(ctx context.Context, q request, out any) error {
	const op = "llm.post"
	raw, err := json.Marshal(q.body)
	if err != nil {
		return fault.Wrap(fault.Internal, op, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, q.address, bytes.NewReader(raw))
	if err != nil {
		return fault.New(fault.Invalid, op, "the address of the summarizer cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", agent)
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	resp, err := sender().Do(r)
	if err != nil {
		return cl.unreachable(ctx, err)
	}
	defer resp.Body.Close() // read to its end, or given up
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	tooMuch := len(answer) > maxBody
	answer = q.withoutKey(answer)
	switch {
	case tooMuch:
		return fault.New(fault.Limited, op, "%s answered with more than %d MiB", Place(cl.c), maxBody>>20)
	case err != nil:
		return cl.unreachable(ctx, err)
	case resp.StatusCode != http.StatusOK:
		return cl.refusal(resp.StatusCode, answer, q)
	case !isJSON(resp.Header.Get("Content-Type")):
		return fault.New(fault.Invalid, op, "%s answered with %s, not with JSON: is it the address of a model "+
			"server?",
			Place(cl.c), short(string(q.withoutKey([]byte(resp.Header.Get("Content-Type")))), 60))
	case failure(answer): // of something behind the server, under a status that says that all is well
		return cl.refusal(resp.StatusCode, answer, q)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fault.New(fault.Invalid, op, "%s answered with JSON that is not a model's answer", Place(cl.c))
	}
	return nil
}

// leastSecret is how long a key is that is one, in bytes. Local servers take words like "ollama" for theirs,
// which a summary may well have.
const leastSecret = 16

// withoutKey takes the key out of what a server says, as it is and as JSON writes it.
func (q request) withoutKey(said []byte) []byte {
	if len(q.key) < leastSecret {
		return said
	}
	said = bytes.ReplaceAll(said, []byte(q.key), []byte(keyGone))
	if quoted, err := json.Marshal(q.key); err == nil {
		said = bytes.ReplaceAll(said, quoted[1:len(quoted)-1], []byte(keyGone))
	}
	return said
}

// failure reports whether an answer is an error and nothing else.
func failure(answer []byte) bool {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Content json.RawMessage `json:"content"`
		Choices json.RawMessage `json:"choices"`
	}
	err := json.Unmarshal(answer, &e)
	return err == nil && len(e.Error) > 0 && string(e.Error) != "null" && e.Content == nil && e.Choices == nil
}

// sender returns what sends one request: no connection is kept, and no redirect is followed.
func sender() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			DialContext:         (&net.Dialer{Timeout: handshake}).DialContext,
			TLSHandshakeTimeout: handshake, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// userinfo is who somebody is to a proxy, in its address: errors quote that.
var userinfo = pattern.Lazy(`//[^/\s"]*@`)

// unreachable says that no whole answer came. What the system says of it may quote the server's address,
// which holds no secret, or that of a proxy, which may.
func (cl *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, "llm.post", ctx.Err())
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the method and the address around it
	}
	return fault.New(fault.Unavailable, "llm.post", "%s cannot be reached, or hung up: %s", Place(cl.c),
		cl.quote(userinfo().ReplaceAllString(err.Error(), "//"), 200))
}

// refusal turns a status and what the server says into an error.
func (cl *Client) refusal(status int, answer []byte, q request) error {
	const op = "llm.post"
	said := saidInError(answer)
	if said == "" && !json.Valid(answer) { // JSON of another form may hide in escapes what must not be reported
		said = string(answer)
	}
	said = visible(said)
	if q.key != "" { // before anything is cut, and after what hides it is gone: half of a key is a secret, too
		said = strings.ReplaceAll(said, q.key, keyGone)
	}
	where := Place(cl.c)
	told := func(code fault.Code, what string) *fault.Error {
		text := cl.quote(said, 300)
		if text == "" {
			return fault.New(code, op, "%s %s (status %d)", where, what, status)
		}
		return fault.New(code, op, "%s %s (status %d): %s", where, what, status, text)
	}
	switch {
	case status >= 300 && status < 400:
		return fault.New(fault.Denied, op, "%s redirects the request (status %d), which is not followed", where,
			status).
			WithHint("set url under summarizer to the address it should go to")
	case cl.tooLarge(overflow.Response{Status: status, Body: answer}, q.prompt):
		return told(fault.TooLarge, "says the prompt is too long")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return told(fault.Denied, "refuses the key").WithHint("%s", cl.keyHint())
	case status == http.StatusNotFound:
		return told(fault.NotFound, "does not know this model or address")
	case status == http.StatusTooManyRequests || status == 529:
		return told(fault.Limited, "rate-limited the request")
	case status >= 500 || status == http.StatusRequestTimeout:
		return told(fault.Unavailable, "failed")
	}
	return told(fault.Invalid, "refuses the request")
}
