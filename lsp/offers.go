package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/configfile"
)

// offer is a method about a document that is offered only if the settings enable it. Otherwise an editor would request
// it in vain, or replace a feature of its own. It is offered once: with the answer to initialize, see atStart, or by a
// registration that follows the settings.
type offer struct {
	name   string // of the method, without textDocument/
	wanted func(capabilities, Settings) bool
	// static adds it to the static capabilities.
	static func(*protocol.ServerCapabilities)
	// more is further JSON members of its registration options; "": none.
	more string
	// selector selects the documents it is registered for, as JSON; "": all.
	selector string
}

// offers returns all offers, in the order of registration.
func offers() []offer {
	return []offer{
		{"codeLens", func(_ capabilities, s Settings) bool { return s.Lens != showOff },
			func(c *protocol.ServerCapabilities) { c.CodeLensProvider = &protocol.CodeLensOptions{} }, "", ""},
		{"documentLink", func(_ capabilities, s Settings) bool { return s.AgentFiles },
			func(c *protocol.ServerCapabilities) { c.DocumentLinkProvider = &protocol.DocumentLinkOptions{} }, "",
			`[{"language":"markdown"}]`},
		{"completion", func(capabilities, Settings) bool { return true },
			func(c *protocol.ServerCapabilities) {
				c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"@", "/"}}
			}, `,"triggerCharacters":["@","/"]`,
			strings.TrimSuffix(configfile.Selector, "]") + "," + strings.TrimPrefix(graphSelector, "[")},
		{"definition", graphs,
			func(c *protocol.ServerCapabilities) { c.DefinitionProvider = protocol.Boolean(true) }, "", graphSelector},
		{"references", graphs,
			func(c *protocol.ServerCapabilities) { c.ReferencesProvider = protocol.Boolean(true) }, "", graphSelector},
		{"rename", graphs, func(c *protocol.ServerCapabilities) {
			yes := true
			c.RenameProvider = &protocol.RenameOptions{PrepareProvider: &yes}
		}, `,"prepareProvider":true`, graphSelector},
		{"semanticTokens", graphs, func(c *protocol.ServerCapabilities) {
			c.SemanticTokensProvider = &protocol.SemanticTokensOptions{Legend: legend, Full: protocol.Boolean(true)}
		}, `,"full":true,"legend":` + legendJSON(), graphSelector},
		{"hover", func(_ capabilities, s Settings) bool { return s.Hover != showOff },
			func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) }, "", ""},
		{"inlayHint", func(_ capabilities, s Settings) bool { return s.Hints > 0 },
			func(c *protocol.ServerCapabilities) { c.InlayHintProvider = protocol.Boolean(true) }, "", ""},
		{"documentSymbol", func(_ capabilities, s Settings) bool { return s.Symbols },
			func(c *protocol.ServerCapabilities) { c.DocumentSymbolProvider = protocol.Boolean(true) }, "", ""},
		{"foldingRange", func(_ capabilities, s Settings) bool { return s.Folding },
			func(c *protocol.ServerCapabilities) { c.FoldingRangeProvider = protocol.Boolean(true) }, "", ""},
		{"codeAction", func(_ capabilities, s Settings) bool { return len(s.actions()) > 0 },
			func(c *protocol.ServerCapabilities) {
				kinds := []protocol.CodeActionKind{protocol.CodeActionKindQuickFix,
					protocol.CodeActionKindRefactorRewrite, kindCount}
				c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: kinds}
			}, `,"codeActionKinds":["` + string(protocol.CodeActionKindQuickFix) + `","` +
				string(protocol.CodeActionKindRefactorRewrite) + `","` + string(kindCount) + `"]`, ""},
		{"diagnostic", func(a capabilities, s Settings) bool { return a.pull && len(s.Diagnostics) > 0 },
			func(c *protocol.ServerCapabilities) { c.DiagnosticProvider = &protocol.DiagnosticOptions{} },
			`,"interFileDependencies":false,"workspaceDiagnostics":false`, ""},
	}
}

// graphSelector selects what may be a context graph, and graphs reports whether the settings want to know about those.
const graphSelector = `[{"language":"markdown"},{"pattern":"**/*.md"},{"pattern":"**/*.ctx"}]`

func graphs(_ capabilities, s Settings) bool { return s.Graphs }

func (o offer) method() string { return "textDocument/" + o.name }

// registration registers the method.
func (o offer) registration() protocol.Registration {
	options := `{"documentSelector":` + cmp.Or(o.selector, "null") + o.more + `}`
	return protocol.Registration{ID: o.method(), Method: o.method(), RegisterOptions: protocol.LSPAny(options)}
}

// registrableOf returns the methods for which a client supports dynamic registration.
func registrableOf(t *protocol.TextDocumentClientCapabilities) map[string]bool {
	var said map[string]struct{ DynamicRegistration bool }
	if raw, err := protocol.Marshal(t); err != nil || json.Unmarshal(raw, &said) != nil {
		return nil // then it supports none
	}
	names := map[string]bool{}
	for name, c := range said {
		names[name] = c.DynamicRegistration
	}
	return names
}

// atStart reports whether a method is offered with the answer to initialize, for good: to clients that cannot register
// it, and to those whose settings do not change. They attach a document before a registration reaches them, and Neovim
// then requests nothing. Registrations are left what is offered for some documents only.
func (a capabilities) atStart(o offer, initial Settings) bool {
	late := a.registrable[o.name] && (a.reconfigures || o.selector != "")
	return !late && o.wanted(a, initial)
}

// offered reports whether a method is offered to the client now.
func (n *notifier) offered(o offer) bool {
	return n.registered[o.name] || n.caps.atStart(o, n.initial)
}

// register updates the client's registrations to the settings, as far as it supports them, and returns the methods that
// it registered. A refused registration is not repeated.
func (n *notifier) register() map[string]bool {
	settings, added := n.snapshot().settings, map[string]bool{}
	var on []protocol.Registration
	var off []protocol.Unregistration
	for _, o := range offers() {
		want := n.caps.registrable[o.name] && o.wanted(n.caps, settings) && !n.caps.atStart(o, n.initial)
		if want == n.registered[o.name] {
			continue
		}
		n.registered[o.name] = want
		if r := o.registration(); want {
			on, added[o.name] = append(on, r), true
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
	return added
}
