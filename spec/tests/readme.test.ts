/**
 * README and the pages beside it are true: their tested commands run in order, each page in a fresh copy of
 * the checkout's entry points with a service of its own, and print what it says there.
 */
import { sampleOf } from '../support/long.ts';
import { testPage } from '../support/tested-page.ts';

testPage('README.md', ['3000', '5300', '5301'], {}, { entry: 'sources' });

const pages = [
  ['api-by-example.md', ['3000', '5300']],
  ['recipes.md', ['3000', '5300']],
  ['backup-and-upgrade.md', ['3000', '5300']],
  ['access-control.md', ['3000', '5300']],
  ['command-line.md', ['3000', '5300']],
  ['changes.md', ['3000', '5300']],
  ['history.md', ['3000', '5300']],
  ['search.md', ['3000', '5300']],
  ['undo.md', ['3000', '5300']],
  ['dnssec.md', ['3000', '5300', '5302']],
  ['operations/README.md', ['3000', '5300']],
] as const;
for (const [name, ports] of sampleOf(pages, 4)) testPage(`spec/manual/${name}`, ports);
