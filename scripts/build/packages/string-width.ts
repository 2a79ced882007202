/**
 * Stands for the package string-width in the executable. yargs brings two versions of it, which compile every emoji
 * into a pattern when they are loaded: a quarter of the time of each command, for help that is plain text.
 */
export { widthOf as default } from '../../../src/cli/output.ts';
