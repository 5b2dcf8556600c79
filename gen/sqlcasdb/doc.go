// Package sqlcasdb is the library's own tables as sqlc writes them from queries/sqlcas: sqlcas_operation, the
// ids of operations that have been applied.
//
// It is for sqlcas's own packages: who uses ids calls sqlcas.WithOperationID and sqlcas.DeleteOperations, and
// reads the table, if at all, by SQL of his own. But for this comment, all of it is generated.
package sqlcasdb
