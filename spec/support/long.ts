/** Whether this is a long run (`npm run test:long`), which takes in full what others take a sample of. */
export const isLong: boolean = process.env.LONG_TESTS === '1';
