import { defineConfig } from 'drizzle-kit';

/** Generates drizzle/ from the tables: `sh scripts/with-packages drizzle-kit generate --config scripts/drizzle.config.ts`. */
export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/journal/schema.ts', './src/keystore/schema.ts', './src/projection/schema.ts'],
  out: './drizzle',
});
