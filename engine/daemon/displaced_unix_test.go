//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// Once, saves were acknowledged by an owner whose state directory was gone, until it noticed. Now each is
// refused, and a later call is for the ledger that is in the place then.
func TestNothingIsAcknowledgedThatTheNextOwnerDoesNotHave(t *testing.T) {
	for name, displace := range map[string]func(state string) error{
		"removed": os.RemoveAll,
		"moved":   func(state string) error { return os.Rename(state, state+".old") },
		"replaced": func(state string) error {
			return errors.Join(os.Rename(state, state+".old"), os.Mkdir(state, 0o700))
		},
		"the file removed": func(state string) error { return os.Remove(filepath.Join(state, "ledger.db")) },
	} {
		t.Run(name, func(t *testing.T) {
			state := stateDir(t)
			o := optionsFor(t, state)
			api := open(t, o)
			save(t, api, "before")
			if err := displace(state); err != nil {
				t.Fatal(err)
			}
			acknowledged := ""
			for i := 0; acknowledged == ""; i++ {
				fact := fact(fmt.Sprint("fact ", i))
				switch _, err := api.SaveMemory(deadlined(t), fact); {
				case err == nil:
					acknowledged = fact.Entry.Name
				case !fault.Is(err, fault.Unavailable):
					t.Fatal(err)
				}
			}
			if err := link.Stop(deadlined(t), state); err != nil {
				t.Fatal(err)
			}
			now, err := engine.Open(t.Context(),
				engine.Options{State: state, Workspace: o.Workspace, Env: env.System()})
			if err != nil {
				t.Fatal(err)
			}
			defer now.Close() // only read
			if _, err := now.Memory(t.Context(), ledger.MemoryRequest{Name: acknowledged}); err != nil {
				t.Errorf("%s was acknowledged: %v", acknowledged, err)
			}
		})
	}
}
