package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

// registrable are the capabilities of a client that takes registrations of these methods, can be asked for settings,
// and changes them while it runs.
func registrable(names ...string) map[string]any {
	all := map[string]any{"diagnostic": map[string]any{}}
	for _, n := range names {
		all[n] = map[string]any{"dynamicRegistration": true}
	}
	return map[string]any{"textDocument": all, "workspace": map[string]any{"configuration": true,
		"didChangeConfiguration": map[string]any{"dynamicRegistration": true}}}
}

// allNames are the methods that depend on settings.
var allNames = []string{"codeAction", "codeLens", "definition", "diagnostic", "documentSymbol", "foldingRange", "hover",
	"inlayHint", "references", "rename", "semanticTokens"}

// visible are the settings of all methods, hidden of none.
var (
	visible = map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "folding": true,
		"countSelection": true, "agentFiles": true, "graphs": true, "diagnostics": []string{"long-lines"}}
	hidden = map[string]any{"lens": "off", "hover": "off", "hints": 0, "symbols": false, "folding": false,
		"countSelection": false, "agentFiles": false, "graphs": false, "diagnostics": []string{}}
)

// ownDocuments are the methods that are for some documents only.
var ownDocuments = map[string]bool{"completion": true, "definition": true, "references": true, "rename": true,
	"semanticTokens": true}

// registrations plays what the server asked the client to register, as a client does that minds: nothing twice, and
// nothing goes that is not there.
func registrations(t *testing.T, calls []scriptededitor.Message) (names []string) {
	t.Helper()
	ids := map[string]string{}
	for _, call := range calls {
		var p struct {
			Registrations, Unregisterations []struct {
				ID, Method      string
				RegisterOptions map[string]json.RawMessage
			}
		}
		if !strings.HasPrefix(call.Method, "client/") {
			continue
		}
		if err := json.Unmarshal(call.Params, &p); err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Registrations {
			if ids[r.ID] != "" || r.ID == "" {
				t.Errorf("%+v is registered twice", r)
			}
			own := ownDocuments[strings.TrimPrefix(r.Method, "textDocument/")]
			if !own && string(r.RegisterOptions["documentSelector"]) != "null" { // the client's own
				t.Errorf("the options of %s are %s", r.Method, r.RegisterOptions)
			}
			ids[r.ID] = r.Method
		}
		for _, r := range p.Unregisterations {
			if ids[r.ID] != r.Method {
				t.Errorf("%+v was not registered: %v", r, ids)
			}
			delete(ids, r.ID)
		}
	}
	for _, method := range ids {
		names = append(names, strings.TrimPrefix(method, "textDocument/"))
	}
	slices.Sort(names)
	return names
}

// untilRegistered waits until the client has just these.
func (f *fixture) untilRegistered(t *testing.T, want []string) {
	t.Helper()
	slices.Sort(want)
	for f.ctx.Err() == nil {
		if slices.Equal(registrations(t, f.Calls()), want) {
			return
		}
		f.sync(t)
	}
	t.Fatalf("registered are %v, not %v", registrations(t, f.Calls()), want)
}

// sync returns when the server has taken in what was sent.
func (f *fixture) sync(t *testing.T) {
	t.Helper()
	err := f.Call(f.ctx, "textDocument/foldingRange", scriptededitor.Document("untitled:none", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryMethodIsOfferedOnce has clients that take registrations of all methods, of some and of none: what is offered
// when they begin and what is registered later never overlap, and together are what the settings want.
func TestEveryMethodIsOfferedOnce(t *testing.T) {
	for _, names := range [][]string{nil, {"hover"}, {"codeLens", "diagnostic", "foldingRange"},
		slices.Clone(allNames)} {
		for what, settings := range map[string]map[string]any{"all": visible, "nothing": hidden} {
			f := newFixture(t, nil)
			raw, err := f.Initialize(f.ctx, registrable(names...), settings, nil)
			if err != nil {
				t.Fatal(err)
			}
			var offered struct{ Capabilities map[string]json.RawMessage }
			if err := json.Unmarshal(raw, &offered); err != nil {
				t.Fatal(err)
			}
			var dynamic []string
			for _, n := range allNames {
				static := offered.Capabilities[n+"Provider"] != nil
				registers := slices.Contains(names, n)
				if want := what == "all" && !registers; static != want {
					t.Errorf("registrable %v, %s wanted: %s is offered: %v", names, what, n, static)
				}
				if what == "all" && registers {
					dynamic = append(dynamic, n)
				}
			}
			f.untilRegistered(t, dynamic)
		}
	}
}

// TestWhoseSettingsStayIsOfferedEverythingAtOnce has a client that takes registrations and does not say that its settings
// change: what they want is there when it attaches its first document, and what they want later is registered.
func TestWhoseSettingsStayIsOfferedEverythingAtOnce(t *testing.T) {
	names := append(slices.Clone(allNames), "completion")
	can := registrable(names...)
	delete(can["workspace"].(map[string]any), "didChangeConfiguration")
	f := newFixture(t, nil)
	raw, err := f.Initialize(f.ctx, can, map[string]any{"lens": "always", "hints": 1, "symbols": false}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var offered struct{ Capabilities map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &offered); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		// What is for some documents only is registered: static, it would be offered for all.
		want := slices.Contains([]string{"codeAction", "codeLens", "diagnostic", "hover", "inlayHint"}, n)
		if offered.Capabilities[n+"Provider"] != nil == want {
			continue
		}
		t.Errorf("%s is offered: %v", n, !want)
	}
	completion := func(want ...string) {
		t.Helper()
		f.untilRegistered(t, append(want, "completion"))
	}
	ofGraphs := []string{"definition", "references", "rename", "semanticTokens"}
	completion(ofGraphs...)
	for _, c := range []struct {
		settings map[string]any
		want     []string
	}{
		{visible, append(ofGraphs, "documentSymbol", "foldingRange")},
		{hidden, nil}, // of what was offered at once the answers are empty
	} {
		err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": c.settings})
		if err != nil {
			t.Fatal(err)
		}
		completion(c.want...)
	}
	if err := f.Open("untitled:x", "markdown", "# A\n"); err != nil {
		t.Fatal(err)
	}
	var lenses []any
	err = f.Call(f.ctx, "textDocument/codeLens", scriptededitor.Document("untitled:x", nil), &lenses)
	if err != nil || len(lenses) > 0 {
		t.Errorf("lenses that are off: %v, %v", lenses, err)
	}
}

// TestWhatIsRegisteredIsRequested has a client be asked to request what is registered, for open documents.
func TestWhatIsRegisteredIsRequested(t *testing.T) {
	f := newFixture(t, nil)
	can := registrable("codeLens", "inlayHint")
	for _, n := range []string{"codeLens", "inlayHint"} {
		can["workspace"].(map[string]any)[n] = map[string]any{"refreshSupport": true}
	}
	if _, err := f.Initialize(f.ctx, can, map[string]any{"lens": "always"}, nil); err != nil {
		t.Fatal(err)
	}
	last := func(method string, after ...string) {
		t.Helper()
		for f.ctx.Err() == nil {
			var calls []string
			for _, m := range f.Calls() {
				calls = append(calls, m.Method)
			}
			if n := len(calls); n > 0 && calls[n-1] == method && f.Asked("client/registerCapability") == len(after) {
				return
			}
			f.sync(t)
		}
		t.Fatalf("%s is not requested after %v", method, after)
	}
	last("workspace/codeLens/refresh", "lens")
	err := f.Notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"lens": "off", "hints": 1}})
	if err != nil {
		t.Fatal(err)
	}
	last("workspace/inlayHint/refresh", "lens", "hints")
}

// TestWhoCannotRequestAgainIsSent has clients that request diagnostics: those that cannot be told to do it again are sent
// them, for they would show old ones until somebody edits the file.
func TestWhoCannotRequestAgainIsSent(t *testing.T) {
	for _, again := range []bool{false, true} {
		f := newFixture(t, nil)
		raw, err := f.Initialize(f.ctx, map[string]any{
			"textDocument": map[string]any{"diagnostic": map[string]any{}, "publishDiagnostics": map[string]any{}},
			"workspace":    map[string]any{"diagnostics": map[string]any{"refreshSupport": again}},
		}, map[string]any{"diagnostics": []string{"long-lines"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(raw), `"diagnosticProvider"`); got != again {
			t.Errorf("told again: %v, requests are offered: %v", again, got)
		}
		if err := f.Open("untitled:x", "markdown", strings.Repeat("z", 2001)); err != nil {
			t.Fatal(err)
		}
		if again {
			continue
		}
		_, err = f.Until(f.ctx, func(told []scriptededitor.Message) bool {
			return slices.ContainsFunc(told, func(m scriptededitor.Message) bool {
				return strings.Contains(string(m.Params), "long-lines")
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRegistrationsFollowTheSettings changes them, in all ways, and many times fast: the client ends with what the last
// ones want.
func TestRegistrationsFollowTheSettings(t *testing.T) {
	send := func(t *testing.T, f *fixture, settings map[string]any) {
		err := f.Notify("workspace/didChangeConfiguration",
			map[string]any{"settings": map[string]any{"ctxledger": settings}})
		if err != nil {
			t.Fatal(err)
		}
	}
	have := func(t *testing.T, f *fixture, settings map[string]any) { // and say only that there are some
		f.Answer("workspace/configuration", []any{settings})
		if err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(*testing.T, *fixture, map[string]any){"sent": send, "asked for": have} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			if _, err := f.Initialize(f.ctx, registrable(allNames...), hidden, nil); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				settings map[string]any
				want     []string
			}{
				{visible, allNames},
				{visible, allNames}, // nothing new
				{map[string]any{"hover": "headings", "diagnostics": []string{"long-lines"}},
					[]string{"hover", "diagnostic"}},
				{nil, nil}, // what is not said is as the client said in the beginning
				{map[string]any{"folding": true}, []string{"foldingRange"}},
				{map[string]any{"hints": "many"}, []string{"foldingRange"}}, // none that make sense
			} {
				change(t, f, c.settings)
				f.untilRegistered(t, c.want)
			}
			for range 100 {
				change(t, f, visible)
				change(t, f, hidden)
			}
			change(t, f, map[string]any{"symbols": true})
			f.untilRegistered(t, []string{"documentSymbol"})
		})
	}
}

// TestWhatTheClientSendsIsNewerThanWhatItWasAskedFor sends settings before those of an earlier question arrive.
func TestWhatTheClientSendsIsNewerThanWhatItWasAskedFor(t *testing.T) {
	f := newFixture(t, nil)
	if _, err := f.Initialize(f.ctx, registrable(allNames...), hidden, nil); err != nil {
		t.Fatal(err)
	}
	f.Answer("workspace/configuration", func() any {
		err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"folding": true}})
		if err != nil {
			t.Error(err)
		}
		return []any{map[string]any{"symbols": true}}
	})
	if err := f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}); err != nil {
		t.Fatal(err)
	}
	f.untilRegistered(t, []string{"foldingRange"})
	f.untilRegistered(t, []string{"foldingRange"}) // not only for a moment
}

// TestARefusedRegistrationEndsNothing has a client that refuses what it said it takes.
func TestARefusedRegistrationEndsNothing(t *testing.T) {
	f := newFixture(t, nil)
	for _, m := range []string{"client/registerCapability", "client/unregisterCapability", "workspace/configuration"} {
		f.Answer(m, &scriptededitor.Error{Code: -32601, Message: "no"})
	}
	if _, err := f.Initialize(f.ctx, registrable(allNames...), nil, nil); err != nil {
		t.Fatal(err)
	}
	f.untilRegistered(t, []string{"codeAction", "codeLens", "hover", "diagnostic", "definition", "references", "rename",
		"semanticTokens"})
	err := f.Notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"ctxledger": visible}})
	if err != nil {
		t.Fatal(err)
	}
	f.untilRegistered(t, allNames)
	if err := f.Open("untitled:x", "markdown", "# A\n"); err != nil {
		t.Fatal(err)
	}
	f.has(t, "untitled:x")
}

// TestShownIsWhatTheSettingsWant has a client that was shown something be asked to look again when they change.
func TestShownIsWhatTheSettingsWant(t *testing.T) {
	f := newFixture(t, nil)
	can := map[string]any{"workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	if _, err := f.Initialize(f.ctx, can, map[string]any{"diagnostics": []string{"long-lines"}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Open("untitled:x", "markdown", strings.Repeat("z", 2001)); err != nil {
		t.Fatal(err)
	}
	published := func(text string) {
		t.Helper()
		_, err := f.Until(f.ctx, func(told []scriptededitor.Message) bool {
			return slices.ContainsFunc(told, func(m scriptededitor.Message) bool {
				return strings.Contains(string(m.Params), text)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	published("long-lines")
	before := f.Asked("workspace/codeLens/refresh")
	err := f.Notify("workspace/didChangeConfiguration",
		map[string]any{"settings": map[string]any{"lens": "off", "diagnostics": []string{}}})
	if err != nil {
		t.Fatal(err)
	}
	published(`"diagnostics":[]`)
	if f.Asked("workspace/codeLens/refresh") == before {
		t.Error("the client still shows the lens")
	}
}
