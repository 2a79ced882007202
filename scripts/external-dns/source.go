// Serves the endpoints of a JSON file to ExternalDNS's connector source: one gob to whoever connects.
//
// Usage: source ADDRESS FILE
package main

import (
	"encoding/gob"
	"encoding/json"
	"log"
	"net"
	"os"

	"sigs.k8s.io/external-dns/endpoint"
)

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		serve(connection)
	}
}

// The file is read for every caller, so that it may change between two of them.
func serve(connection net.Conn) {
	defer connection.Close()
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	endpoints := []*endpoint.Endpoint{}
	if err := json.Unmarshal(text, &endpoints); err != nil {
		log.Fatal(err)
	}
	if err := gob.NewEncoder(connection).Encode(endpoints); err != nil {
		log.Print(err)
	}
}
