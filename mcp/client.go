package mcp

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	proto "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxledger.dev/internal/connection"
	"ctxledger.dev/ledger"
)

// Client is one client of a server, and all that the server knows of it from one message to the next: what it told of
// itself, its ledger, its unanswered requests, and the newest answers that come in pages.
type Client struct {
	server  *Server
	session *server.InProcessSession // what the MCP library knows of it
	ledger  *connection.Lazy[opened] // the tool list must not wait for a daemon
	send    func(line []byte) error  // takes what the server says unasked; nil: nobody does
	long    longAnswers
	once    bool          // there is no next message: long answers are not kept
	roots   chan []string // as it lists them
	told    atomic.Int64  // tokens of what it was told when it began, see beginning
	busy    chan struct{} // holds a token for each tool at work
	open    sync.Map      // the ids of unanswered requests, each as keyOf
}

// opened is the ledger of a client.
type opened struct {
	Ledger
	tree string // see Opener
}

// Connect returns a client of which nothing is known yet. With send the server sends it a line that is no answer: a
// request, or a notification. nil: it is sent none. It is called at any time, and concurrently.
func (s *Server) Connect(send func(line []byte) error) *Client {
	c := &Client{server: s, session: server.NewInProcessSession(s.o.Env.ID(8), nil), send: send,
		roots: make(chan []string, 1), busy: make(chan struct{}, workers)}
	c.ledger = connection.NewLazy(func(ctx context.Context) (opened, error) {
		api, tree, err := s.open(ctx, c.listRoots(ctx))
		return opened{api, tree}, err
	})
	return c
}

// Context returns a context for Server.Handle: the message comes from this client.
func (c *Client) Context(ctx context.Context) context.Context {
	return context.WithValue(c.server.mcp.WithContext(ctx, c.session), clientKey{}, c)
}

type clientKey struct{}

// Close releases the client's ledger.
func (c *Client) Close() error { return c.ledger.Close() }

// clientOf returns the client whose message it is; nil: nobody's.
func clientOf(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// begin keeps the id of a request until end. It reports false if a request with the same id is unanswered.
func (c *Client) begin(id json.RawMessage) bool {
	_, used := c.open.LoadOrStore(keyOf(id), nil)
	return !used
}

func (c *Client) end(id json.RawMessage) { c.open.Delete(keyOf(id)) }

// keyOf returns what two spellings of one valid id have in common.
func keyOf(id json.RawMessage) (key any) {
	_ = json.Unmarshal(id, &key) // checked
	return key
}

// forward sends what the MCP library has for the client besides the answer, in order and before the answer.
func (c *Client) forward() {
	for {
		select {
		case n := <-c.session.ClientNotifications():
			if line, err := json.Marshal(n); err == nil && c.send != nil {
				_ = c.send(line) // whoever sends knows
			}
		default:
			return
		}
	}
}

// Limits of the request for roots.
const (
	rootsPatience = 2 * time.Second // then the client has no roots
	maxRoots      = 16
	rootsID       = 1
	rootsRequest  = `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`
)

// listRoots asks the client for its roots, if Options.AskRoots is set and the client offers them. Only clients of the older
// protocol can be asked: in the newer one a server sends no requests. A client that does not answer has no roots.
func (c *Client) listRoots(ctx context.Context) []string {
	offered := c.session.GetClientCapabilities().Roots != nil && c.send != nil && !server.IsModernRequest(ctx)
	if !c.server.o.AskRoots || !offered {
		return nil
	}
	select {
	case <-c.roots: // too late, or without being asked
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, rootsPatience)
	defer cancel()
	_ = c.send([]byte(rootsRequest)) // whoever sends knows
	select {
	case uris := <-c.roots:
		return uris
	case <-ctx.Done():
		c.server.o.Log.Warn("the client does not list its roots", "error", ctx.Err().Error())
		return nil
	}
}

// hear takes an answer of the client, if it is about roots: nothing else is asked. It reports whether it was.
func (c *Client) hear(line []byte) bool {
	var answer struct {
		ID     any                   `json:"id"`
		Result proto.ListRootsResult `json:"result"` // empty in an error
	}
	if json.Unmarshal(line, &answer) != nil || answer.ID != float64(rootsID) {
		return false
	}
	var uris []string
	for _, r := range answer.Result.Roots[:min(len(answer.Result.Roots), maxRoots)] {
		uris = append(uris, r.URI)
	}
	select {
	case c.roots <- uris:
		return true
	default:
		return false
	}
}

// Ledger is what the server uses of a ledger.
type Ledger interface {
	ledger.Events
	ledger.MessageTaker
	ledger.SessionReader
	ledger.Shrinker
	ledger.ArtifactStore
	ledger.MemoryStore
	ledger.Files
	ledger.Erasure
	ledger.Eraser
	ledger.Calibration
	ledger.Limited
	io.Closer
}
