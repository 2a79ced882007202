/** The zone of RFC 4035 Appendix A and, signed in another way, of RFC 5155 Appendix A. */
export const exampleZone = `
  @ NS ns1.example.
  @ NS ns2.example.
  @ MX 1 xx.example.
  a NS ns1.a.example.
  a NS ns2.a.example.
  a DS 57855 5 1 B6DCD485719ADCA18E5F3D48A2331627FDD3636B
  ns1.a A 192.0.2.5
  ns2.a A 192.0.2.6
  ai A 192.0.2.9
  ai HINFO "KLH-10" "ITS"
  ai AAAA 2001:db8::f00:baa9
  b NS ns1.b.example.
  b NS ns2.b.example.
  ns1.b A 192.0.2.7
  ns2.b A 192.0.2.8
  ns1 A 192.0.2.1
  ns2 A 192.0.2.2
  *.w MX 1 ai.example.
  x.w MX 1 xx.example.
  x.y.w MX 1 xx.example.
  xx A 192.0.2.10
  xx HINFO "KLH-10" "TOPS-20"
  xx AAAA 2001:db8::f00:baaa`;
