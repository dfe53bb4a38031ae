package upkeep

import (
	"encoding/json"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// byValue makes the messages of conversations that hosts handed in known by their value, also in the wording of the
// present view: older programs made their ids of the bytes. The ids stay, since handles are made of them.
func (m *migrating) byValue() error {
	if err := sessions.MoveAliases(m); err != nil {
		return err
	}
	all, err := sessions.List(m)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.HostID != "" {
			continue
		}
		f := &core.Folded{Session: s}
		if err := m.originals(f); err != nil {
			return err
		}
		if err := m.wordings(f); err != nil && !damaged(err) {
			return err
		}
	}
	return nil
}

// originals makes the messages of a log known by the values of their originals, and reads the log into f.
func (m *migrating) originals(f *core.Folded) error {
	before := ""
	for seq := int64(1); seq <= f.Session.Seq; seq++ {
		e, err := sessions.GetEntry(m, f.Session.ID, seq)
		if damaged(err) {
			e, err = sessions.Stored{Entry: sessions.Entry{Seq: seq, Lost: true}}, nil
		}
		if err != nil {
			return err
		}
		f.Entries = append(f.Entries, e.Entry)
		if e.Kind == sessions.KindMessage && e.Forgotten == nil {
			if err := m.original(e, before); err != nil && !damaged(err) {
				return err
			}
		}
		switch {
		case e.Kind == sessions.KindRewind:
			before = rewoundTo(f.Entries, e.Entry)
		case e.ID != "":
			before = e.ID
		}
	}
	return nil
}

// original makes one message known.
func (m *migrating) original(e sessions.Stored, before string) error {
	raw, err := m.l.Message(m.ctx, e)
	if err != nil {
		return err
	}
	value, err := sessions.ValueDigest(e.Format, raw)
	if err != nil {
		return fault.Wrap(fault.Corrupt, "engine.byvalue", err)
	}
	return sessions.Alias(m, sessions.MessageID(before, value), e.ID)
}

// rewoundTo returns the id from which a log goes on after an entry that rewound it.
func rewoundTo(log []sessions.Entry, e sessions.Entry) string {
	var at struct {
		To int `json:"to"`
	}
	if err := json.Unmarshal(e.Data, &at); err != nil || at.To < 1 || at.To > len(log) {
		return ""
	}
	return log[at.To-1].ID
}

// wordings makes the messages of a log known as the views of its agents show them.
func (m *migrating) wordings(f *core.Folded) error {
	var steps []core.EditStep
	agents := []string{""}
	for _, e := range f.Entries {
		var made core.EditStep
		if e.Kind != sessions.KindEdits || json.Unmarshal(e.Data, &made) != nil {
			continue
		}
		if steps = append(steps, made); !slices.Contains(agents, made.Agent) {
			agents = append(agents, made.Agent)
		}
	}
	for _, agent := range agents {
		var edits []window.Edit
		for _, made := range steps {
			if made.Agent == "" || agentname.Same(made.Agent, agent) {
				edits = append(edits, made.Edits...)
			}
		}
		view := window.Plan(window.Input{Entries: f.Entries, Edits: edits, Whole: true})
		if err := views.New(m.l).AliasSlots(m.ctx, m, f, view.Slots); err != nil {
			return err
		}
	}
	return nil
}
