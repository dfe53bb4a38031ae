package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// noise returns bytes that do not compress, the same in every run.
func noise(n int) []byte {
	p := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(p) // never fails
	return p
}

func TestBlobsComeBackByteForByte(t *testing.T) {
	api := open(t, optionsFor(t, stateDir(t)))
	for _, content := range [][]byte{nil, []byte("x"), noise(link.Chunk), noise(link.Chunk + 1), noise(5 << 20)} {
		ref, err := api.PutBlob(deadlined(t), bytes.NewReader(content))
		if err != nil || ref.Size != int64(len(content)) {
			t.Fatalf("%d bytes: %+v, %v", len(content), ref, err)
		}
		for _, from := range []int64{0, ref.Size / 3, ref.Size} {
			r, err := api.ReadBlob(deadlined(t), ledger.ReadBlobRequest{Hash: ref.Hash, Offset: from})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, content[from:]) {
				t.Errorf("%d bytes from %d: %d came back, %v", len(content), from, len(got), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAReadGoesOnWithTheNextOwner(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	content := noise(8 << 20)
	ref, err := api.PutBlob(deadlined(t), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	r, err := api.ReadBlob(deadlined(t), ledger.ReadBlobRequest{Hash: ref.Hash})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]byte, 1<<20)
	if _, err := io.ReadFull(r, got); err != nil {
		t.Fatal(err)
	}
	kill(t, published(t, state).PID)
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(append(got, rest...), content) {
		t.Errorf("%d of %d bytes: %v", len(got)+len(rest), len(content), err)
	}
}

// killer kills an owner in the middle of a content.
type killer struct {
	*bytes.Reader
	at   int64
	kill func()
}

func (k *killer) Read(p []byte) (int, error) {
	if k.kill != nil && k.Size()-int64(k.Len()) >= k.at {
		k.kill()
		k.kill = nil
	}
	return k.Reader.Read(p)
}

func TestABlobOnItsWayOutlivesItsOwner(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	content := noise(4 << 20)
	ref, err := api.PutBlob(deadlined(t),
		&killer{bytes.NewReader(content), 2 << 20, func() { kill(t, published(t, state).PID) }})
	if err != nil || ref.Size != int64(len(content)) {
		t.Fatalf("%+v, %v", ref, err)
	}
}

func TestABlobThatCannotBeSentAgainSaysSo(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	content := &killer{bytes.NewReader(noise(4 << 20)), 2 << 20, func() { kill(t, published(t, state).PID) }}
	_, err := api.PutBlob(deadlined(t), struct{ io.Reader }{content})
	if !fault.Is(err, fault.Unavailable) || fault.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}

func TestBlobErrors(t *testing.T) {
	api := open(t, optionsFor(t, stateDir(t)))
	broken := errors.New("the disk of the sender")
	_, err := api.PutBlob(deadlined(t), io.MultiReader(bytes.NewReader(noise(link.Chunk*2)), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("a content that fails: %v", err)
	}
	for _, r := range []ledger.ReadBlobRequest{{Hash: "00"}, {Handle: "000000000000"}, {}} {
		if _, err := api.ReadBlob(deadlined(t), r); err == nil || fault.Is(err, fault.Internal) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	endless := &cancelling{after: 10, cancel: cancel}
	if _, err := api.PutBlob(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled blob: %v", err)
	}
	info, err := api.Info(deadlined(t), ledger.InfoRequest{})
	if err != nil || info.Artifacts != 0 {
		t.Errorf("info %+v, %v", info, err)
	}
}

// cancelling is an endless content that cancels after some reads.
type cancelling struct {
	after  int
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	if c.after--; c.after == 0 {
		c.cancel()
	}
	return len(p), nil
}

func TestACancelledReadEnds(t *testing.T) {
	api := open(t, optionsFor(t, stateDir(t)))
	ref, err := api.PutBlob(deadlined(t), bytes.NewReader(noise(8<<20)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := api.ReadBlob(ctx, ledger.ReadBlobRequest{Hash: ref.Hash})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
