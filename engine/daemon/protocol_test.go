package daemon

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/ledger"
)

// freeze writes down the API of the present protocol, as a release does.
var freeze = flag.Bool("freeze", false, "write the API of this protocol to testdata")

// TestOlderProtocolsAreStillServed compares the API with those of earlier protocols, as they were
// released: whatever an older client may ask for and expects to find in an answer is still there. Where
// the API has grown since, the protocol has risen, so that a newer client never meets an owner that
// does not understand it.
func TestOlderProtocolsAreStillServed(t *testing.T) {
	now := wireForm()
	if *freeze {
		write(t, frozen(link.Protocol), strings.Join(now, "\n")+"\n")
	}
	newest := 0
	for p := link.OldestProtocol; p <= link.Protocol; p++ {
		raw, err := os.ReadFile(frozen(p))
		if os.IsNotExist(err) && p == link.Protocol {
			continue // not released yet
		}
		if err != nil {
			t.Fatal(err)
		}
		newest = p
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSuffix(line, "\n"); !slices.Contains(now, line) {
				t.Errorf("protocol %d has %q, which a client of it relies on", p, line)
			}
		}
		if n := strings.Count(string(raw), "\n"); p == link.Protocol && len(now) != n {
			t.Errorf("the API has changed since protocol %d was released: raise the protocol", p)
		}
	}
	if link.Protocol-newest > 1 {
		t.Errorf("protocol %d was never released, but %d is spoken", newest+1, link.Protocol)
	}
}

func frozen(p int) string { return filepath.Join("testdata", fmt.Sprintf("api-%d.txt", p)) }

// wireForm returns the API as it is seen on the wire: a line for each field of each request and answer.
func wireForm() []string {
	var out []string
	api := reflect.TypeFor[ledger.API]()
	for i := range api.NumMethod() {
		m := api.Method(i)
		for j := 1; j < m.Type.NumIn(); j++ { // the first is the context
			out = fields(out, m.Name+" <", m.Type.In(j), nil)
		}
		for j := range m.Type.NumOut() {
			out = fields(out, m.Name+" >", m.Type.Out(j), nil)
		}
	}
	forget := reflect.TypeOf(forgetArtifact) // the one method that only older protocols have
	out = fields(out, "ForgetArtifact <", forget.In(2), nil)
	for j := range forget.NumOut() {
		out = fields(out, "ForgetArtifact >", forget.Out(j), nil)
	}
	slices.Sort(out)
	return out
}

// fields appends the fields of a type, those of what it holds included.
func fields(out []string, path string, t reflect.Type, above []reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]() || t.Kind() == reflect.Interface || slices.Contains(above, t):
		return append(out, path+" "+t.String())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return append(out, path+" bytes")
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map:
		return fields(out, path+"[]", t.Elem(), above)
	case t.Kind() != reflect.Struct:
		return append(out, path+" "+t.Kind().String())
	}
	above = append(slices.Clip(above), t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case f.Anonymous && name == "":
			out = fields(out, path, f.Type, above)
		default:
			out = fields(out, path+"."+name, f.Type, above)
		}
	}
	return out
}
