package optimistic

import (
	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/internal/settings"
)

// WithoutCombining has Store.Update write each change by itself. The default is that the calls of one Store
// which meet on a row are written together: a leader reads the row once, has each closure run in turn
// on the row as the one before has left it, writes the last one's, and then answers all. On a row that many
// want, that is worth tens of times the throughput; a call that meets nobody is not affected by it. A call that
// works alone does not lock the row after a loss either: it compares versions until its budget is spent.
//
// It is also off for a call with an option that makes its transaction another one: WithKey, WithIsolation,
// WithCommitTimeout and WithClassifier among the call's own.
func WithoutCombining() sqlcas.Option {
	return settings.Func(func(s *settings.Settings) error {
		s.Alone = true
		return nil
	})
}
