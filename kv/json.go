package kv

import (
	"encoding/json"

	"ctxledger.dev/internal/fault"
)

// PutJSON writes a record whose value is v as JSON. Errors: internal, and those of Put.
func PutJSON(tx Tx, b Bucket, key []byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, "kv.put", err)
	}
	return tx.Put(b, key, raw)
}

// GetJSON decodes the value of a record into v, and says whether there is one. Errors: corrupt, and those of Get.
func GetJSON(tx Tx, b Bucket, key []byte, v any) (found bool, err error) {
	raw, err := tx.Get(b, key)
	if err != nil || raw == nil {
		return false, err
	}
	return true, Decode(raw, v)
}

// Decode decodes the JSON value of a record into v. Error: corrupt.
func Decode(raw []byte, v any) error {
	return fault.Wrap(fault.Corrupt, "kv.decode", json.Unmarshal(raw, v))
}

// JSON decodes a record with JSON, for Values.
func JSON[T any](r Record) (v T, err error) { return v, Decode(r.Value, &v) }

// DeleteAll deletes the records with these keys.
func DeleteAll(tx Tx, b Bucket, keys [][]byte) error {
	for _, k := range keys {
		if err := tx.Delete(b, k); err != nil {
			return err
		}
	}
	return nil
}
