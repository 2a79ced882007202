/**
 * What the SOA of a master file says about a zone that an import creates, and what its caller says in
 * place of that.
 */

/** What the SOA and the first $TTL of a file say about a zone; judged when it is created of them. */
export interface ImportedZone {
  /** Line of the SOA; 0 when it came by transfer. */
  readonly line: number;
  /** Host name in presentation form; `.` for the root. */
  readonly mname: string;
  /** E-mail form; `.` for the root. */
  readonly rname: string;
  /** Seconds of the first $TTL. */
  readonly defaultTtl: number | undefined;
  readonly minimumTtl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly serial: number;
}

/** Values that win over those of the SOA; judged like the fields of CreateZone. */
export interface SoaOverrides {
  readonly serial?: number | undefined;
  readonly mname?: string | undefined;
  readonly rname?: string | undefined;
  readonly minimumTtl?: number | undefined;
  readonly refresh?: number | undefined;
  readonly retry?: number | undefined;
  readonly expire?: number | undefined;
}

/** Their names in the interface. */
export const overrideFields = {
  serial: 'serial',
  mname: 'mname',
  rname: 'rname',
  minimumTtl: 'minimum_ttl',
  refresh: 'refresh',
  retry: 'retry',
  expire: 'expire',
} as const satisfies Record<keyof SoaOverrides, string>;

/** The names of those that are given. */
export function givenOverrides(overrides: SoaOverrides | undefined): string[] {
  const keys = Object.keys(overrideFields) as (keyof SoaOverrides)[];
  return keys.filter((key) => overrides?.[key] !== undefined).map((key) => overrideFields[key]);
}

/** Why a value of a file's SOA is refused, and the field of the request that takes its place. */
export function refusedValue(key: keyof SoaOverrides, reason: string): string {
  return `SOA ${reason}; give ${overrideFields[key]}`;
}

const override = new RegExp(`; give (${Object.values(overrideFields).join('|')})$`);

/** The same line for the command line, whose options have the names of the fields with hyphens. */
export function withOption(line: string): string {
  return line.replace(override, (_, field) => `; give ${optionOf(field)}`);
}

/** The option of the command line for a field. */
export function optionOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}
