package core

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// BucketServers has what MCP servers answered. Names of tools are the only texts in it, and they are masked.
const BucketServers kv.Bucket = "servers" // digest of the place → ledger.AskedServer

// maxToolTokens bounds the size of a definition that is believed.
const maxToolTokens = 10_000_000

// KeepServer implements ledger.Servers.
func (l *Ledger) KeepServer(ctx context.Context, r ledger.KeepServerRequest) (ledger.AskedServer, error) {
	const op = "engine.server"
	if len(r.Tools) > ledger.MaxServerTools {
		return ledger.AskedServer{}, fault.New(fault.TooLarge, op, "%d tools of one server, more than %d", len(r.Tools),
			ledger.MaxServerTools)
	}
	if err := CheckTexts(op, Text("place", r.Place, MaxQuery), Label("config", r.Config)); err != nil {
		return ledger.AskedServer{}, err
	}
	if r.Place == "" || r.Config == "" || r.Instructions < 0 || r.Instructions > maxToolTokens {
		return ledger.AskedServer{}, fault.New(fault.Invalid, op, "a server's answer is incomplete")
	}
	r.Tools = OrEmpty(slices.Clone(r.Tools))
	for i, t := range r.Tools {
		if err := CheckTexts(op, Text("name of a tool", t.Name, ledger.MaxToolName)); err != nil {
			return ledger.AskedServer{}, err
		}
		if t.Tokens < 0 || t.Tokens > maxToolTokens {
			return ledger.AskedServer{}, fault.New(fault.Invalid, op, "a tool with %d tokens", t.Tokens)
		}
		r.Tools[i].Name = CutText(l.Masks.String(t.Name), ledger.MaxToolName)
	}
	m := l.NewMutation("keep server", r.Key, r)
	r.At = m.At
	return Mutate(ctx, l, m, func(tx kv.Tx) (ledger.AskedServer, []ledger.Event, error) {
		err := kv.PutJSON(tx, BucketServers, []byte(sessions.Digest([]byte(r.Place))), r.AskedServer)
		return r.AskedServer, nil, cmp.Or(err, dropServers(tx))
	})
}

// dropServers removes the servers that were asked longest ago, of more than are kept.
func dropServers(tx kv.Tx) error {
	all, err := askedServers(tx)
	if err != nil {
		return err
	}
	for i := ledger.MaxAskedServers; i < len(all); i++ {
		if err := tx.Delete(BucketServers, all[i].key); err != nil {
			return err
		}
	}
	return nil
}

// askedServer is a record of BucketServers.
type askedServer struct {
	key []byte
	ledger.AskedServer
}

// askedServers returns what servers answered, newest first.
func askedServers(tx kv.Tx) (out []askedServer, err error) {
	for r, err := range tx.Scan(BucketServers, kv.Range{}) {
		if err != nil {
			return nil, err
		}
		a := askedServer{key: slices.Clone(r.Key)}
		if err := json.Unmarshal(r.Value, &a.AskedServer); err != nil {
			return nil, fault.Wrap(fault.Corrupt, "engine.server", err)
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b askedServer) int {
		return cmp.Or(b.At.Compare(a.At), slices.Compare(a.key, b.key))
	})
	return out, nil
}
