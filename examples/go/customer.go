package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// pageTimeout is how long a page may take to answer.
const pageTimeout = 3 * time.Second

// The customer's part: what a person and their browser do in real life. A program of yours has nothing
// of this. Here it is played against the sandbox's pages, so that the flow comes to its end without a
// person.

// payOnHostedPage picks the method, then pays with a test card (docs/guides/sandbox.md has them all).
func payOnHostedPage(orderURL string) error {
	cardPage, err := submit(orderURL, url.Values{"method": {"credit-card"}})
	if err != nil {
		return err
	}
	_, err = submit(cardPage, url.Values{
		"pan": {"4111111111111111"}, "expiry": {"12/30"}, "cvc": {"123"}, "name": {"A Cardholder"},
	})
	return err
}

// submit sends a page's form, and returns where the browser is sent next.
func submit(page string, form url.Values) (string, error) {
	browser := &http.Client{
		Timeout:       pageTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := browser.PostForm(page, form)
	if err != nil {
		return "", cannotReach(page, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		return "", fmt.Errorf("the page answers %s", answer.Status)
	}
	next, err := answer.Location()
	if err != nil {
		return "", err
	}
	return next.String(), nil
}

// cannotReach says which address does not answer, and why. The rest of a page's address opens a payment,
// and belongs into no log.
func cannotReach(page string, err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		if err = failed.Err; failed.Timeout() {
			err = fmt.Errorf("no answer in %v", pageTimeout)
		}
	}
	place, wrong := url.Parse(page)
	if wrong != nil {
		return wrong
	}
	return fmt.Errorf("cannot reach %s://%s: %w", place.Scheme, place.Host, err)
}
