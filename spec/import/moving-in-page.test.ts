/** The page about moving in is true: its commands run against a real PowerDNS, BIND, Knot and NSD. */
import { testPage } from '../support/tested-page.ts';

testPage('spec/manual/moving-in.md', ['3000', '5300', '5310', '5312', '5313']);
