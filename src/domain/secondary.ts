/** Secondaries: servers that get NOTIFY of changes and may transfer zones from their address. */

export interface Secondary {
  readonly id: number;
  readonly name: string;
  /** Lower-case, always with its port: `ns2.example.net:53`, `[2001:db8::1]:53`. */
  readonly address: string;
  readonly enabled: boolean;
  readonly notifyKeyName: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export type SecondaryEvent =
  | { readonly kind: 'secondary.registered'; readonly secondary: Secondary }
  | {
      readonly kind: 'secondary.updated';
      readonly before: Secondary;
      readonly secondary: Secondary;
    }
  | { readonly kind: 'secondary.forgotten'; readonly secondary: Secondary };
