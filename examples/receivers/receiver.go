// Webhook receiver for Go, without dependencies. It verifies each request, drops repeated events, prints the others and answers.
// Start it with: WEBHOOK_SECRET=whsec_… go run examples/receivers/receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// isGenuine returns true if the header X-Svc-Signature is the signature of the raw body, and at most 300 s old.
// secret is the whole whsec_… secret of the instance.
func isGenuine(body []byte, header, secret string) bool {
	var t string
	var given [][]byte
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" {
			t = value
		} else if v1, err := hex.DecodeString(value); name == "v1" && err == nil {
			given = append(given, v1)
		}
	}
	at, err := strconv.ParseInt(t, 10, 64)
	if age := time.Now().Unix() - at; err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	mine := mac.Sum(nil)
	for _, v1 := range given {
		if hmac.Equal(v1, mine) {
			return true
		}
	}
	return false
}

func main() {
	secret, port := os.Getenv("WEBHOOK_SECRET"), os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	var seen sync.Map // A real receiver keeps the ids for a week, e.g. in a column with a unique index.
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || !isGenuine(body, request.Header.Get("X-Svc-Signature"), secret) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			Type    string `json:"type"`
			EventID string `json:"event_id"`
		}
		if json.Unmarshal(body, &event) != nil {
			return
		}
		if _, known := seen.LoadOrStore(event.EventID, true); !known {
			fmt.Println(event.Type, event.EventID)
		}
	})
	fmt.Printf("listening on http://127.0.0.1:%s/\n", port)
	panic(http.ListenAndServe("127.0.0.1:"+port, nil))
}
