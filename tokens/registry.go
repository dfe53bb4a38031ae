package tokens

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/internal/fault"
)

// Registry says what is known of models by their names. It is immutable and safe for concurrent
// use; make one with Builtin, and one with the user's own models with its method With. The zero
// Registry knows no model.
type Registry struct {
	models []Model // sorted by name, without duplicates
	table  Table   // whose prices they have, without its models
}

// Digest tells registries apart that price or count models differently.
func (r *Registry) Digest() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%+v", r.models))
}

// Builtin returns the registry of the models that the program knows: the lines of data/models.txt.
func Builtin() *Registry { return builtin() }

var builtin = sync.OnceValue(func() *Registry {
	t, err := ParseTable(modelTable)
	if err != nil {
		panic("tokens: the embedded table of models is damaged: " + err.Error()) // not input: a broken build
	}
	return (&Registry{}).Updated(t)
})

// maxModels is how many models can be added: a table for a person to read, not a catalogue.
const maxModels = 1000

// With returns a registry that knows these models besides those of r. What an entry leaves open is
// taken from what r knows of that name. A name is matched as those of r are: the longest prefix wins,
// and of two equal ones the new one. Errors: invalid, naming the model, the field and the limit, for
// an entry that makes no sense and for two of one name; too_large for more than 1,000 models.
func (r *Registry) With(models ...Model) (*Registry, error) {
	const op = "tokens.registry"
	if len(models) > maxModels {
		return nil, fault.New(fault.TooLarge, op, "%d models are more than the limit of %d", len(models), maxModels)
	}
	given := make(map[string]string, len(models)) // names as they were given, by what is left of them
	added := make([]Model, 0, len(models)+len(r.models))
	for _, m := range models {
		name := bareName(m.Name)
		if other, twice := given[name]; twice {
			return nil, fault.New(fault.Invalid, op, "model %.1000q: name: the same as that of model %.1000q", m.Name,
				other)
		}
		given[name] = m.Name
		m.Name = name
		base, _ := r.Lookup(name)
		m = m.over(base)
		if err := m.check(); err != nil {
			return nil, err
		}
		added = append(added, m)
	}
	for _, m := range r.models {
		if _, replaced := given[m.Name]; !replaced {
			added = append(added, m)
		}
	}
	return &Registry{sorted(added), r.table}, nil
}

func sorted(models []Model) []Model {
	slices.SortFunc(models, func(a, b Model) int { return cmp.Compare(a.Name, b.Name) })
	return models
}

// Lookup returns what is known of a model, by its name as a provider or an agent spells it:
// "gpt-4o", "claude-sonnet-4-5-20250929", "anthropic/claude-opus-4.6", "models/gemini-2.5-pro".
// The entry with the longest name that the model's starts with, and that ends where a word or number
// of it ends, is the model's.
func (r *Registry) Lookup(name string) (Model, bool) {
	name = bareName(name)
	// Prefixes of a name sort before it, and the longer ones later.
	at, exact := slices.BinarySearchFunc(r.models, name,
		func(m Model, name string) int { return strings.Compare(m.Name, name) })
	if exact {
		return r.models[at], true
	}
	for i := at - 1; i >= 0 && r.models[i].Name[0] == name[0]; i-- {
		if hasWordPrefix(name, r.models[i].Name) {
			return r.models[i], true
		}
	}
	return Model{}, false
}

// Counter returns how texts are counted for a model: as its own encoding does, else as learnt
// says, the state of an Estimator, and without one as models of its family do. Without a model it is the zero Counter: the
// o200k_base count as an estimate. Every figure of a text is counted by it, and it alone decides which figures are exact.
//
// Errors: those of ParseEstimator; the counter then does without.
func (r *Registry) Counter(model string, learnt []byte) (Counter, error) {
	c := r.For(model)
	if model == "" || len(learnt) == 0 {
		return c, nil
	}
	e, err := ParseEstimator(model, learnt)
	return c.With(e), err
}

// For returns the counter of a model: one without an encoding of its own is estimated by its family, and one that is not
// known from the o200k_base count.
func (r *Registry) For(name string) Counter {
	m, _ := r.Lookup(name)
	return Counter{model: name, encoding: m.Encoding, family: m.Family}
}

// longContext is how agents mark that a model runs with the large window, and that window.
const (
	longContext       = "[1m]"
	longContextWindow = 1_000_000
)

// Window returns the size in tokens of a model's context window, and whether it is known; a window
// that is not known is 0. A known model whose name ends in "[1m]" has a window of a million tokens,
// unless With was given another one for that very name.
func (r *Registry) Window(name string) (tokens int, known bool) {
	m, ok := r.Lookup(name)
	if bare := bareName(name); ok && strings.HasSuffix(bare, longContext) && !(m.own && m.Name == bare) {
		return longContextWindow, true
	}
	return m.Window, m.Window > 0
}

// Assumes reports whether the window of a model is that of all whose names begin alike: no table has the model itself.
func (r *Registry) Assumes(name string) bool {
	m, ok := r.Lookup(name)
	family := strings.HasSuffix(m.Name, "-") || strings.HasSuffix(m.Name, ".")
	return ok && family && !m.own && !strings.HasSuffix(bareName(name), longContext)
}

// SameModel reports whether two names are spellings of one, as a provider and an agent may write it.
func SameModel(a, b string) bool { return bareName(a) == bareName(b) }

// OwnWindow reports whether the window of a model is the user's own: With was given it.
func (r *Registry) OwnWindow(name string) bool {
	m, ok := r.Lookup(name)
	bare := bareName(name)
	return ok && m.own && (m.Name == bare || !strings.HasSuffix(bare, longContext))
}
