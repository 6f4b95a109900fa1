// A consumer of domain events: keeps a ledger in a file, as docs/guides/consumers.md says it.
//
// It books each order once, by its last outcome, drops repeats, notices gaps, and leaves to people what
// the gateway leaves to people. It keeps how far each partition is complete, by its heartbeats. It may
// die at any moment: offsets are committed after the ledger is on disk.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"tollbridge.example/contract/events"
)

// batch is how many records are booked between two saves, each of which writes the whole ledger, and linger
// how long one waits for as many.
const (
	batch  = 1000
	linger = 500 * time.Millisecond
)

// maxIndexes is how deep a message may lie in those of its file.
const maxIndexes = 8

// connectTimeout is how long brokers that are there may take for their first answer.
const connectTimeout = 3 * time.Second

// What a record is that holds an event, and what one is that holds a heartbeat.
const (
	eventSchema   = "urn:tollbridge:proto:tollbridge.events.v1.PaymentEvent"
	heartbeatType = "tollbridge.heartbeat.v1"
)

// headerOf is the value of a header, and whether there is one.
func headerOf(record *kgo.Record, name string) (string, bool) {
	for _, header := range record.Headers {
		if header.Key == name {
			return string(header.Value), true
		}
	}
	return "", false
}

// read reads a record into what it holds, whichever encoding the gateway is set to. Fields and values that
// a later version has and this one does not are passed over.
func read(record *kgo.Record, into proto.Message) error {
	value := record.Value
	switch encoding, _ := headerOf(record, "content-type"); encoding {
	case "application/json":
		return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(value, into)
	case "application/vnd.confluent.protobuf":
		var err error
		if value, err = behindFrame(value); err != nil {
			return err
		}
	}
	return proto.Unmarshal(value, into)
}

// take applies what a record holds: an event, a heartbeat, or what a later version puts there beside them,
// which is passed over. Whether it was an event, and whether there was something new in it.
func take(record *kgo.Record, ledger *Ledger, testOrders bool) (isEvent, isNew bool, err error) {
	if kind, _ := headerOf(record, "ce_type"); kind == heartbeatType {
		heartbeat := &events.Heartbeat{}
		if err := read(record, heartbeat); err != nil {
			return false, false, err
		}
		ledger.Note(record.Topic, record.Partition, heartbeat)
		return false, false, nil
	}
	if schema, there := headerOf(record, "ce_dataschema"); there && schema != eventSchema {
		return false, false, nil
	}
	event := &events.PaymentEvent{}
	if err := read(record, event); err != nil {
		return false, false, err
	}
	return true, (testOrders || !event.GetTest()) && ledger.Apply(event), nil
}

// behindFrame is the message of encoding confluent. Which schema and which message of it is not asked for:
// the headers say what it is.
func behindFrame(value []byte) ([]byte, error) {
	var frame sr.ConfluentHeader
	_, rest, err := frame.DecodeID(value)
	if err != nil {
		return nil, err
	}
	_, rest, err = frame.DecodeIndex(rest, maxIndexes)
	return rest, err
}

// book books a batch, puts the ledger on disk, and only then commits the offsets.
func book(ctx context.Context, client *kgo.Client, ledger *Ledger, records []*kgo.Record, testOrders bool) error {
	booked, count := 0, 0
	for _, record := range records {
		isEvent, isNew, err := take(record, ledger, testOrders)
		if err != nil {
			return fmt.Errorf("partition %d, offset %d: %w", record.Partition, record.Offset, err)
		}
		if isEvent {
			count++
		}
		if isNew {
			booked++
		}
	}
	if err := ledger.Save(); err != nil {
		return err
	}
	if err := client.CommitRecords(ctx, records...); err != nil {
		return err
	}
	if count > 0 {
		fmt.Printf("booked %d new of %d events\n", booked, count)
	}
	return nil
}

// gather waits for records, and for so long for more of them, up to a batch.
func gather(ctx context.Context, client *kgo.Client, more time.Duration) ([]*kgo.Record, error) {
	fetches := client.PollRecords(ctx, batch)
	if err := fetches.Err(); err != nil {
		return nil, err
	}
	records := fetches.Records()
	soon, cancel := context.WithTimeout(ctx, more)
	defer cancel()
	for len(records) < batch && soon.Err() == nil {
		fetches = client.PollRecords(soon, batch-len(records))
		if err := fetches.Err(); err != nil && soon.Err() == nil {
			return nil, err
		}
		records = append(records, fetches.Records()...)
	}
	return records, ctx.Err()
}

// remaining is where each partition ends now, where something of it is left to read for the group.
func remaining(ctx context.Context, client *kgo.Client, group, topic string) (map[int32]int64, error) {
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	ends, err := admin.ListEndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	committed, err := admin.FetchOffsets(ctx, group)
	if err != nil {
		return nil, err
	}
	left := map[int32]int64{}
	for partition, end := range ends[topic] {
		position := starts[topic][partition].Offset
		if offset, ok := committed.Lookup(topic, partition); ok && offset.At > position {
			position = offset.At
		}
		if position < end.Offset {
			left[partition] = end.Offset
		}
	}
	return left, ends.Error()
}

// reach fails when no broker answers. Once one has, the library goes on by itself, however long the
// brokers are away. It asks with a client of its own: one that is in a group waits for the group's
// coordinator before it ends.
func reach(ctx context.Context, brokers string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	// Beside this, since the library waits longer than the context for a broker that takes the
	// connection and says nothing; for the same reason the client is closed only if one has answered.
	answer := make(chan error, 1)
	go func() { answer <- client.Ping(ctx) }()
	select {
	case err = <-answer:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		client.Close()
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer in %v", connectTimeout)
	}
	return fmt.Errorf("cannot reach Kafka at %s: %w; is ./dev demo running? "+
		"its address is KAFKA_BROKERS in build/demo/addresses.env", brokers, err)
}

// settings are those of the command line.
type settings struct {
	brokers, topic, group, instance, database string
	testOrders, untilEnd, report              bool
}

func run(ctx context.Context, with settings, ledger *Ledger) error {
	if err := reach(ctx, with.brokers); err != nil {
		return err
	}
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(with.brokers, ",")...),
		kgo.ConsumerGroup(with.group),
		kgo.ConsumeTopics(with.topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		// Partitions do not move on while a batch is being booked.
		kgo.BlockRebalanceOnPoll(),
	}
	if with.instance != "" {
		options = append(options, kgo.InstanceID(with.instance))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	defer client.CloseAllowingRebalance()
	left, err := remaining(ctx, client, with.group, with.topic)
	if err != nil {
		return err
	}
	more := linger
	if with.untilEnd {
		more = 0
	}
	for !with.untilEnd || len(left) > 0 {
		records, err := gather(ctx, client, more)
		if err != nil {
			return err
		}
		if len(records) > 0 {
			if err := book(ctx, client, ledger, records, with.testOrders); err != nil {
				return err
			}
			for _, record := range records {
				if end, open := left[record.Partition]; open && record.Offset+1 >= end {
					delete(left, record.Partition)
				}
			}
		}
		client.AllowRebalance()
	}
	return nil
}

func main() {
	var with settings
	flag.StringVar(&with.brokers, "brokers", "127.0.0.1:9092", "HOST:PORT of brokers, with commas")
	flag.StringVar(&with.topic, "topic", "tollbridge.events.v1", "topic of domain events")
	flag.StringVar(&with.group, "group", "example-ledger-go", "consumer group")
	flag.StringVar(&with.instance, "instance", "",
		"name of this process in the group: when it comes back after it died it goes on at once")
	flag.StringVar(&with.database, "database", "ledger.json", "file of the ledger")
	flag.BoolVar(&with.testOrders, "test-orders", false, "book orders of test projects too")
	flag.BoolVar(&with.untilEnd, "until-end", false, "stop at the end that the topic has now")
	flag.BoolVar(&with.report, "report", false, "print the ledger and do nothing else")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ledger, err := OpenLedger(with.database)
	if err == nil && with.report {
		err = json.NewEncoder(os.Stdout).Encode(ledger.Report())
	} else if err == nil {
		err = run(ctx, with, ledger)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}
