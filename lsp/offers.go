package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
)

// offer is a method about a document that clients are told of only as far as the settings want it: an editor
// would ask in vain for what is switched off, or leave out something of its own for it. A client that takes
// registrations is told by them, and of changes too; any other one when it initializes the server.
type offer struct {
	name   string // of the method, without textDocument/
	wanted func(capabilities, Settings) bool
	// static puts it among what the server can.
	static func(*protocol.ServerCapabilities)
	// more is what its registration says beside the documents, as members of JSON; "": nothing.
	more string
}

// offers is what is offered, in the order in which it is registered.
func offers() []offer {
	return []offer{
		{"codeLens", func(_ capabilities, s Settings) bool { return s.Lens != showOff },
			func(c *protocol.ServerCapabilities) { c.CodeLensProvider = &protocol.CodeLensOptions{} }, ""},
		{"hover", func(_ capabilities, s Settings) bool { return s.Hover != showOff },
			func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) }, ""},
		{"inlayHint", func(_ capabilities, s Settings) bool { return s.Hints > 0 },
			func(c *protocol.ServerCapabilities) { c.InlayHintProvider = protocol.Boolean(true) }, ""},
		{"documentSymbol", func(_ capabilities, s Settings) bool { return s.Symbols },
			func(c *protocol.ServerCapabilities) { c.DocumentSymbolProvider = protocol.Boolean(true) }, ""},
		{"foldingRange", func(_ capabilities, s Settings) bool { return s.Folding },
			func(c *protocol.ServerCapabilities) { c.FoldingRangeProvider = protocol.Boolean(true) }, ""},
		{"codeAction", func(_ capabilities, s Settings) bool { return len(s.actions()) > 0 },
			func(c *protocol.ServerCapabilities) {
				c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, kindCount}}
			}, `,"codeActionKinds":["` + string(protocol.CodeActionKindQuickFix) + `","` + string(kindCount) + `"]`},
		{"diagnostic", func(a capabilities, s Settings) bool { return a.pull && len(s.Diagnostics) > 0 },
			func(c *protocol.ServerCapabilities) { c.DiagnosticProvider = &protocol.DiagnosticOptions{} },
			`,"interFileDependencies":false,"workspaceDiagnostics":false`},
	}
}

func (o offer) method() string { return "textDocument/" + o.name }

// registration asks for the method about all documents that the client shows the server.
func (o offer) registration() protocol.Registration {
	return protocol.Registration{
		ID: o.method(), Method: o.method(), RegisterOptions: protocol.LSPAny(`{"documentSelector":null` + o.more + `}`),
	}
}

// registrableOf returns the names of the methods that a client takes registrations of.
func registrableOf(t *protocol.TextDocumentClientCapabilities) map[string]bool {
	var said map[string]struct{ DynamicRegistration bool }
	if raw, err := protocol.Marshal(t); err != nil || json.Unmarshal(raw, &said) != nil {
		return nil // it takes none, then
	}
	names := map[string]bool{}
	for name, c := range said {
		names[name] = c.DynamicRegistration
	}
	return names
}

// offered reports whether the client knows of a method now.
func (n *notifier) offered(o offer) bool {
	if n.caps.registrable[o.name] {
		return n.registered[o.name]
	}
	return o.wanted(n.caps, n.initial)
}

// register has the client ask for what the settings want now, and for nothing else, as far as it takes
// registrations. What it refuses is not tried again.
func (n *notifier) register() {
	settings := n.snapshot().settings
	var on []protocol.Registration
	var off []protocol.Unregistration
	for _, o := range offers() {
		want := n.caps.registrable[o.name] && o.wanted(n.caps, settings)
		if want == n.registered[o.name] {
			continue
		}
		n.registered[o.name] = want
		if r := o.registration(); want {
			on = append(on, r)
		} else {
			off = append(off, protocol.Unregistration{ID: r.ID, Method: r.Method})
		}
	}
	if len(off) > 0 {
		n.request("unregistration", func(ctx context.Context) error {
			return n.client.UnregisterCapability(ctx, &protocol.UnregistrationParams{Unregisterations: off})
		})
	}
	if len(on) > 0 {
		n.request("registration", func(ctx context.Context) error {
			return n.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: on})
		})
	}
}
