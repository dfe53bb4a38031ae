package kv

import (
	"bytes"
	"encoding/binary"
	"testing"

	"ctxledger.dev/internal/fault"
)

// FuzzInvariant1RoundTripAndFlip: decode(encode(x)) = x for every record; a flipped byte, in
// the stored bytes, the key or the bucket, is an error, never a value.
func FuzzInvariant1RoundTripAndFlip(f *testing.F) {
	f.Add("bucket", []byte("key"), []byte("value"), uint16(0), byte(1))
	f.Add("b", []byte{0}, []byte{}, uint16(4), byte(0x80))
	f.Add("", []byte{}, []byte(nil), uint16(8), byte(0xff))
	f.Add("entries", bytes.Repeat([]byte{0xff}, MaxKey), bytes.Repeat([]byte{0}, 5000), uint16(3000), byte(7))
	f.Fuzz(func(t *testing.T, bucket string, key, value []byte, at uint16, flip byte) {
		raw := Seal(Bucket(bucket), key, value)
		if len(raw) != len(value)+EnvelopeSize {
			t.Fatalf("%d bytes sealed in %d", len(value), len(raw))
		}
		got, err := Unseal(Bucket(bucket), key, raw)
		if err != nil || got == nil || !bytes.Equal(got, value) {
			t.Fatalf("round trip: %q, %v", got, err)
		}
		if flip == 0 {
			return
		}
		all := append(append([]byte(bucket), key...), raw...)
		all[int(at)%len(all)] ^= flip
		b, k := len(bucket), len(bucket)+len(key)
		if got, err := Unseal(Bucket(all[:b]), all[b:k], all[k:]); fault.CodeOf(err) != fault.Corrupt || got != nil {
			t.Fatalf("byte %d of %d flipped: %q, %v", int(at)%len(all), len(all), got, err)
		}
	})
}

// TestInvariant1EveryFlipIsCorrupt tries all 255 changes of every byte of one record.
func TestInvariant1EveryFlipIsCorrupt(t *testing.T) {
	raw := Seal("bucket", []byte("key"), []byte("a value of the ledger"))
	for i := range raw {
		for flip := 1; flip < 256; flip++ {
			bad := bytes.Clone(raw)
			bad[i] ^= byte(flip)
			if v, err := Unseal("bucket", []byte("key"), bad); !fault.Is(err, fault.Corrupt) || v != nil {
				t.Fatalf("byte %d ^ %#x: %q, %v", i, flip, v, err)
			}
		}
	}
}

func TestUnsealRefuses(t *testing.T) {
	raw := Seal("bucket", []byte("key"), []byte("value"))
	newer := bytes.Clone(raw)
	newer[0] = envelopeVersion + 1
	binary.BigEndian.PutUint32(newer[5:], envelopeSum(newer[0], "bucket", []byte("key"), []byte("value")))
	zero := bytes.Clone(raw)
	zero[0] = 0
	binary.BigEndian.PutUint32(zero[5:], envelopeSum(0, "bucket", []byte("key"), []byte("value")))
	for _, c := range []struct {
		name   string
		bucket Bucket
		key    string
		raw    []byte
		code   fault.Code
	}{
		{"record moved to another key", "bucket", "kez", raw, fault.Corrupt},
		{"record moved to another bucket", "buckeu", "key", raw, fault.Corrupt},
		{"byte moved from bucket to key", "bucke", "tkey", raw, fault.Corrupt},
		{"byte moved from value to key", "bucket", "keyv", Seal("bucket", []byte("key"), []byte("value"))[1:],
			fault.Corrupt},
		{"nothing", "bucket", "key", nil, fault.Corrupt},
		{"shorter than an envelope", "bucket", "key", raw[:EnvelopeSize-1], fault.Corrupt},
		{"cut off", "bucket", "key", raw[:len(raw)-1], fault.Corrupt},
		{"extended", "bucket", "key", append(bytes.Clone(raw), 0), fault.Corrupt},
		{"zeroed", "bucket", "key", make([]byte, len(raw)), fault.Corrupt},
		{"zeroed to an empty envelope", "bucket", "key", make([]byte, EnvelopeSize), fault.Corrupt},
		{"version 0", "bucket", "key", zero, fault.Corrupt},
		{"newer version", "bucket", "key", newer, fault.Unavailable},
	} {
		if v, err := Unseal(c.bucket, []byte(c.key), c.raw); fault.CodeOf(err) != c.code || v != nil {
			t.Errorf("%s: %q, %v, want %s", c.name, v, err, c.code)
		}
	}
	if _, err := Unseal("bucket", []byte("key"), newer); fault.HintOf(err) != "upgrade ctxledger" {
		t.Errorf("a newer record has no way out: %v", err)
	}
}

func TestChecksumIsLengthDelimited(t *testing.T) {
	if envelopeSum(1, "ab", []byte("c"), nil) == envelopeSum(1, "a", []byte("bc"), nil) ||
		envelopeSum(1, "a", []byte("bc"), nil) == envelopeSum(1, "a", []byte("b"), []byte("c")) {
		t.Error("bytes can move between bucket, key and value")
	}
}

func BenchmarkSealUnseal1K(b *testing.B) {
	key, value := []byte("0123456789abcdef"), make([]byte, 1024)
	b.SetBytes(1024)
	for b.Loop() {
		if _, err := Unseal("entries", key, Seal("entries", key, value)); err != nil {
			b.Fatal(err)
		}
	}
}
