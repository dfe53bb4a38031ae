package hosting

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// lookEvery is how often the files of a certificate are looked at, at most.
const lookEvery = time.Second

// certificate is that of the server, read again when one of its files is another one. It is safe for concurrent use.
type certificate struct {
	files [2]string // certificate and key
	now   func() time.Time

	mu     sync.Mutex
	pair   *tls.Certificate // guarded by mu
	times  [2]time.Time     // guarded by mu; of the files, when pair was read
	looked time.Time        // guarded by mu
}

// get returns the certificate. While the files are being replaced, and do not fit together, that is the one before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.pair != nil && now.Sub(c.looked).Abs() < lookEvery {
		return c.pair, nil
	}
	c.looked = now
	var times [2]time.Time
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil { // else reading it fails
			times[i] = info.ModTime()
		}
	}
	if c.pair != nil && times == c.times {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err == nil {
		c.pair, c.times = &pair, times
	}
	if c.pair == nil {
		return nil, err
	}
	return c.pair, nil
}
