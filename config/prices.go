package config

import (
	"path/filepath"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/tokens"
)

// PricesFile is the name of the user's own table of models and prices, beside UserFile. Where it is as new as the
// program's or newer, its lines take the place of those.
const PricesFile = "models.txt"

const (
	// before is where the table is kept that was in force before the newest update.
	before = ".before"
	// builtin is the content of a file that leaves the program's own table in force.
	builtin = "# the table of the program is in force\n"
	// ahead is how much later than now a table may be: days begin earlier elsewhere.
	ahead = 24 * time.Hour
)

// readPrices reads the user's table, as readUser reads the configuration. A name of "" says that there is none.
func readPrices(e env.Env, root, suffix string) (document, error) {
	user := UserFile(e)
	if user == "" {
		return document{}, nil
	}
	d, err := readOwn(filepath.Join(filepath.Dir(user), PricesFile+suffix), root)
	d.table = true
	return d, err
}

// prices returns the registry of the program with a table over it. Errors: those of tokens.ParseTable.
func prices(text []byte) (*tokens.Registry, error) {
	if len(text) == 0 || string(text) == builtin {
		return tokens.Builtin(), nil
	}
	t, err := tokens.ParseTable(string(text))
	if err != nil {
		return tokens.Builtin(), err
	}
	return tokens.Builtin().Updated(t), nil
}

// Repriced is what a change of the prices did.
type Repriced struct {
	File     string       `json:"file"`
	Was, Now tokens.Table `json:"-"`
}

// UpdatePrices puts the text of a table into force, and keeps the one before for UndoPrices. Errors: those of
// tokens.ParseTable; invalid for a table that is older than the prices in force, or of the future; those of reading and
// writing the user's files, as for SetWindow.
func UpdatePrices(e env.Env, root string, text []byte) (Repriced, error) {
	const op = "config.prices"
	t, err := tokens.ParseTable(string(text))
	if err != nil {
		return Repriced{}, err
	}
	return reprice(e, root, func(now *tokens.Registry, _ string) ([]byte, error) {
		switch date := now.Prices().Date; {
		case t.Date < date:
			return nil, fault.New(fault.Invalid, op, "it is of %s, the prices in force are newer: of %s", t.Date, date)
		case t.Date > e.Now().Add(ahead).Format(time.DateOnly):
			return nil, fault.New(fault.Invalid, op, "it is of %s, which is in the future", t.Date)
		}
		return text, nil
	})
}

// UndoPrices puts the table into force that was before the newest update; a second time, the updated one again. Errors:
// not_found if there was no update; those of reading and writing the user's files.
func UndoPrices(e env.Env, root string) (Repriced, error) {
	return reprice(e, root, func(_ *tokens.Registry, file string) ([]byte, error) {
		d, err := readPrices(e, root, before)
		if err == nil && d.data == nil {
			err = fault.New(fault.NotFound, "config.prices", "the prices were not updated: there is no %s", file+before)
		}
		return d.data, err
	})
}

// reprice exchanges the user's table.
func reprice(e env.Env, root string, next func(now *tokens.Registry, file string) ([]byte, error)) (Repriced, error) {
	d, err := readPrices(e, root, "")
	out := Repriced{File: d.name}
	switch {
	case err != nil:
		return out, err
	case d.name == "":
		return out, fault.New(fault.Unavailable, "config.prices", "nothing says where your own files are").
			WithHint("set HOME")
	}
	was, _ := prices(d.data) // a table with a mistake is not in force
	text, err := next(was, d.name)
	if err != nil {
		return out, err
	}
	if d.data == nil {
		d.data = []byte(builtin)
	}
	if err := privatefile.Write(d.name+before, d.data); err != nil {
		return out, err
	}
	now, _ := prices(text)
	out.Was, out.Now = was.Prices(), now.Prices()
	return out, privatefile.Write(d.name, text)
}
