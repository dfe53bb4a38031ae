package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"os"
	"reflect"
	"strconv"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/ledger"
)

// streams are the methods of engine.API that are no calls.
var streams = map[string]bool{"PutBlob": true, "ReadBlob": true, "Close": true}

// renamed lists the methods that have another name on the wire: older clients ask for that.
var renamed = map[string]string{"TurnStats": "Growth"}

// onWire returns the name by which a client asks for a method.
func onWire(method string) string { return cmp.Or(renamed[method], method) }

func TestEveryMethodOfTheAPIIsServedUnderItsName(t *testing.T) {
	api := reflect.TypeFor[ledger.API]()
	for i := range api.NumMethod() {
		name := onWire(api.Method(i).Name)
		if _, ok := methods[name]; ok == streams[name] {
			t.Errorf("%s: in the table: %v", name, ok)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "methods.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		line, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		name := link.WaitEvents
		if key, ok := line.Key.(*ast.BasicLit); ok {
			if name, err = strconv.Unquote(key.Value); err != nil {
				t.Fatal(err)
			}
		}
		if method := line.Value.(*ast.CallExpr).Args[0].(*ast.SelectorExpr).Sel.Name; onWire(method) != name {
			t.Errorf("%s is served by %s", name, method)
		}
		seen++
		return true
	})
	if seen != len(methods) {
		t.Errorf("%d lines for %d methods", seen, len(methods))
	}
}

// TestEveryMethodOfTheClientAsksForItself runs the client against an owner that only notes what
// it is asked.
func TestEveryMethodOfTheClientAsksForItself(t *testing.T) {
	state := stateDir(t)
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", link.Loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	o := link.Owner{Protocol: link.Protocol, Token: "token", PID: os.Getpid(), Address: "tcp:" + l.Addr().String()}
	if err := publish(o, state); err != nil {
		t.Fatal(err)
	}
	asked := make(chan link.Request, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		far, err := l.Accept()
		if err != nil {
			return
		}
		defer far.Close() // the client has
		if link.ReadJSON(far, link.HelloFrame, new(link.Hello)) != nil ||
			link.WriteJSON(far, link.Welcome{Protocol: link.Protocol}) != nil {
			return
		}
		for {
			r, err := link.ReadRequest(far)
			if err != nil {
				return
			}
			asked <- r
			// an owner may answer without raw bytes
			if link.WriteJSON(far, link.Response{ID: r.ID, Body: json.RawMessage("{}")}) != nil {
				return
			}
		}
	}()
	options := optionsFor(t, state)
	options.NoSpawn = true
	c := open(t, options)
	v := reflect.ValueOf(c)
	for i := range v.NumMethod() {
		name := onWire(v.Type().Method(i).Name)
		if streams[name] {
			continue
		}
		in := reflect.New(v.Method(i).Type().In(1)).Elem()
		out := v.Method(i).Call([]reflect.Value{reflect.ValueOf(context.Background()), in})
		if !out[1].IsNil() {
			t.Fatalf("%s: %v", name, out[1])
		}
		r := <-asked
		if r.Method != name || r.Deadline <= 0 {
			t.Errorf("%s asks for %s within %d ms", name, r.Method, r.Deadline)
		}
		var body ledger.Mutation
		if err := json.Unmarshal(r.Take(r.Body).Body, &body); err != nil {
			t.Fatal(err)
		}
		_, mutates := in.Type().FieldByName("Mutation")
		if (body.Key != "") != mutates {
			t.Errorf("%s: key %q", name, body.Key)
		}
	}
	if err := errors.Join(c.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// TestAnOwnerWithoutLimitsStopsNothing has an owner from before them: what it cannot count is no reason to refuse a compaction.
func TestAnOwnerWithoutLimitsStopsNothing(t *testing.T) {
	o := optionsFor(t, stateDir(t))
	served := methods["Limits"]
	delete(methods, "Limits")
	t.Cleanup(func() { methods["Limits"] = served }) // run after the daemon has ended
	run(t, Config{State: o.State, Workspace: o.Workspace})
	api := open(t, o)
	got, err := api.Limits(t.Context(), ledger.LimitsRequest{Session: "ab03de2c"})
	if err != nil || len(got.Spent) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
