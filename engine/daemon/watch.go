package daemon

import (
	"os"
	"runtime/debug"
	"time"

	"ctxledger.dev/kv/bolt"
)

// calm is after how long without a request a daemon gives the memory back that its work has left behind:
// it stays for many minutes, and mostly nobody asks anything.
const calm = 5 * time.Second

// watchEvery is how often a daemon looks after its state directory.
const watchEvery = time.Second

// watch makes the daemon leave when its state directory is removed or replaced, or the ledger in it,
// and publishes it again when only owner.json is: nobody else can, as long as the lock is held. It also
// sees that the daemon takes little room while it is not needed.
func (d *daemon) watch() {
	home, err := os.Stat(d.config.State)
	if err != nil {
		d.leave(errGone)
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	rested := false
	for {
		select {
		case <-d.leaving.Done():
			return
		case <-tick.C:
		}
		now, err := os.Stat(d.config.State)
		if err != nil || !os.SameFile(home, now) || !bolt.Exists(d.config.State) {
			d.leave(errGone)
			return
		}
		if o, err := readOwner(d.config.State); err != nil || o.Token != d.self.Token {
			if err := d.self.publish(d.config.State); err != nil {
				d.log.Error("publish", "error", err.Error())
			}
		}
		_, idle := d.presence.now()
		if idle >= calm && !rested {
			debug.FreeOSMemory()
		}
		rested = idle >= calm
	}
}
