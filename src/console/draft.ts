/** The text of a zone that somebody is at work on: kept over a reload of the page, until they log out. */
import type { Version } from './api.ts';

/** A zone file, and the version that it was made from. */
export interface Draft extends Version {
  readonly text: string;
}

const keyOf = (zone: string) => `zonebook-draft ${zone}`;

export function readDraft(zone: string): Draft | undefined {
  const kept = sessionStorage.getItem(keyOf(zone));
  return kept === null ? undefined : JSON.parse(kept);
}

export function keepDraft(zone: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(zone), JSON.stringify(draft));
  } catch {
    // The browser has no room for it: it is lost with the page then.
  }
}

export function dropDraft(zone: string): void {
  sessionStorage.removeItem(keyOf(zone));
}
