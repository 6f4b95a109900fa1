// Hosted page and refund: the customer pays on the payment service's page, and gets a part of the
// money back. Each mutation can be repeated after a lost answer, since its key says which wish it is.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tollbridge.example/contract/common"
	"tollbridge.example/contract/payments"
)

const (
	amount = 1250
	refund = 500
)

func flow(ctx context.Context, gateway *Gateway) error {
	created, err := Mutate(ctx, gateway.Payments.CreateOrder, &payments.CreateOrderRequest{
		IdempotencyKey:  NewKey("hosted-page"),
		MerchantOrderId: proto.String("basket-4"),
		Description:     proto.String("one coffee grinder"),
		Currency:        proto.String("EUR"),
		Amount:          proto.Int64(amount),
		ReturnUrl:       proto.String("http://shop.test/thanks"),
	})
	if err != nil {
		return err
	}
	orderID := created.GetOrder().GetId()
	fmt.Println("send the customer to the order's order_url")

	// The customer's part.
	if err := payOnHostedPage(created.GetOrder().GetOrderUrl()); err != nil {
		return err
	}

	// That the customer came back says nothing: the order does.
	order, err := gateway.Watch(ctx, orderID)
	if err != nil {
		return err
	}
	if order.GetStatus() != common.OrderStatus_ORDER_STATUS_COMPLETED {
		return fmt.Errorf("the order is %v", order.GetStatus())
	}
	fmt.Println("the order is paid")

	// Write the request down with its key before the first call. Whatever happens to the answers, or
	// to this program, asking again with both finds out what became of it.
	request := &payments.CreateRefundRequest{
		IdempotencyKey: NewKey("refund"),
		OrderId:        proto.String(orderID),
		Amount:         proto.Int64(refund),
		Description:    proto.String("one part came broken"),
	}
	refunded, err := Mutate(ctx, gateway.Payments.CreateRefund, request)
	if err != nil {
		return err
	}
	fmt.Printf("refunded %d: %v\n", refunded.GetRefundOrder().GetAmount(), refunded.GetKnowledge())

	// As after a restart that forgot the answer: one more call, and no second refund.
	again, err := Mutate(ctx, gateway.Payments.CreateRefund, request)
	if err != nil {
		return err
	}
	if again.GetRefundOrder().GetId() != refunded.GetRefundOrder().GetId() {
		return fmt.Errorf("the same key made another refund")
	}
	after, err := gateway.Order(ctx, orderID)
	if err != nil {
		return err
	}
	if after.GetRefundedAmount() != refund {
		return fmt.Errorf("refunded is %d, not %d", after.GetRefundedAmount(), refund)
	}
	fmt.Println("asked twice, refunded once")
	return nil
}

func main() {
	address := flag.String("gateway", "", "`HOST:PORT`")
	authorities := flag.String("ca", "", "authorities to trust, PEM `FILE`: use TLS")
	certificate := flag.String("certificate", "", "of the caller, PEM `FILE`")
	key := flag.String("key", "", "of that certificate, PEM `FILE`")
	flag.Parse()
	if *address == "" {
		flag.Usage()
		os.Exit(2)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	gateway, err := Connect(ctx, *address, *authorities, *certificate, *key)
	if err == nil {
		err = flow(ctx, gateway)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}
