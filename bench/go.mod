module github.com/sqlcas/sqlcas/bench

go 1.26

replace github.com/sqlcas/sqlcas => ..

require (
	github.com/go-sql-driver/mysql v1.10.1
	github.com/sqlcas/sqlcas v0.0.0-00010101000000-000000000000
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
)
