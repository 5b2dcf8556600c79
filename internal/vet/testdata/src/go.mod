module example.com/shop

go 1.26.0

require (
	github.com/jmoiron/sqlx v1.4.0
	gorm.io/gorm v1.31.2
)

// Only the signatures count here.
replace (
	github.com/jmoiron/sqlx => ./stub/sqlx
	gorm.io/gorm => ./stub/gorm
)
