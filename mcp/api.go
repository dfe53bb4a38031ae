package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// Paths of the API for programs. Below APIPath is a path for each operation.
const (
	APIPath    = "/v1/"
	SchemaPath = APIPath + "openapi.json"
	EventsPath = APIPath + "events"
)

// Operation is what the harnesses, and the API's document, know of one.
type Operation struct {
	Name, Says string
	Input      json.RawMessage // JSON schema of the arguments
	Role       access.Role     // the least that may run it, with some arguments
}

// Operations returns all that programs can ask over HTTP.
func Operations() (all []Operation) {
	for _, o := range operations() {
		least := o.needs(nil)
		if o.reads != nil {
			least = access.Read
		}
		all = append(all, Operation{o.name, o.description, json.RawMessage(o.wholeInput()), least})
	}
	return all
}

// Route is what answers a request of the API's: served and documented by one value.
type Route struct {
	Method, Path string
	Name, Says   string
	Role         access.Role // the least that may ask
	Handler      http.HandlerFunc
	input        json.RawMessage  // JSON schema of the body; nil: there is none
	parameters   []map[string]any // of the address
	streams      bool             // it answers as long as the caller listens
}

// API answers programs that speak no MCP: POST APIPath and the name of an operation, with its arguments as JSON. Answers are
// its value as JSON, or an error. handle gets each pattern with its handler, and stream that of one which does not end by
// itself. more are routes of others, which belong to the API too. Errors: internal.
func (s *Server) API(handle func(pattern string, h http.Handler), stream func(pattern string, h http.HandlerFunc),
	more ...Route) error {
	all, err := s.routes(more)
	if err != nil {
		return err
	}
	method := map[string]string{} // by path
	for _, r := range all {
		answers := func(w http.ResponseWriter, asked *http.Request) {
			if err := r.strange(asked); err != nil {
				s.fail(w, err)
				return
			}
			r.Handler(w, asked)
		}
		method[r.Path] = r.Method
		if pattern := r.Method + " " + r.Path; r.streams {
			stream(pattern, answers)
		} else {
			handle(pattern, http.HandlerFunc(answers))
		}
	}
	handle(APIPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := http.StatusNotFound, fault.New(fault.NotFound, "mcp.api", "there is no such operation")
		if m := method[r.URL.Path]; m != "" {
			w.Header().Set("Allow", m)
			status, err = http.StatusMethodNotAllowed, fault.New(fault.Invalid, "mcp.api", "%s takes %s", r.URL.Path, m)
		}
		s.failAs(w, status, err.WithHint("GET %s lists all operations", SchemaPath))
	}))
	return nil
}

// strange refuses a parameter in the address that the route does not know: it would be ignored.
func (r Route) strange(asked *http.Request) error {
	var known []string
	for _, p := range r.parameters {
		known = append(known, p["name"].(string)) // as parameter made it
	}
	for _, name := range slices.Sorted(maps.Keys(asked.URL.Query())) {
		if slices.Contains(known, name) {
			continue
		}
		err := fault.New(fault.Invalid, "mcp.api", "unknown parameter %.100q in the address", name)
		if r.input != nil {
			return err.WithHint("arguments are the body, a JSON object")
		}
		return err.WithHint("known: %s", cmp.Or(strings.Join(known, ", "), "none"))
	}
	return nil
}

// routes returns all of the API, the last of which answers with the document of the others and itself.
func (s *Server) routes(more []Route) ([]Route, error) {
	all := append([]Route{{Method: http.MethodGet, Path: EventsPath, Name: "events", Role: access.Read,
		Says:    "The events of the workspace as a stream (text/event-stream), resumed by Last-Event-ID.",
		Handler: s.Events, streams: true,
		parameters: []map[string]any{parameter("after", "the number of an event"),
			parameter("kinds", "kinds of events, separated by commas"),
			parameter("session", "default: all")}}}, more...)
	for i, o := range operations() {
		checked, err := parseSchema(o)
		if err != nil {
			return nil, err
		}
		known := Operations()[i]
		all = append(all, Route{
			Method: http.MethodPost, Path: APIPath + o.name, Name: o.name,
			Says: known.Says, Role: known.Role, input: known.Input,
			Handler: func(w http.ResponseWriter, r *http.Request) { s.operate(w, r, o, checked) },
		})
	}
	document := Route{Method: http.MethodGet, Path: SchemaPath, Name: "openapi", Role: access.Read,
		Says: "This document."}
	raw := openAPI(s.o.Version, append(all, document))
	document.Handler = func(w http.ResponseWriter, _ *http.Request) { s.write(w, http.StatusOK, raw) }
	return append(all, document), nil
}

// operate runs an operation.
func (s *Server) operate(w http.ResponseWriter, r *http.Request, o tool, sc schema) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != typeJSON {
		s.notJSON(w)
		return
	}
	body, cut := s.readBody(w, r)
	if cut != nil {
		s.fail(w, fault.New(fault.TooLarge, "mcp.api", "the body is cut off, or longer than %d MiB",
			limits.MCPMessage>>20))
		return
	}
	answer, err := guarded("operation "+o.name, func() (reply, error) {
		_, err := jsonspan.Whole(body, maxDepth)
		if err == nil && !utf8.Valid(body) {
			err = errors.New("it is not UTF-8")
		}
		if err != nil {
			return reply{}, fault.New(fault.Invalid, "mcp.api", "the body is not one JSON value of at most %d levels: %.200s",
				maxDepth, err)
		}
		ctx := s.alone(r.Context())
		defer func() { _ = clientOf(ctx).Close() }() // what was answered stays
		return s.perform(ctx, o, sc, body, ledger.SessionRequest{})
	})
	if err != nil {
		s.fail(w, err)
		return
	}
	raw, err := json.Marshal(answer.value)
	if err != nil {
		s.fail(w, fault.Wrap(fault.Internal, "mcp.api", err))
		return
	}
	s.write(w, http.StatusOK, raw)
}

// statuses are those of errors.
var statuses = map[fault.Code]int{
	fault.Invalid: http.StatusBadRequest, fault.NotFound: http.StatusNotFound, fault.Conflict: http.StatusConflict,
	fault.Stale: http.StatusConflict, fault.TooLarge: http.StatusRequestEntityTooLarge,
	fault.Limited: http.StatusTooManyRequests, fault.Denied: http.StatusForbidden,
	fault.Unavailable: http.StatusServiceUnavailable, fault.Locked: http.StatusServiceUnavailable,
	fault.Moved: http.StatusServiceUnavailable, fault.Full: http.StatusInsufficientStorage,
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, err error) {
	s.failAs(w, cmp.Or(statuses[fault.CodeOf(err)], http.StatusInternalServerError), err)
}

// failAs is fail with the status that HTTP has for it.
func (s *Server) failAs(w http.ResponseWriter, status int, err error) {
	raw := plainJSON(map[string]any{"error": map[string]string{
		"code": string(fault.CodeOf(err)), "message": s.explain(err)}})
	s.write(w, status, []byte(raw))
}

// notJSON refuses a body of another type.
func (s *Server) notJSON(w http.ResponseWriter) {
	s.failAs(w, http.StatusUnsupportedMediaType,
		fault.New(fault.Invalid, "mcp.http", "Content-Type must be "+typeJSON))
}

const (
	// listen is how long a stream of events is silent before it says that it is still there.
	listen = 15 * time.Second
	// streamFor is how long a stream goes on. Then the program asks again, with a token that may have been revoked.
	streamFor = 5 * time.Minute
)

// Events answers with the events of the caller's workspace as a stream, from the one after Last-Event-ID or `after` on.
func (s *Server) Events(w http.ResponseWriter, r *http.Request) {
	q, err := eventsOf(r)
	if err == nil && s.o.Permit != nil {
		err = s.o.Permit(r.Context(), "events", access.Read)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // else it would end the stream
	ctx, cancel := context.WithTimeout(s.alone(r.Context()), streamFor)
	defer cancel()
	defer func() { _ = clientOf(ctx).Close() }() // it was only read from
	c, err := s.newCall(ctx)
	if err != nil {
		s.fail(w, err)
		return
	}
	a := &httpAnswer{server: s, w: w, streams: true}
	for {
		got, err := c.api.WaitEvents(ctx, q)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !a.streaming:
			s.fail(w, err)
			return
		case err != nil:
			return
		}
		if a.events(got) != nil {
			return
		}
		q.After, q.WaitMS = got.Next, listen.Milliseconds()
	}
}

// eventsOf reads which events are asked for.
func eventsOf(r *http.Request) (q ledger.WaitEventsRequest, err error) {
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	if after != "" {
		if q.After, err = strconv.ParseInt(after, 10, 64); err != nil {
			return q, fault.New(fault.Invalid, "mcp.events", "after is %.40q, not the number of an event", after)
		}
	}
	q.Session = r.URL.Query().Get("session")
	if kinds := r.URL.Query().Get("kinds"); kinds != "" {
		q.Kinds = strings.Split(kinds, ",")
	}
	return q, nil
}

// events writes events, or that there are none yet.
func (a *httpAnswer) events(got ledger.WaitEventsResponse) error {
	var b bytes.Buffer
	if got.Missed {
		b.WriteString("event: missed\ndata: {}\n\n")
	}
	for _, e := range got.Events {
		fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, plainJSON(e))
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, ": the newest is %d\n\n", got.Next)
	}
	a.begin()
	return a.flush(b.Bytes())
}

// openAPI returns the document of routes.
func openAPI(version string, routes []Route) []byte {
	paths := map[string]map[string]any{}
	for _, r := range routes {
		asked := map[string]any{"operationId": r.Name, "description": r.Says + " Role: " + string(r.Role) + ".",
			"responses": map[string]any{"200": map[string]any{"description": "its value"},
				"default": map[string]any{"description": "an error: its code and message"}}}
		if r.input != nil {
			asked["requestBody"] = map[string]any{"required": true,
				"content": map[string]any{typeJSON: map[string]any{"schema": r.input}}}
		}
		if r.parameters != nil {
			asked["parameters"] = r.parameters
		}
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]any{}
		}
		paths[r.Path][strings.ToLower(r.Method)] = asked
	}
	raw, _ := json.MarshalIndent(map[string]any{ // plain values
		"openapi": "3.1.0", "info": map[string]any{"title": "ctxledger", "version": version}, "paths": paths,
		"security": []any{map[string]any{"token": []string{}}},
		"components": map[string]any{"securitySchemes": map[string]any{"token": map[string]any{
			"type": "http", "scheme": "bearer"}}},
	}, "", "  ")
	return raw
}

// parameter is one of an address.
func parameter(name, says string) map[string]any {
	return map[string]any{"name": name, "in": "query", "description": says, "schema": map[string]any{"type": "string"}}
}
