package upkeep

import (
	"context"
	"errors"
	"strings"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Repaired is what a repair saved, rebuilt and lost.
type Repaired struct {
	Checked       // the new ledger; its Damage is empty
	Mended  int   `json:"mended"` // indexes and counts that were rebuilt
	Lost    Found `json:"lost"`   // what could not be saved
}

// Found is a list of findings that is capped, with how many there are in all.
type Found struct {
	Items []Finding `json:"items"`
	Total int       `json:"total"`
}

func (f *Found) add(x Finding) {
	if f.Total++; len(f.Items) < maxDamage {
		f.Items = append(f.Items, x)
	}
}

// Repair salvages the ledger in files into another, empty directory: all readable records and undamaged blobs. No
// process may have the ledger open. Then Repair rebuilds what is derived from the records, and replaces lost records
// that others refer to by placeholders. The result passes Check.
// Errors: not_found, denied, unavailable; invalid for a ledger that is in no files; corrupt when nothing of it can be read.
func Repair(ctx context.Context, o core.Options, into string) (Repaired, error) {
	const op = "engine.repair"
	r := Repaired{Lost: Found{Items: []Finding{}}}
	files, place, err := o.Files()
	if err != nil {
		return r, err
	}
	if files == nil {
		return r, fault.New(fault.Invalid, op, "the store of this ledger has no files to repair").
			WithHint("restore a backup")
	}
	_, err = files.Salvage(ctx, place, into, func(p kv.Problem) {
		if p.Code != fault.Denied { // too permissive modes: the content is saved
			r.Lost.add(Finding{Where: p.Where, What: p.What, Lost: true})
		}
	})
	if err != nil {
		return r, err
	}
	if kind, _, named := strings.Cut(o.Store, ":"); named {
		o.Store = kind + ":" + into
	}
	o.State = into
	if err := r.mend(ctx, o); err != nil {
		return r, err
	}
	if r.Checked, err = Check(ctx, o); err == nil && r.Total > 0 {
		err = fault.New(fault.Internal, op,
			"the repaired ledger is not sound: %s: %s", r.Damage[0].Where, r.Damage[0].What)
	}
	return r, err
}

// mend makes a consistent ledger of what was salvaged.
func (r *Repaired) mend(ctx context.Context, o core.Options) error {
	s, err := o.OpenStore()
	if err != nil {
		return err
	}
	blobs, err := wholeBlobs(ctx, s, nil)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	var found []Finding
	key := make([]byte, core.MaskKeySize)
	o.Env.Random(key)
	err = s.Update(ctx, func(tx kv.Tx) error {
		found = nil // the function may run more than once
		if err := bringUp(ctx, s, tx, key); err != nil {
			return err
		}
		report := func(f Finding) { found = append(found, f) }
		return CheckRecords(ctx, tx, true, o.Env.Now().UTC().Round(0), blobs, report)
	})
	for _, f := range found {
		if f.Lost {
			r.Lost.add(f)
		} else {
			r.Mended++
		}
	}
	return errors.Join(err, s.Close())
}
