/** Which sources mutants are made of, and which tests may notice: the one table that knows names of rooms. */

/** What decides, writes, reads, signs and answers. Globs from the top of the checkout. */
export const mutatedFiles: readonly string[] = [
  'src/{dns,dnssec,domain,journal,nameserver,projection,query,writer}/**/*.ts',
  'src/background/import/*.ts',
];

/** What is read by people or another program alone, or only declares. */
export const leftOut: readonly string[] = ['**/*.test.ts', 'src/journal/{schema,log}.ts'];

/** Tests of units. Those of them that start a program are left out: each takes seconds. */
export const unitTests: readonly string[] = [
  'src/{base,dns,dnssec,domain,journal,nameserver,projection,query,writer}/**/*.test.ts',
  'src/background/{import,retention}/*.test.ts',
];

/** Tests of the service as a whole, in this process: asked about what all tests of units let live. */
export const pathTests: readonly string[] = [
  'src/http/*.test.ts',
  'spec/{changes,events,import,lint,past,search,visibility}/*.test.ts',
  'spec/interface-4.{2,3,4,5,6,7,8}/*.test.ts',
  'spec/properties/{one-batch,past,retention,stored-zones}.test.ts',
  'spec/dnssec/large.test.ts',
];
