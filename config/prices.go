package config

import (
	"path/filepath"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/tokens"
)

// PricesFile is the name of the user's own tables of models and prices, beside UserFile, the older ones first. The lines of
// each that is as new as the program's, or newer, take the place of those before.
const PricesFile = "models.txt"

const (
	// before ends the name of the file with what was in force before the newest update. An empty one leaves the program's.
	before = ".before"
	// ahead is how much later than now a table may be: days begin earlier elsewhere.
	ahead = 24 * time.Hour
)

// readPrices reads the user's tables, as readUser reads the configuration. A name of "" says that there is no place for any.
func readPrices(e env.Env, root, suffix string) (document, error) {
	user := UserFile(e)
	if user == "" {
		return document{}, nil
	}
	d, err := readOwn(filepath.Join(filepath.Dir(user), PricesFile+suffix), root)
	d.table = true
	return d, err
}

// prices returns the registry of the program with tables over it. Errors: those of tokens.ParseTables.
func prices(text []byte) (*tokens.Registry, error) {
	all, err := tokens.ParseTables(string(text))
	now := tokens.Builtin()
	for _, t := range all {
		now = now.Updated(t)
	}
	return now, err
}

// Repriced is what a change of the prices did.
type Repriced struct {
	File     string       `json:"file"`
	Was, Now tokens.Table `json:"-"`
}

// UpdatePrices puts the text of a table into force over those of earlier updates, and keeps these for UndoPrices. Errors:
// those of tokens.ParseTable; invalid for a table that is older than the prices in force, or of the future; those of reading
// and writing the user's files, as for SetWindow.
func UpdatePrices(e env.Env, root string, text []byte) (Repriced, error) {
	const op = "config.prices"
	t, err := tokens.ParseTable(string(text))
	if err != nil {
		return Repriced{}, err
	}
	return reprice(e, root, func(d document, now *tokens.Registry) ([]byte, error) {
		switch date := now.Prices().Date; {
		case t.Date < date:
			return nil, fault.New(fault.Invalid, op, "it is of %s, the prices in force are newer: of %s", t.Date, date)
		case t.Date > e.Now().Add(ahead).Format(time.DateOnly):
			return nil, fault.New(fault.Invalid, op, "it is of %s, which is in the future", t.Date)
		}
		joined := over(d.data, t)
		_, err := prices(joined) // together they may be too large
		return joined, err
	})
}

// over returns the text of tables with another one behind them, without what is not in force any more.
func over(text []byte, t tokens.Table) (out []byte) {
	all, _ := tokens.ParseTables(string(text)) // those with a mistake are not in force
	for _, was := range all {
		if was = was.Without(t); was.Date >= tokens.Builtin().Prices().Date && len(was.Models) > 0 {
			out = append(out, was.String()...)
		}
	}
	return append(out, t.String()...)
}

// UndoPrices puts into force what was before the newest update; a second time, the updated prices again. Errors: not_found if
// there was no update; those of reading and writing the user's files.
func UndoPrices(e env.Env, root string) (Repriced, error) {
	return reprice(e, root, func(d document, _ *tokens.Registry) ([]byte, error) {
		old, err := readPrices(e, root, before)
		if err == nil && old.data == nil {
			err = fault.New(fault.NotFound, "config.prices", "the prices were not updated: there is no %s", old.name)
		}
		return old.data, err
	})
}

// reprice exchanges the user's tables.
func reprice(e env.Env, root string, next func(d document, now *tokens.Registry) ([]byte, error)) (Repriced, error) {
	d, err := readPrices(e, root, "")
	out := Repriced{File: d.name}
	switch {
	case err != nil:
		return out, err
	case d.name == "":
		return out, fault.New(fault.Unavailable, "config.prices", "nothing says where your own files are").
			WithHint("set HOME")
	}
	was, _ := prices(d.data) // tables with a mistake are not in force
	text, err := next(d, was)
	if err != nil {
		return out, err
	}
	if err := privatefile.Write(d.name+before, d.data); err != nil {
		return out, err
	}
	now, _ := prices(text)
	out.Was, out.Now = was.Prices(), now.Prices()
	return out, privatefile.Write(d.name, text)
}
