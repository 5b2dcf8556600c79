package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sqlcas/sqlcas"
	"github.com/sqlcas/sqlcas/gen/shop"
)

// requestTimeout bounds the work for one request. Give every call of a Store a deadline: without one it
// waits for as long as somebody else holds the row.
const requestTimeout = 5 * time.Second

// products is the Store behind the service; an optimistic.Store and a pessimistic.Store both fit.
type products interface {
	sqlcas.Updater[uint64, shop.Inventory]
	Get(ctx context.Context, id uint64) (shop.Inventory, error)
	UpdateIfVersion(
		ctx context.Context, id, version uint64, change func(*shop.Inventory) error, opts ...sqlcas.Option,
	) (shop.Inventory, error)
	Delete(ctx context.Context, row shop.Inventory, opts ...sqlcas.Option) error
}

// service serves /products/{id}.
//
//	GET     200 with the row and its ETag; 304 if If-None-Match has it; 404
//	PUT     200 with the row as written and its new ETag; all of it has to be given
//	PATCH   the same; what is not given stays (RFC 7396)
//	DELETE  204
//
// PUT, PATCH and DELETE need If-Match (RFC 9110, 13.1.1), so that nobody overwrites what they have not seen:
//
//	428     there is no If-Match
//	400     If-Match is neither * nor a list of entity tags
//	404     there is no such row; asked first, as RFC 9110, 13.2.1 has it, so that 412 always has a row
//	412     none of the tags is that of the row as it is; the answer has the row and its ETag
//
// A tag that is well-formed but not of this row, since it is forged, cut short, another row's or made
// with an older secret, is 412 and not 400: to RFC 9110 it is a tag that does not match, and a client
// that meets a new secret has to do what it does after a lost race, which is to look at the row and
// decide again. So is a weak tag, W/"...": If-Match wants a strong comparison, which a weak tag never
// passes. Of several tags one has to match.
//
// If-Match: * holds if the row exists, whatever its version. It is for clients that mean it: a PATCH is
// then applied to the row as it is, a PUT overwrites, a DELETE deletes. Nothing of that can be said by
// mistake, as it can by leaving the header out.
type service struct {
	products products
	tags     *signer
	timeout  time.Duration // of the work for one request
	log      *slog.Logger
}

// handler returns the service's routes. Other methods are 405.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, uint64){
		"GET /products/{id}":    s.get,
		"PUT /products/{id}":    s.put,
		"PATCH /products/{id}":  s.patch,
		"DELETE /products/{id}": s.delete,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
			defer cancel()
			id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
			if err != nil || strconv.FormatUint(id, 10) != r.PathValue("id") { // one URL a row: not 007
				s.fail(w, &sqlcas.GoneError{Table: shop.StockTable.Schema.Name, Key: r.PathValue("id")})
				return
			}
			handle(w, r.WithContext(ctx), id)
		})
	}
	return mux
}

func (s *service) get(w http.ResponseWriter, r *http.Request, id uint64) {
	unless, err := parseCondition(r.Header.Values("If-None-Match"))
	if err != nil {
		s.fail(w, badRequest("If-None-Match: "+err.Error()))
		return
	}
	row, err := s.products.Get(r.Context(), id)
	if err != nil {
		s.fail(w, err)
		return
	}
	// If-None-Match compares weakly: a weak tag is as good as a strong one.
	same := func(t entityTag) bool { return t.opaque == s.token(row) }
	if unless.any || slices.ContainsFunc(unless.tags, same) {
		w.Header().Set("ETag", s.etag(row))
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.show(w, row)
}

func (s *service) put(w http.ResponseWriter, r *http.Request, id uint64) {
	s.edit(w, r, id, func() (change, error) { return wholeEdit(w, r) })
}

func (s *service) patch(w http.ResponseWriter, r *http.Request, id uint64) {
	s.edit(w, r, id, func() (change, error) { return partialEdit(w, r) })
}

// change is what a request does to the row.
type change = func(row *shop.Inventory) error

func (s *service) edit(w http.ResponseWriter, r *http.Request, id uint64, read func() (change, error)) {
	match, err := ifMatch(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	change, err := read()
	if err != nil {
		s.fail(w, err)
		return
	}
	row, err := s.apply(r.Context(), id, match, change)
	if err != nil {
		s.fail(w, err)
		return
	}
	// What was sent is stored as it is. The answer has the row all the same, so that nobody has to take
	// what they sent for the representation that the ETag is of.
	w.Header().Set("Content-Location", r.URL.EscapedPath())
	s.show(w, row)
}

// apply changes the row under the condition.
func (s *service) apply(
	ctx context.Context, id uint64, match condition, change change,
) (shop.Inventory, error) {
	if match.any {
		return s.products.Update(ctx, id, change) // whatever its version; again if somebody is faster
	}
	version, err := s.expected(ctx, id, match)
	if err != nil {
		return shop.Inventory{}, err
	}
	row, err := s.products.UpdateIfVersion(ctx, id, version, change)
	if errors.Is(err, sqlcas.ErrConflict) {
		return row, s.stale(ctx, id, row)
	}
	return row, err
}

func (s *service) delete(w http.ResponseWriter, r *http.Request, id uint64) {
	match, err := ifMatch(r)
	if err == nil {
		err = s.remove(r.Context(), id, match)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// remove deletes the row under the condition.
func (s *service) remove(ctx context.Context, id uint64, match condition) error {
	if !match.any {
		version, err := s.expected(ctx, id, match)
		if err != nil {
			return err
		}
		// Of the row, Delete looks at the key and the version alone.
		err = s.products.Delete(ctx, shop.Inventory{ProductID: id, Version: version})
		if errors.Is(err, sqlcas.ErrConflict) {
			return s.stale(ctx, id, shop.Inventory{})
		}
		return err
	}
	for { // until ctx ends; each conflict is somebody else's success
		row, err := s.products.Get(ctx, id)
		if err != nil {
			return err
		}
		if err := s.products.Delete(ctx, row); !errors.Is(err, sqlcas.ErrConflict) {
			return err
		}
	}
}

// expected returns the version that the row has to be at. One tag of this row's, which is what clients
// send, decides that without a look at the row. Of several the one that is current counts.
func (s *service) expected(ctx context.Context, id uint64, match condition) (uint64, error) {
	var versions []uint64
	for _, t := range match.tags {
		if t.weak {
			continue
		}
		if v, ok := s.tags.version(shop.StockTable.Schema.Name, strconv.FormatUint(id, 10), t.opaque); ok {
			versions = append(versions, v)
		}
	}
	if len(versions) == 1 {
		return versions[0], nil
	}
	row, err := s.products.Get(ctx, id)
	switch {
	case err != nil:
		return 0, err
	case slices.Contains(versions, row.Version):
		return row.Version, nil
	case len(versions) == 0:
		return 0, &preconditionError{row, "If-Match has no strong entity tag of this row"}
	}
	return 0, s.stale(ctx, id, row)
}

// stale is the 412 of a row that has moved on. It reads the row if there is none at hand.
func (s *service) stale(ctx context.Context, id uint64, row shop.Inventory) error {
	if row.Version == 0 {
		var err error
		if row, err = s.products.Get(ctx, id); err != nil {
			return err
		}
	}
	return &preconditionError{row, "somebody else has changed the row since"}
}

// ifMatch returns the condition that a change must have.
func ifMatch(r *http.Request) (condition, error) {
	c, err := parseCondition(r.Header.Values("If-Match"))
	switch {
	case err != nil:
		return c, badRequest("If-Match: " + err.Error())
	case !c.given:
		return c, &statusError{http.StatusPreconditionRequired, "send If-Match with the ETag that GET has given you"}
	}
	return c, nil
}

// token returns the opaque token of a row.
func (s *service) token(row shop.Inventory) string {
	return s.tags.token(shop.StockTable.Schema.Name, strconv.FormatUint(row.ProductID, 10), row.Version)
}

// etag returns the strong entity tag of a row.
func (s *service) etag(row shop.Inventory) string { return `"` + s.token(row) + `"` }
