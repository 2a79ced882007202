import { defineConfig } from 'drizzle-kit';

/** For drizzle-kit, which `npm run migration -- NAME` starts. */
export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/journal/schema.ts',
    './src/keystore/schema.ts',
    './src/projection/schema.ts',
    './src/projection/search-schema.ts',
  ],
  out: './drizzle',
});
