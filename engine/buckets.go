package engine

import "ctxledger.dev/kv"

// bucketEngine holds what the ledger knows of itself: the schema of its records, by which its programs
// know what buckets to expect. A ledger without the record has schema 1.
const bucketEngine kv.Bucket = "engine"

var keySchema = []byte("schema")
