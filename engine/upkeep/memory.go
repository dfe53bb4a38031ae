package upkeep

import (
	"cmp"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// memory forgets a memory in one transaction.
func (s *step) memory(scope memory.Scope, name string) (memory.Entry, error) {
	old, err := memory.Forget(s, scope, name)
	if err != nil {
		return old, err
	}
	if err := s.begin(); err != nil {
		return old, err
	}
	s.e.ids = map[string]bool{old.GUID: true}
	keys, err := s.e.aboutIt(s)
	if err != nil {
		return old, err
	}
	for _, k := range keys {
		err = cmp.Or(err, s.answer(k))
	}
	return old, cmp.Or(err, s.events(func(e *ledger.Event) bool {
		if e.Kind != ledger.EventMemory || e.ID != old.Name {
			return false
		}
		e.ID = ""
		return true
	}))
}
