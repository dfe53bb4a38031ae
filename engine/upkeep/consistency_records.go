package upkeep

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window/overflow"
)

// summaries checks the indexes of compactions.
func (x *checker) summaries() error {
	err := cmp.Or(x.Sweep(core.BucketSummaries, func(r kv.Record) (bool, error) {
		rec, err := core.SummaryRecord(x.Tx, string(r.Key))
		return rec != nil && rec.ID == string(r.Key), err
	}), x.Sweep(core.BucketSummaryText, func(r kv.Record) (bool, error) {
		rec, err := core.SummaryRecord(x.Tx, string(r.Value))
		return rec != nil, err // the text may have changed since: a host hands back the one that it got
	}))
	for _, c := range x.compacted {
		at, wrong := json.Marshal(core.SummaryPlace{Session: c.session, Seq: c.seq})
		where := sessions.Where(c.session, c.seq)
		err = cmp.Or(err, wrong, x.Want(core.BucketSummaries, []byte(c.ID), at, where),
			x.Want(core.BucketSummaryText, []byte(c.TextHash), []byte(c.ID), where))
	}
	return err
}

// stubs checks that every stub is of a result that an artifact stores.
func (x *checker) stubs() error {
	return x.Sweep(core.BucketStubs, func(r kv.Record) (bool, error) {
		session, rest, _ := strings.Cut(string(r.Key), "\x00")
		if len(rest) < 8 {
			return false, nil
		}
		e, err := sessions.GetEntry(x.Tx, session, int64(binary.BigEndian.Uint64([]byte(rest))))
		return slices.ContainsFunc(e.Results, func(res sessions.Result) bool {
			return sessions.ClipID(res.CallID) == rest[8:] && res.Artifact != "" && e.Forgotten == nil
		}), err
	})
}

// commands checks that every kept command line has its intent.
func (x *checker) commands() error {
	known := map[string]bool{}
	for in, err := range intents.All(x.Tx) {
		if err != nil {
			return err
		}
		if in.Op == intents.OpShell {
			known[string(attribution.CommandKey(in))] = true
		}
	}
	return x.Sweep(attribution.BucketCommands, func(r kv.Record) (bool, error) { return known[string(r.Key)], nil })
}

// imports checks the state of imports.
func (x *checker) imports() error {
	return x.Each(core.BucketImports, "import", func(r kv.Record) error {
		st, err := kv.JSON[core.ImportRecord](r)
		if err != nil || st.Session == "" {
			return err
		}
		if _, err := sessions.Get(x.Tx, st.Session); err != nil {
			return fault.New(fault.Corrupt, "engine.check", "its session %s does not exist", st.Session)
		}
		return nil
	})
}

// keys checks the stored responses to mutations and their index by time.
func (x *checker) keys() error {
	at := map[string][]byte{} // by key, where the index has it
	err := x.Each(core.BucketKeys, "answer to request", func(r kv.Record) error {
		a, err := kv.JSON[core.StoredResponse](r)
		if err == nil {
			at[string(r.Key)] = append(core.TimeKey(a.At), r.Key...)
		}
		return err
	})
	err = cmp.Or(err, x.Sweep(core.BucketKeyAt, func(r kv.Record) (bool, error) {
		return len(r.Key) > 8 && bytes.Equal(at[string(r.Key[8:])], r.Key), nil
	}))
	for key, indexed := range at {
		err = cmp.Or(err, x.Want(core.BucketKeyAt, indexed, nil, "answer to request "+consistency.Name([]byte(key))))
	}
	return err
}

// events checks that events can be read and are numbered without gaps. A gap is filled, so that followers of the
// ledger can continue.
func (x *checker) events() error {
	last := int64(0)
	var missing []ledger.Event
	err := x.Each(core.BucketEvents, "event", func(r kv.Record) error {
		var e ledger.Event
		err := json.Unmarshal(r.Value, &e)
		if err != nil || !bytes.Equal(core.SeqKey(e.Seq), r.Key) {
			return fault.New(fault.Corrupt, "engine.check", "it cannot be read, or key and stored number differ: %v",
				err)
		}
		if last > 0 && e.Seq > last+1 {
			x.FindLost(fmt.Sprintf("events %d to %d", last+1, e.Seq-1), "are missing")
			for seq := last + 1; seq < e.Seq && len(missing) < core.MaxEvents; seq++ {
				missing = append(missing, ledger.Event{Seq: seq, Kind: ledger.EventLost, Time: e.Time})
			}
		}
		last = e.Seq
		return nil
	})
	if err != nil || !x.Fix {
		return err
	}
	for _, e := range missing {
		err = cmp.Or(err, kv.PutJSON(x.Tx, core.BucketEvents, core.SeqKey(e.Seq), e))
	}
	return err
}

// estimators checks what was learned about models. Unreadable records are lost and learned again.
func (x *checker) estimators() error {
	return cmp.Or(x.Each(core.BucketEstimators, "estimator", func(r kv.Record) error {
		_, err := tokens.ParseEstimator("a model", r.Value)
		if fault.Is(err, fault.Unavailable) {
			return nil // a newer program wrote it
		}
		return err
	}),
		x.Each(views.BucketWindows, "learned window", readable[overflow.Learned]),
		x.Each(core.BucketHostWindows, "window of a host", readable[core.HostWindow]),
		x.Each(core.BucketServers, "tools of a server", readable[ledger.AskedServer]),
		x.Each(core.BucketRequests, "measured request", readable[ledger.ModelRequest]),
		x.Each(core.BucketMeasured, "number of measurements", func(r kv.Record) error {
			_, err := core.ReadNumber(x.Tx, core.BucketMeasured, r.Key)
			return err
		}))
}

// readable says whether a record is a T, as JSON.
func readable[T any](r kv.Record) error {
	_, err := kv.JSON[T](r)
	return err
}
