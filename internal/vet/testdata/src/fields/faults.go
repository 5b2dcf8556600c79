// Package fields keeps handles in fields, and hands them on as parameters.
package fields

import (
	"context"
	"database/sql"

	"example.com/shop/shop"
)

const lock = "SELECT balance FROM account WHERE id = ? FOR UPDATE"

type literal struct{ q *shop.Queries }

func newLiteral(db *sql.DB) *literal { return &literal{q: shop.New(db)} }

func (s *literal) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

type assignment struct{ q *shop.Queries }

func (s *assignment) open(db *sql.DB) { s.q = shop.New(db) }

func (s *assignment) close() { s.q = nil }

func (s *assignment) get(ctx context.Context) (int64, error) {
	q := s.q
	return q.LockBalance(ctx, 1) // want CAS008
}

type positional struct {
	name string
	q    shop.Querier
}

func positionals(db *sql.DB) []*positional {
	return []*positional{{"a", shop.New(db)}, {"b", shop.New(db)}}
}

func (s positional) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

type embedding struct{ *shop.Queries }

func (s embedding) get(ctx context.Context) (int64, error) {
	return s.LockBalance(ctx, 1) // want CAS008
}

type embeddingTwice struct {
	embedding
	shop.DBTX
}

func newEmbedding(db *sql.DB) embeddingTwice {
	return embeddingTwice{embedding{shop.New(db)}, db}
}

func (s *embeddingTwice) get(ctx context.Context) (int64, error) {
	s.QueryRowContext(ctx, lock, 1) // want CAS008
	return s.LockBalance(ctx, 1)    // want CAS008
}

type connection struct{ db shop.DBTX }

func (s *connection) get(ctx context.Context) (int64, error) {
	return shop.New(s.db).LockBalance(ctx, 1) // want CAS008
}

func newConnection(db *sql.DB) connection { return connection{db: db} }

type value struct{ q shop.Queries }

func newValue(db *sql.DB) value { return value{*shop.New(db)} }

func (s *value) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

type prepared struct{ q *shop.Queries }

func (s *prepared) open(ctx context.Context, db *sql.DB) (err error) {
	s.q, err = shop.Prepare(ctx, db)
	return err
}

func (s *prepared) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

type logged struct {
	*sql.DB
	name string
}

type wrapping struct{ q *shop.Queries }

func newWrapping(db *sql.DB) wrapping {
	return wrapping{q: shop.New(logged{db, "shop"})}
}

func (s wrapping) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

// Service is made by package app.
type Service struct {
	q     *shop.Queries
	Extra shop.Querier
}

// NewService is called from there alone.
func NewService(q *shop.Queries) *Service { return &Service{q: q} }

// Get reads by the field that was given here, Other by the one that was given there.
func (s *Service) Get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

// Other is like Get.
func (s *Service) Other(ctx context.Context) (int64, error) {
	return s.Extra.LockBalance(ctx, 1) // want CAS008
}

func early(ctx context.Context, db *sql.DB) (int64, error) { return late(ctx, shop.New(db)) }

func late(ctx context.Context, q *shop.Queries) (int64, error) {
	return q.LockBalance(ctx, 1) // want CAS008
}

func parameter(ctx context.Context, q *shop.Queries, again bool) (int64, error) {
	if again {
		return parameter(ctx, q, false)
	}
	return q.LockBalance(ctx, 1) // want CAS008
}

func generic[Q shop.Querier](ctx context.Context, q Q) (int64, error) {
	return q.LockBalance(ctx, 1) // want CAS008
}

func (s *literal) method(ctx context.Context, q shop.DBTX) *sql.Row {
	return q.QueryRowContext(ctx, lock, 1) // want CAS008
}

func parameters(ctx context.Context, s *literal, db *sql.DB) {
	parameter(ctx, shop.New(db), true)
	parameter(ctx, s.q, false)
	generic(ctx, shop.New(db))
	generic[*shop.Queries](ctx, s.q)
	s.method(ctx, db)
}

type typed[T any] struct {
	q    *shop.Queries
	rows []T
}

func newTyped(db *sql.DB) *typed[int] { return &typed[int]{q: shop.New(db)} }

func (s *typed[T]) get(ctx context.Context) (int64, error) {
	return s.q.LockBalance(ctx, 1) // want CAS008
}

var global shop.Querier

func openGlobal(ctx context.Context, db *sql.DB) (int64, error) {
	global = shop.New(db)
	return global.LockBalance(ctx, 1) // want CAS008
}
