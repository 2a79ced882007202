/** Writes spec/openapi.json from the routes: npm run openapi */
import { readFileSync, writeFileSync } from 'node:fs';
import { openapiJson } from '../src/contract/openapi.ts';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
writeFileSync(new URL('spec/openapi.json', root), openapiJson(version));
