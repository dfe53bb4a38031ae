package kv

import "ctxledger.dev/internal/fault"

// MaxBucket is the longest name of a bucket, in bytes.
const MaxBucket = 64

// CheckRecord checks the limits of a record. Backends call it in Put. Bucket names that start with a zero
// byte are reserved for backends. Errors: invalid, too_large.
func CheckRecord(b Bucket, key, value []byte) error {
	switch {
	case b == "" || b[0] == 0:
		return fault.New(fault.Invalid, "kv.put", "bucket name %.1000q is empty or starts with a zero byte", b)
	case len(b) > MaxBucket:
		return fault.New(fault.TooLarge, "kv.put",
			"bucket name %.1000q… has %d bytes, the limit is %d", b, len(b), MaxBucket)
	case len(key) == 0:
		return fault.New(fault.Invalid, "kv.put", "a record in %q has an empty key", b)
	case len(key) > MaxKey:
		return fault.New(fault.TooLarge, "kv.put",
			"key %.1000q… in %q has %d bytes, the limit is %d", key, b, len(key), MaxKey)
	case len(value) > MaxValue:
		return fault.New(fault.TooLarge, "kv.put",
			"value of %.1000q in %q has %d bytes, the limit is %d", key, b, len(value), MaxValue).
			WithHint("store the content as a blob")
	}
	return nil
}
