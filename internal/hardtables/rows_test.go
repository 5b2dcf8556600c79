package hardtables

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sqlcas/sqlcas/internal/hardtables/sku"
)

// rowNumber gives each row a number of its own.
var rowNumber atomic.Uint64

// sixteen returns bytes for a key that no other row has.
func sixteen() (b [16]byte) {
	binary.BigEndian.PutUint64(b[8:], rowNumber.Add(1))
	return b
}

func seats() hard[SeatKey, Seat] {
	return hard[SeatKey, Seat]{
		table: SeatTable,
		insert: func(ctx context.Context, q *Queries) (SeatKey, error) {
			key := SeatKey{Event: rowNumber.Add(1), RowNO: 7, SeatNO: 12}
			return key, q.InsertSeat(ctx, &InsertSeatParams{Event: key.Event, RowNO: key.RowNO, SeatNO: key.SeatNO})
		},
		change:  func(row *Seat) { row.Holder = sql.NullString{String: "alice", Valid: true} },
		changed: func(row Seat) bool { return row.Holder.String == "alice" },
		touch: func(ctx context.Context, q *Queries, row Seat) error {
			return q.TouchSeatOrConflict(ctx, &TouchSeatParams{
				Event: row.Event, RowNO: row.RowNO, SeatNO: row.SeatNO, Version: row.Version,
			})
		},
	}
}

func devices() hard[[16]byte, Device] {
	return hard[[16]byte, Device]{
		table: DeviceTable,
		bytes: true,
		insert: func(ctx context.Context, q *Queries) ([16]byte, error) {
			key := sixteen()
			return key, q.InsertDevice(ctx, &InsertDeviceParams{ID: key[:], Label: "lamp"})
		},
		change:  func(row *Device) { row.Label, row.Digest = "lantern", sql.NullString{String: "\x00\xff", Valid: true} },
		changed: func(row Device) bool { return row.Label == "lantern" && row.Digest.String == "\x00\xff" },
		touch: func(ctx context.Context, q *Queries, row Device) error {
			return q.TouchDeviceOrConflict(ctx, &TouchDeviceParams{ID: row.ID, Version: row.Version})
		},
	}
}

func parcels() hard[sku.Tracking, Parcel] {
	return hard[sku.Tracking, Parcel]{
		table: ParcelTable,
		bytes: true,
		insert: func(ctx context.Context, q *Queries) (sku.Tracking, error) {
			key := sku.Tracking(sixteen())
			return key, q.InsertParcel(ctx, &InsertParcelParams{Tracking: key, Grams: 100})
		},
		change:  func(row *Parcel) { row.Grams = 1<<32 - 1 },
		changed: func(row Parcel) bool { return row.Grams == 1<<32-1 },
		touch: func(ctx context.Context, q *Queries, row Parcel) error {
			return q.TouchParcelOrConflict(ctx, &TouchParcelParams{Tracking: row.Tracking, Version: row.Version})
		},
	}
}

func orders() hard[uint32, Order] {
	return hard[uint32, Order]{
		table: OrderTable,
		insert: func(ctx context.Context, q *Queries) (uint32, error) {
			id, err := q.InsertOrder(ctx, &InsertOrderParams{Group: "a", Type: "b"})
			return uint32(id), err
		},
		change: func(row *Order) { row.Select, row.Steps, row.Row, row.TwoWords = 1, 2, 3, 4 },
		changed: func(row Order) bool {
			return row.Select == 1 && row.Steps == 2 && row.Row == 3 && row.TwoWords == 4 && row.Group == "a"
		},
		touch: func(ctx context.Context, q *Queries, row Order) error {
			return q.TouchOrderOrConflict(ctx, &TouchOrderParams{Key: row.Key, Version: row.Version})
		},
	}
}

func invoices() hard[uint64, Invoice] {
	return hard[uint64, Invoice]{
		table: InvoiceTable,
		insert: func(ctx context.Context, q *Queries) (uint64, error) {
			id, err := q.InsertInvoice(ctx, &InsertInvoiceParams{
				Amount: "10.0000", Detail: json.RawMessage(`{"lines": 1}`), State: InvoiceStateDraft, Flags: "rush",
			})
			return uint64(id), err
		},
		change: func(row *Invoice) {
			row.Tax = sql.NullString{String: "1.9000", Valid: true}
			row.Detail[len(row.Detail)-2] = '2' // in place: the copy that was read before must not see it
			row.State, row.Flags = InvoiceStateSent, "rush,export"
			row.Previous = NullInvoicePrevious{InvoicePrevious: InvoicePreviousDraft, Valid: true}
			row.Due = sql.NullTime{Time: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC), Valid: true}
			row.Paid = true
			extra := json.RawMessage(`{"a": 1}`)
			row.Extra = &extra
		},
		// total is computed by the server: who is told the row as written must see it.
		changed: func(row Invoice) bool {
			return row.Total.String == "11.9000" && row.State == InvoiceStateSent && row.Flags == "rush,export" &&
				row.Previous.InvoicePrevious == InvoicePreviousDraft && row.Paid && row.Due.Time.Year() == 2030 &&
				string(row.Detail) == `{"lines": 2}` && row.Extra != nil && string(*row.Extra) == `{"a": 1}`
		},
		touch: func(ctx context.Context, q *Queries, row Invoice) error {
			return q.TouchInvoiceOrConflict(ctx, &TouchInvoiceParams{ID: row.ID, Version: row.Version})
		},
	}
}

func posts() hard[int32, Post] {
	return hard[int32, Post]{
		table: PostTable,
		insert: func(ctx context.Context, q *Queries) (int32, error) {
			id, err := q.InsertPost(ctx, "first")
			return int32(id), err
		},
		change:  func(row *Post) { row.Title = "second" },
		changed: func(row Post) bool { return row.Title == "second" },
		touch: func(ctx context.Context, q *Queries, row Post) error {
			return q.TouchPostOrConflict(ctx, &TouchPostParams{ID: row.ID, LockVersion: row.LockVersion})
		},
	}
}

// enterDocument enters a document whose body must stay as it is.
func enterDocument(ctx context.Context, q *Queries) (uint64, error) {
	id, err := q.InsertDocument(ctx, &InsertDocumentParams{Title: "draft", Labels: []byte("a"), Body: []byte("\x00 body \xff")})
	return uint64(id), err
}

func documents() hard[uint64, Document] {
	return hard[uint64, Document]{
		table:  DocumentTable,
		bytes:  true,
		insert: enterDocument,
		change: func(row *Document) { row.Body[0] = 1 },
		changed: func(row Document) bool {
			return string(row.Body) == "\x01 body \xff" && row.Title == "draft"
		},
		touch: func(ctx context.Context, q *Queries, row Document) error {
			return q.TouchDocumentOrConflict(ctx, &TouchDocumentParams{ID: row.ID, Version: row.Version})
		},
	}
}

func titles() hard[uint64, DocumentTitle] {
	return hard[uint64, DocumentTitle]{
		table:  DocumentTitleTable,
		bytes:  true,
		insert: enterDocument,
		change: func(row *DocumentTitle) { row.Title, row.Labels[0] = "final", 'z' },
		changed: func(row DocumentTitle) bool {
			return row.Title == "final" && string(row.Labels) == "z"
		},
	}
}

func coupons() hard[string, Coupon] {
	return hard[string, Coupon]{
		table: CouponTable,
		insert: func(ctx context.Context, q *Queries) (string, error) {
			note := "for friends"
			key := fmt.Sprintf("Summer-%d", rowNumber.Add(1))
			return key, q.InsertCoupon(ctx, &InsertCouponParams{Code: key, Note: &note})
		},
		change:  func(row *Coupon) { row.Uses++; *row.Note = "for all" },
		changed: func(row Coupon) bool { return row.Uses == 1 && *row.Note == "for all" },
		touch: func(ctx context.Context, q *Queries, row Coupon) error {
			return q.TouchCouponOrConflict(ctx, &TouchCouponParams{Code: row.Code, Version: row.Version})
		},
	}
}

func roots() hard[AggregateRootKey, AggregateRoot] {
	return hard[AggregateRootKey, AggregateRoot]{
		table: AggregateRootTable,
		insert: func(ctx context.Context, q *Queries) (AggregateRootKey, error) {
			key := AggregateRootKey{Kind: AggregateRootKindCart, ID: -int64(rowNumber.Add(1))}
			return key, q.InsertAggregateRoot(ctx, &InsertAggregateRootParams{Kind: key.Kind, ID: key.ID})
		},
		change:  func(*AggregateRoot) {}, // there is nothing but the version
		changed: func(row AggregateRoot) bool { return row.Version > 1 },
		touch: func(ctx context.Context, q *Queries, row AggregateRoot) error {
			return q.TouchAggregateRootOrConflict(ctx, &TouchAggregateRootParams{Kind: row.Kind, ID: row.ID, Version: row.Version})
		},
	}
}

func quotas() hard[DailyQuotaKey, DailyQuota] {
	return hard[DailyQuotaKey, DailyQuota]{
		table: DailyQuotaTable,
		insert: func(ctx context.Context, q *Queries) (DailyQuotaKey, error) {
			key := DailyQuotaKey{
				Day:    time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
				Tenant: fmt.Sprintf("tenant %d", rowNumber.Add(1)),
			}
			return key, q.InsertDailyQuota(ctx, &InsertDailyQuotaParams{Day: key.Day, Tenant: key.Tenant})
		},
		change:  func(row *DailyQuota) { row.Used = 5 },
		changed: func(row DailyQuota) bool { return row.Used == 5 },
		touch: func(ctx context.Context, q *Queries, row DailyQuota) error {
			return q.TouchDailyQuotaOrConflict(ctx, &TouchDailyQuotaParams{Day: row.Day, Tenant: row.Tenant, Revision: row.Revision})
		},
	}
}
