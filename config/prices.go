package config

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/tokens"
)

// PricesFile holds the user's own tables of models and prices, oldest first. It is in the directory of UserFile. A table that
// is not older than the program's replaces earlier lines of the same models.
const PricesFile = "models.txt"

const (
	// before ends the name of the file with what was in effect before the newest update. An empty one leaves the program's.
	before = ".before"
	// ahead is how much later than now a table may be: days begin earlier elsewhere.
	ahead = 24 * time.Hour
)

// readPrices reads the user's tables, as readUser reads the configuration. Errors: also unavailable if there is no place for
// any.
func readPrices(e env.Env, root, suffix string) (document, error) {
	user := UserFile(e)
	if user == "" {
		return document{}, fault.New(fault.Unavailable, "config.prices", "the location of your own files is unknown").
			WithHint("set HOME")
	}
	d, err := readOwn(filepath.Join(filepath.Dir(user), PricesFile+suffix), root)
	d.table = true
	return d, err
}

// inForce returns the registry of the program with tables over it.
func inForce(all []tokens.Table) *tokens.Registry {
	now := tokens.Builtin()
	for _, t := range all {
		now = now.Updated(t)
	}
	return now
}

// Repriced is what a change of the prices did.
type Repriced struct {
	File     string       `json:"file"`
	Was, Now tokens.Table `json:"-"`
}

// UpdatePrices puts the text of a table into force over those of earlier updates, and keeps these for UndoPrices. Errors:
// those of tokens.ParseTable; invalid for a table that is older than the prices in effect, or of the future; those of reading
// and writing the user's files, as for SetWindow.
func UpdatePrices(e env.Env, root string, text []byte) (Repriced, error) {
	const op = "config.prices"
	t, err := tokens.ParseTable(string(text))
	if err != nil {
		return Repriced{}, err
	}
	d, err := readPrices(e, root, "")
	if err != nil {
		return Repriced{}, err
	}
	all, _ := tokens.ParseTables(string(d.data)) // those with a mistake are not in effect
	switch date := inForce(all).Prices().Date; {
	case t.Date < date:
		return Repriced{}, fault.New(fault.Invalid, op, "it is from %s; the prices in effect are newer: %s", t.Date,
			date)
	case t.Date > e.Now().Add(ahead).Format(time.DateOnly):
		return Repriced{}, fault.New(fault.Invalid, op, "its date, %s, is in the future", t.Date)
	}
	var joined strings.Builder
	for _, was := range all {
		if was = was.Without(t); was.Date >= tokens.Builtin().Prices().Date && len(was.Models) > 0 {
			joined.WriteString(was.String())
		}
	}
	joined.WriteString(t.String())
	if _, err := tokens.ParseTables(joined.String()); err != nil { // together they may be too large
		return Repriced{}, err
	}
	return d.reprice([]byte(joined.String()))
}

// UndoPrices puts into force what was before the newest update; a second time, the updated prices again. Errors: not_found if
// there was no update; those of reading and writing the user's files.
func UndoPrices(e env.Env, root string) (Repriced, error) {
	d, err := readPrices(e, root, "")
	old, wrong := readPrices(e, root, before)
	if err = cmp.Or(err, wrong); err == nil && old.data == nil {
		err = fault.New(fault.NotFound, "config.prices", "the prices were not updated: there is no %s", old.name)
	}
	if err != nil {
		return Repriced{}, err
	}
	return d.reprice(old.data)
}

// reprice exchanges the user's tables.
func (d document) reprice(text []byte) (Repriced, error) {
	was, _ := tokens.ParseTables(string(d.data)) // tables with a mistake are not in effect
	now, _ := tokens.ParseTables(string(text))
	err := privatefile.Write(d.name+before, d.data)
	if err == nil {
		err = privatefile.Write(d.name, text)
	}
	return Repriced{File: d.name, Was: inForce(was).Prices(), Now: inForce(now).Prices()}, err
}
