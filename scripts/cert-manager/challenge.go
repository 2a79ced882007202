// Does with a DNS challenge what the controller of cert-manager does with it, by its own code: finds the zone of the name,
// adds the TXT record by an UPDATE, waits until the name servers have it, and takes it back.
//
// Usage: cert-manager-challenge HOST VALUE NAMESERVER ALGORITHM KEY-NAME, with the secret in TSIG_SECRET
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/rfc2136"
	"github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/util"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	host, value, nameserver, algorithm, keyName := args[0], args[1], args[2], args[3], args[4]
	nameservers := []string{nameserver}
	provider, err := rfc2136.NewDNSProviderCredentials(nameserver, algorithm, keyName, os.Getenv("TSIG_SECRET"))
	if err != nil {
		return err
	}
	fqdn := "_acme-challenge." + host + "."
	zone, err := util.FindZoneByFqdn(ctx, fqdn, nameservers)
	if err != nil {
		return err
	}
	if err := provider.Present(host, fqdn, zone, value); err != nil {
		return err
	}
	fmt.Println("presented in", zone)
	for attempt := 0; ; attempt++ {
		seen, err := util.PreCheckDNS(ctx, fqdn, value, nameservers, false)
		if seen {
			break
		}
		if attempt == 60 {
			return fmt.Errorf("not seen: %v", err)
		}
		time.Sleep(time.Second)
	}
	fmt.Println("seen")
	if err := provider.CleanUp(host, fqdn, zone, value); err != nil {
		return err
	}
	fmt.Println("taken back")
	return nil
}
