/**
 * Settings of a zone that are seconds, in one table for the interface, the domain rules and whoever else lists them. The
 * names of the others follow from those of the program by rule (field-name.ts).
 */
import { limits } from './limits.ts';

/** The name in the interface of each, and its least and greatest value in seconds. */
export const settingRanges = {
  defaultTtl: ['default_ttl', 60, 604_800],
  minimumTtl: ['minimum_ttl', 1, limits.ttl],
  refresh: ['refresh', 1, limits.ttl],
  retry: ['retry', 1, limits.ttl],
  expire: ['expire', 1, limits.ttl],
} as const;
