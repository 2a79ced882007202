/** Which sources mutants are made of, and which tests must notice: the one table that knows names of rooms. */

/** Parts of the write path: decide, append, apply, and what is staged. Globs from the top of the checkout. */
export const mutatedFiles: readonly string[] = [
  'src/journal/*.ts',
  'src/projection/{block,block-store,block-row,derived-changes,fold,*-fold,former-names}.ts',
  'src/projection/{nsec3-owners,pending,record-index,rebuild,stage-store,signed-view}.ts',
  'src/query/state.ts',
  'src/writer/*.ts',
  'src/background/import/*.ts',
];

/** What is read by people or another program alone, or only declares. */
export const leftOut: readonly string[] = ['**/*.test.ts', 'src/journal/{schema,log}.ts'];

/** Tests of the write path as a whole: asked about mutants that the tests nearest to the file let live. */
export const pathTests: readonly string[] = [
  'spec/properties/one-batch.test.ts',
  'spec/properties/stored-zones.test.ts',
  'spec/import/staged.test.ts',
  'spec/properties/retention.test.ts',
  'spec/dnssec/large.test.ts',
];
