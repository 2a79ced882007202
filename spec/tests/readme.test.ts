/**
 * README and the pages beside it are true: their tested commands run in order, each page in a fresh copy of
 * the checkout's entry points with a service of its own, and print what it says there.
 */
import { testPage } from '../support/tested-page.ts';

testPage('README.md', ['3000', '5300', '5301'], {}, { entry: 'sources' });
testPage('spec/manual/api-by-example.md', ['3000', '5300']);
testPage('spec/manual/recipes.md', ['3000', '5300']);
testPage('spec/manual/backup-and-upgrade.md', ['3000', '5300']);
testPage('spec/manual/access-control.md', ['3000', '5300']);
testPage('spec/manual/command-line.md', ['3000', '5300']);
testPage('spec/manual/changes.md', ['3000', '5300']);
testPage('spec/manual/history.md', ['3000', '5300']);
testPage('spec/manual/search.md', ['3000', '5300']);
testPage('spec/manual/undo.md', ['3000', '5300']);
testPage('spec/manual/dnssec.md', ['3000', '5300', '5302']);
testPage('spec/manual/operations/README.md', ['3000', '5300']);
