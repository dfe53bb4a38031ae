package scriptededitor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// Message is one message of a server.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is what a server answers in the place of a result.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error returns the code and the message.
func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// errGone is what waits for a server that has ended gets.
var errGone = errors.New("the server has gone")

// Editor is a client of one server.
type Editor struct {
	done chan struct{} // closed when nothing more comes

	writing sync.Mutex
	in      io.WriteCloser // guarded by writing

	mu      sync.Mutex
	next    int                     // guarded by mu
	calls   map[string]chan Message // guarded by mu; that are not answered
	told    []Message               // guarded by mu; notifications, and answers to nothing
	asked   []Message               // guarded by mu; calls of the server
	answers map[string]any          // guarded by mu; what they are answered with
	bell    chan struct{}           // guarded by mu; closed when something comes
}

// New returns an editor that writes to in and reads from out until that ends.
func New(in io.WriteCloser, out io.Reader) *Editor {
	e := &Editor{in: in, done: make(chan struct{}), calls: map[string]chan Message{}, answers: map[string]any{},
		bell: make(chan struct{})}
	go e.read(bufio.NewReader(out))
	return e
}

// Close ends the server's input, and returns when its output has ended.
func (e *Editor) Close() error {
	e.writing.Lock()
	err := e.in.Close()
	e.writing.Unlock()
	<-e.done
	return err
}

// Gone is closed when the server's output has ended.
func (e *Editor) Gone() <-chan struct{} { return e.done }

// read takes in messages.
func (e *Editor) read(out *bufio.Reader) {
	defer close(e.done)
	for {
		m, err := receive(out)
		if err != nil {
			return
		}
		if m.Method != "" && m.ID != nil {
			e.reply(m)
			continue
		}
		e.mu.Lock()
		if c := e.calls[string(m.ID)]; c != nil && m.Method == "" {
			delete(e.calls, string(m.ID))
			c <- m
		} else {
			e.told = append(e.told, m)
		}
		e.ring()
		e.mu.Unlock()
	}
}

// receive reads one message.
func receive(out *bufio.Reader) (m Message, err error) {
	header, err := textproto.NewReader(out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// ring wakes who waits. e.mu is held.
func (e *Editor) ring() {
	close(e.bell)
	e.bell = make(chan struct{})
}

// reply answers a call of the server.
func (e *Editor) reply(m Message) {
	e.mu.Lock()
	e.asked = append(e.asked, m)
	answer := e.answers[m.Method]
	e.ring()
	e.mu.Unlock()
	if compute, ok := answer.(func() any); ok {
		answer = compute()
	}
	how := "result"
	if _, refused := answer.(*Error); refused {
		how = "error"
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, how: answer})
	if err == nil {
		_ = e.Write(raw) // whether the server is there shows elsewhere
	}
}

// Answer sets what calls of a method by the server are answered with, instead of null: a result, an *Error, or
// a func() any that returns one of these; nothing else is read before it returns.
func (e *Editor) Answer(method string, result any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers[method] = result
}

// Asked returns how often the server called a method.
func (e *Editor) Asked(method string) int {
	n := 0
	for _, m := range e.Calls() {
		if m.Method == method {
			n++
		}
	}
	return n
}

// Calls returns what the server called, in its order.
func (e *Editor) Calls() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked[:len(e.asked):len(e.asked)]
}

// Write sends a message as it is.
func (e *Editor) Write(body []byte) error {
	return e.Raw(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
}

// Raw sends bytes.
func (e *Editor) Raw(p []byte) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err := e.in.Write(p)
	return err
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) error {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return err
	}
	return e.Write(raw)
}

// Pending is a call that was sent.
type Pending struct {
	ID     int
	answer chan Message
	gone   <-chan struct{}
}

// Begin sends a call and does not wait.
func (e *Editor) Begin(method string, params any) (*Pending, error) {
	e.mu.Lock()
	e.next++
	p := &Pending{ID: e.next, answer: make(chan Message, 1), gone: e.done}
	e.calls[strconv.Itoa(p.ID)] = p.answer
	e.mu.Unlock()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.ID, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	return p, e.Write(raw)
}

// Wait waits for the answer, and decodes it into result unless that is nil. Errors: *Error.
func (p *Pending) Wait(ctx context.Context, result any) error {
	select {
	case m := <-p.answer:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-p.gone:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Call sends a call and waits for its answer.
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	p, err := e.Begin(method, params)
	if err != nil {
		return err
	}
	return p.Wait(ctx, result)
}

// Until waits until ok says so of everything that the server sent unasked, and returns that.
func (e *Editor) Until(ctx context.Context, ok func(told []Message) bool) ([]Message, error) {
	for {
		e.mu.Lock()
		told, bell := e.told[:len(e.told):len(e.told)], e.bell
		e.mu.Unlock()
		if ok(told) {
			return told, nil
		}
		select {
		case <-bell:
		case <-e.done:
			return told, errGone
		case <-ctx.Done():
			return told, ctx.Err()
		}
	}
}

// Initialize begins a session with these capabilities and settings, and returns what the server can.
func (e *Editor) Initialize(ctx context.Context, capabilities, settings, more map[string]any) (json.RawMessage, error) {
	params := map[string]any{"processId": nil, "rootUri": nil, "capabilities": capabilities,
		"initializationOptions": settings}
	for k, v := range more {
		params[k] = v
	}
	var result json.RawMessage
	if err := e.Call(ctx, "initialize", params, &result); err != nil {
		return nil, err
	}
	return result, e.Notify("initialized", map[string]any{})
}

// Open opens a document.
func (e *Editor) Open(uri, language, text string) error {
	return e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri,
		"languageId": language, "version": 1, "text": text}})
}

// Change edits a document.
func (e *Editor) Change(uri string, version int, r Range, with string) error {
	return e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version},
		"contentChanges": []any{map[string]any{"range": r, "text": with}},
	})
}

// Document returns the parameters of a call about a document, with more of them.
func Document(uri string, more map[string]any) map[string]any {
	p := map[string]any{"textDocument": map[string]any{"uri": uri}}
	for k, v := range more {
		p[k] = v
	}
	return p
}

// Leave says goodbye.
func (e *Editor) Leave(ctx context.Context) error {
	if err := e.Call(ctx, "shutdown", nil, nil); err != nil {
		return err
	}
	return e.Notify("exit", nil)
}
