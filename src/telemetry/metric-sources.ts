/** What metrics ask of the rest of the service at each scrape, as others know it better. */

/** What a scrape asks of the rest of the service. */
export interface MetricSources {
  zones(): number;
  records(): number;
  databaseUp(): boolean;
  /** Whether changes can be written. */
  storageWritable?(): boolean;
  /** Bytes. */
  wal(): { readonly bytes: number; readonly pendingBytes: number };
  /** Zones of secondaries that are ahead of ours. */
  zonesAhead?(): number;
}
