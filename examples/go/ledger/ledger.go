package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"tollbridge.example/contract/common"
	"tollbridge.example/contract/events"
)

// keepIDs: ids have to be kept for as long as they can come again in a new stream
// (events.baseline_window, 72 hours) and for as long as this consumer may be behind.
const keepIDs = 30 * 24 * time.Hour

// direction is what a completed order of a kind does to the merchant's balance. An authorization only
// reserves, a void only releases. What comes of a kind that is not known here is left to a person.
var direction = map[events.EventKind]int64{
	events.EventKind_EVENT_KIND_PAYMENT:         1,
	events.EventKind_EVENT_KIND_ACCOUNT_FUNDING: 1,
	events.EventKind_EVENT_KIND_CAPTURE:         1,
	events.EventKind_EVENT_KIND_AUTHORIZATION:   0,
	events.EventKind_EVENT_KIND_VOID:            0,
	events.EventKind_EVENT_KIND_REFUND:          -1,
	events.EventKind_EVENT_KIND_CHARGEBACK:      -1,
	events.EventKind_EVENT_KIND_REVERSAL:        -1,
	events.EventKind_EVENT_KIND_PAYOUT:          -1,
}

// Order is what the ledger knows of an order: its last outcome decides what is booked.
type Order struct {
	Root    string `json:"root"`
	Outcome string `json:"outcome"`
	// Kind is that of its first outcome, one that is not known here too; nil before it.
	Kind     *events.EventKind `json:"kind,omitempty"`
	Currency string            `json:"currency,omitempty"`
	Booked   int64             `json:"booked"`
	Review   bool              `json:"review,omitempty"`
}

// heartbeatsMissed: so many intervals without a heartbeat are no delay any more.
const heartbeatsMissed = 3

// Complete is how far a partition is complete, as its heartbeats say.
type Complete struct {
	// Before: all events noticed before this time (ms since 1970; 0: not known) are in the ledger.
	Before int64 `json:"before"`
	// MadeAt is when the latest heartbeat was made (ms since 1970), Interval how long after it the next is
	// to come (ms).
	MadeAt   int64 `json:"made_at"`
	Interval int64 `json:"interval"`
}

// Gap is where numbers of a stream are missing.
type Gap struct {
	Root   string `json:"root"`
	Stream string `json:"stream"`
	After  uint64 `json:"after"`
	Before uint64 `json:"before"`
}

// Alarm is a number of a stream that came with two ids.
type Alarm struct {
	Root     string `json:"root"`
	Position string `json:"position"`
	ID       string `json:"id"`
}

// Ledger is the projection: in memory, and after each Save in one file. A ledger of yours would be a
// database; what matters is that Save is all or nothing.
type Ledger struct {
	Orders map[string]*Order `json:"orders"`
	// Roots of which a capture or void was told.
	Captured map[string]bool `json:"captured"`
	// Position of each stream, by "root stream".
	Streams map[string]uint64 `json:"streams"`
	Gaps    []Gap             `json:"gaps"`
	// When the event of each id was applied.
	Seen map[string]time.Time `json:"seen"`
	// The id at each number, by "root stream number".
	Positions map[string]string `json:"positions"`
	// Numbers with two ids.
	Alarms []Alarm `json:"alarms"`
	// By "topic-partition".
	Partitions map[string]Complete `json:"partitions"`

	path string
}

// OpenLedger reads the file, or begins an empty ledger where there is none.
func OpenLedger(path string) (*Ledger, error) {
	ledger := &Ledger{
		Orders:     map[string]*Order{},
		Captured:   map[string]bool{},
		Streams:    map[string]uint64{},
		Seen:       map[string]time.Time{},
		Positions:  map[string]string{},
		Partitions: map[string]Complete{},
		path:       path,
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ledger, nil
	}
	if err != nil {
		return nil, err
	}
	return ledger, json.Unmarshal(text, ledger)
}

// Save puts all of it on disk, in the place of what was there.
func (l *Ledger) Save() error {
	for id, at := range l.Seen {
		if time.Since(at) > keepIDs {
			delete(l.Seen, id)
		}
	}
	for position, id := range l.Positions {
		if _, kept := l.Seen[id]; !kept {
			delete(l.Positions, position)
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	file, err := os.Create(l.path + ".new")
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(l.path+".new", l.path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(l.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Apply books an event. False when there was nothing new in it.
func (l *Ledger) Apply(event *events.PaymentEvent) bool {
	late, other := !l.advance(event), l.otherAtItsPlace(event)
	_, seen := l.Seen[event.GetId()]
	// The same id is the same event: sent twice, or told again in a new stream. An event that is late
	// in its stream, was not seen, and in whose place none is known can only be one of before keepIDs:
	// what came after it holds.
	if seen || (late && !other) {
		return false
	}
	// Only an id whose event is applied is kept: what was dropped may come again, and then has to count.
	l.Seen[event.GetId()] = time.Now()
	order := l.order(event)
	switch event.GetWhat() {
	case events.EventWhat_EVENT_WHAT_COMPLETED,
		events.EventWhat_EVENT_WHAT_FAILED,
		events.EventWhat_EVENT_WHAT_CANCELLED,
		events.EventWhat_EVENT_WHAT_EXPIRED:
		l.book(order, event)
	default:
		// published_what and observed_what of a needs_review say what the gateway told before and what the
		// order shows now. An outcome that a later version tells of is no less for a person; anything else is
		// progress.
		if event.GetIsOutcome() || event.GetWhat() == events.EventWhat_EVENT_WHAT_NEEDS_REVIEW {
			l.leaveToAPerson(order, event)
		}
	}
	return true
}

// Note notes a heartbeat. It lies behind the events that it vouches for: these were applied before. The
// latest time counts: another process of the gateway may know less for a while, or nothing (0).
func (l *Ledger) Note(topic string, partition int32, heartbeat *events.Heartbeat) {
	key := fmt.Sprintf("%s-%d", topic, partition)
	known := l.Partitions[key]
	before := int64(0)
	if heartbeat.GetPublishedBefore() != nil {
		before = heartbeat.GetPublishedBefore().AsTime().UnixMilli()
	}
	l.Partitions[key] = Complete{
		Before:   max(known.Before, before),
		MadeAt:   max(known.MadeAt, heartbeat.GetMadeAt().AsTime().UnixMilli()),
		Interval: heartbeat.GetInterval().AsDuration().Milliseconds(),
	}
}

// order is the entry of the order of an event, made when there is none.
func (l *Ledger) order(event *events.PaymentEvent) *Order {
	id := event.GetOrderId()
	if l.Orders[id] == nil {
		l.Orders[id] = &Order{Root: event.GetRootOrderId()}
	}
	return l.Orders[id]
}

// book books the first outcome, and that of an order that failed and completed after all. Any other
// change, of the kind too, can only come after the gateway lost its memory, and is a needs_review that
// it could not tell. So is money of which the event does not say how much it is. Of a kind that is not
// known nobody has said here what it does to the books.
func (l *Ledger) book(order *Order, event *events.PaymentEvent) {
	outcome := strings.Split(event.GetType(), ".")[2]
	kind := event.GetKind()
	moved, known := direction[kind]
	completed := event.GetWhat() == events.EventWhat_EVENT_WHAT_COMPLETED
	// That it had failed before it completed was lost, and is told again.
	before := order.Outcome == "completed" && outcome == "failed" &&
		event.GetStatus() == common.OrderStatus_ORDER_STATUS_COMPLETED
	changed := order.Outcome != "" && order.Outcome != outcome &&
		!(order.Outcome == "failed" && outcome == "completed") && !before
	otherKind := order.Kind != nil && *order.Kind != kind
	unsure := completed && moved != 0 && !saysAmount(event)
	if !known || changed || unsure || otherKind || l.isToldTwice(event) {
		l.leaveToAPerson(order, event)
		return
	}
	if before {
		return
	}
	l.fixKind(order, event)
	order.Outcome = outcome
	order.Currency = event.GetCurrency()
	order.Booked = 0
	if completed {
		order.Booked = moved * event.GetAmount()
	}
}

// isToldTwice says whether the money of a payment would be booked again as that of its capture, or the
// other way round: what is paid at once has no captures, so one of both was told as the wrong kind.
func (l *Ledger) isToldTwice(event *events.PaymentEvent) bool {
	if isPart(event.GetKind()) {
		root := l.Orders[event.GetRootOrderId()]
		return root != nil && root.Kind != nil && isAtOnce(*root.Kind)
	}
	return isAtOnce(event.GetKind()) && l.Captured[event.GetOrderId()]
}

// leaveToAPerson: what was booked stays until a person has decided. The kind counts as told.
func (l *Ledger) leaveToAPerson(order *Order, event *events.PaymentEvent) {
	order.Review = true
	l.fixKind(order, event)
}

// fixKind keeps the kind of the first outcome, a needs_review too.
func (l *Ledger) fixKind(order *Order, event *events.PaymentEvent) {
	if order.Kind != nil {
		return
	}
	order.Kind = event.GetKind().Enum()
	if isPart(event.GetKind()) {
		l.Captured[order.Root] = true
	}
}

func isPart(kind events.EventKind) bool {
	return kind == events.EventKind_EVENT_KIND_CAPTURE || kind == events.EventKind_EVENT_KIND_VOID
}

func isAtOnce(kind events.EventKind) bool {
	return kind == events.EventKind_EVENT_KIND_PAYMENT || kind == events.EventKind_EVENT_KIND_ACCOUNT_FUNDING
}

// saysAmount: the event says how much money it is about. Absent is not 0.
func saysAmount(event *events.PaymentEvent) bool {
	return event.Amount != nil && event.GetAmount() >= 0 && event.GetCurrency() != ""
}

// advance moves the position in the event's stream on and notes a gap. False for a number that was
// passed.
func (l *Ledger) advance(event *events.PaymentEvent) bool {
	key := event.GetRootOrderId() + " " + event.GetStream()
	position := l.Streams[key]
	if event.GetSequence() <= position {
		return false
	}
	if event.GetSequence() > position+1 {
		// Events were lost on the way, or are older than the topic keeps. An alarm; reading the order
		// with GetOrder tells what became of it.
		l.Gaps = append(l.Gaps, Gap{event.GetRootOrderId(), event.GetStream(), position, event.GetSequence()})
	}
	l.Streams[key] = event.GetSequence()
	return true
}

// otherAtItsPlace says whether another event is known at this number of this stream. That must never
// be: an alarm, and no reason to drop either of them.
func (l *Ledger) otherAtItsPlace(event *events.PaymentEvent) bool {
	position := fmt.Sprintf("%s %s %d", event.GetRootOrderId(), event.GetStream(), event.GetSequence())
	known, there := l.Positions[position]
	if !there {
		l.Positions[position] = event.GetId()
		return false
	}
	if known == event.GetId() {
		return false
	}
	alarm := Alarm{event.GetRootOrderId(), position, event.GetId()}
	if !slices.Contains(l.Alarms, alarm) {
		l.Alarms = append(l.Alarms, alarm)
	}
	return true
}

// Completeness is how far a partition is complete, for people.
type Completeness struct {
	Before int64 `json:"complete_before"`
	// Late: its heartbeats have stopped, so that no events does not mean that nothing happens: the gateway
	// does not publish, or this ledger does not read.
	Late bool `json:"late"`
}

// Report is what the ledger holds, for people and tests.
type Report struct {
	// Balances can be wider than the amount of one order.
	Balances map[string]*big.Int `json:"balances"`
	Orders   map[string]*Order   `json:"orders"`
	Review   []string            `json:"review"`
	Gaps     []string            `json:"gaps"`
	Alarms   []string            `json:"alarms"`

	Partitions map[string]Completeness `json:"partitions"`
}

// Report sums the ledger up.
func (l *Ledger) Report() Report {
	report := Report{Balances: map[string]*big.Int{}, Orders: l.Orders, Review: []string{}, Gaps: []string{}, Alarms: []string{},
		Partitions: map[string]Completeness{}}
	for key, each := range l.Partitions {
		late := time.Now().UnixMilli()-each.MadeAt > heartbeatsMissed*each.Interval
		report.Partitions[key] = Completeness{each.Before, late}
	}
	for id, order := range l.Orders {
		if order.Outcome != "" {
			balance := report.Balances[order.Currency]
			if balance == nil {
				balance = new(big.Int)
				report.Balances[order.Currency] = balance
			}
			balance.Add(balance, big.NewInt(order.Booked))
		}
		if order.Review {
			report.Review = append(report.Review, id)
		}
	}
	for _, gap := range l.Gaps {
		report.Gaps = append(report.Gaps, gap.Root)
	}
	for _, alarm := range l.Alarms {
		report.Alarms = append(report.Alarms, alarm.Root)
	}
	sort.Strings(report.Alarms)
	sort.Strings(report.Review)
	sort.Strings(report.Gaps)
	return report
}
