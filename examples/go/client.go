package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"tollbridge.example/contract/common"
	"tollbridge.example/contract/operations"
	"tollbridge.example/contract/payments"
)

// connectTimeout is how long a gateway that is there may take for its first answer.
const connectTimeout = 3 * time.Second

// callTimeout is for one call; each method has its own default when the caller sets none.
const callTimeout = 30 * time.Second

// Gateway is the service Payments of one gateway, over one connection.
type Gateway struct {
	Payments payments.PaymentsClient
}

// Connect with TLS where there is a file of authorities, and with mutual TLS where the caller has a
// certificate too. The error says what is wrong when no gateway answers at the address; once it has
// answered, a connection that gets lost is no mistake of the caller's, and Mutate goes on.
func Connect(ctx context.Context, address, authorities, certificate, key string) (*Gateway, error) {
	transport := insecure.NewCredentials()
	if authorities != "" {
		config := &tls.Config{RootCAs: x509.NewCertPool()}
		pem, err := os.ReadFile(authorities)
		if err != nil {
			return nil, err
		}
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", authorities)
		}
		if certificate != "" {
			pair, err := tls.LoadX509KeyPair(certificate, key)
			if err != nil {
				return nil, err
			}
			config.Certificates = []tls.Certificate{pair}
		}
		transport = credentials.NewTLS(config)
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport))
	if err != nil {
		return nil, err
	}
	if err := checkHealth(ctx, connection); err != nil {
		return nil, fmt.Errorf("cannot reach the gateway at %s: %w; is ./dev demo running? "+
			"its address is GRPC_ADDR in build/demo/addresses.env", address, err)
	}
	return &Gateway{Payments: payments.NewPaymentsClient(connection)}, nil
}

// checkHealth asks whether anybody is there, and returns in short why not.
func checkHealth(ctx context.Context, connection *grpc.ClientConn) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	_, err := grpc_health_v1.NewHealthClient(connection).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	switch answer := status.Convert(err); answer.Code() {
	case codes.DeadlineExceeded:
		return fmt.Errorf("no answer in %v", connectTimeout)
	case codes.Unavailable:
		// The library tells the whole way there; what went wrong comes last.
		way := strings.Split(answer.Message(), ": ")
		reason := strings.Trim(way[len(way)-1], `"`)
		if reason == "produced zero addresses" {
			reason = "no such host"
		}
		return errors.New(reason)
	default:
		// An answer, if only a refusal: the flow's own calls will say more.
		return nil
	}
}

// NewKey makes a key for one thing that is to be done once. Write it down, with the request, before
// the first call: it is what a later call asks with.
func NewKey(wish string) *string {
	return proto.String(wish + "-" + rand.Text())
}

// CallFailed is an error answer, with what its details say.
type CallFailed struct {
	Code       codes.Code
	Message    string
	Reason     string            // from ErrorInfo, as IDEMPOTENCY_KEY_REUSED
	Retry      string            // SAFE_SAME_KEY, AFTER_CHANGE or NEVER
	RetryAfter time.Duration     // before the next try
	Violations map[string]string // field path -> rule
}

func (f *CallFailed) Error() string {
	text := fmt.Sprintf("%v %s: %s", f.Code, f.Reason, f.Message)
	for field, rule := range f.Violations {
		text += fmt.Sprintf("; %s %s", field, rule)
	}
	return text
}

func readError(err error) *CallFailed {
	answer := status.Convert(err)
	failed := &CallFailed{
		Code: answer.Code(), Message: answer.Message(), Retry: "NEVER", RetryAfter: time.Second,
		Violations: map[string]string{},
	}
	// Where the answer got lost on the way, nobody could give details: the same key finds out.
	switch failed.Code {
	case codes.Unavailable, codes.DeadlineExceeded:
		failed.Retry = "SAFE_SAME_KEY"
	}
	for _, detail := range answer.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			failed.Reason, failed.Retry = detail.GetReason(), detail.GetMetadata()["retry"]
		case *errdetails.RetryInfo:
			failed.RetryAfter = detail.GetRetryDelay().AsDuration()
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				failed.Violations[violation.GetField()] = violation.GetDescription()
			}
		}
	}
	return failed
}

// response of a mutation: its result, or that the outcome is not known yet.
type response interface {
	GetPending() *operations.PendingOperation
}

// ask calls until there is an answer: for what may be heard twice, a read or a mutation with its key.
func ask[Request any, Response any](
	ctx context.Context,
	method func(context.Context, *Request, ...grpc.CallOption) (Response, error),
	request *Request,
) (Response, error) {
	for {
		answer, err := once(ctx, method, request)
		if err == nil {
			return answer, nil
		}
		if err = waitFor(ctx, err); err != nil {
			return answer, err
		}
	}
}

// waitFor waits until the same may be asked again; it returns the error where that leads to nothing.
func waitFor(ctx context.Context, err error) error {
	failed := (*CallFailed)(nil)
	if !errors.As(err, &failed) || failed.Retry != "SAFE_SAME_KEY" {
		return err
	}
	if ended := pause(ctx, failed.RetryAfter); ended != nil {
		return fmt.Errorf("no answer in time: %w", errors.Join(ended, err))
	}
	return nil
}

// pause returns why ctx ended where that is before the time is over.
func pause(ctx context.Context, duration time.Duration) error {
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Mutate asks until the outcome is known, always with the key that the request has. The error is a
// *CallFailed when the mutation is refused. When ctx ends first, ask again with the same request.
func Mutate[Request any, Response response](
	ctx context.Context,
	method func(context.Context, *Request, ...grpc.CallOption) (Response, error),
	request *Request,
) (Response, error) {
	for {
		answer, err := ask(ctx, method, request)
		if err != nil {
			return answer, err
		}
		pending := answer.GetPending()
		if pending == nil {
			return answer, nil
		}
		if pending.GetState() == operations.OperationState_OPERATION_STATE_NEEDS_REVIEW {
			return answer, fmt.Errorf("operation %s waits for a person", pending.GetOperationId())
		}
		if ended := pause(ctx, pending.GetRetryAfter().AsDuration()); ended != nil {
			return answer, fmt.Errorf("the outcome is not known yet: %w", ended)
		}
	}
}

// once calls once.
func once[Request any, Response any](
	ctx context.Context,
	method func(context.Context, *Request, ...grpc.CallOption) (Response, error),
	request *Request,
) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := method(ctx, request)
	if err != nil {
		return answer, readError(err)
	}
	return answer, nil
}

// Watch waits until the order is final.
func (g *Gateway) Watch(ctx context.Context, orderID string) (*common.Order, error) {
	for {
		updates, err := g.Payments.WatchOrder(ctx, &payments.WatchOrderRequest{OrderId: &orderID})
		for err == nil {
			var update *payments.WatchOrderResponse
			if update, err = updates.Recv(); err == nil && update.GetFinal() {
				return update.GetOrder(), nil
			}
		}
		// A gateway that ends closes its streams: the next one begins with the order as it is then.
		if err = waitFor(ctx, readError(err)); err != nil {
			return nil, err
		}
	}
}

// Order is the order as it is now.
func (g *Gateway) Order(ctx context.Context, orderID string) (*common.Order, error) {
	answer, err := ask(ctx, g.Payments.GetOrder, &payments.GetOrderRequest{OrderId: &orderID})
	return answer.GetOrder(), err
}
