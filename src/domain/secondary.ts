/** Secondaries: servers that get NOTIFY of changes and may transfer zones from their address. */
type Optional<T> = T | undefined;

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

export interface CreateSecondary {
  readonly kind: 'create-secondary';
  readonly name: string;
  readonly address: string;
  readonly notifyKeyName?: Optional<string>;
}

export interface UpdateSecondary {
  readonly kind: 'update-secondary';
  readonly name: string;
  readonly address?: Optional<string>;
  readonly enabled?: Optional<boolean>;
  /** The empty string sends unsigned again. */
  readonly notifyKeyName?: Optional<string>;
}

export interface DeleteSecondary {
  readonly kind: 'delete-secondary';
  readonly name: string;
}

export type SecondaryCommand = CreateSecondary | UpdateSecondary | DeleteSecondary;

export interface SecondaryOutcome {
  readonly secondary: Secondary;
}

export type SecondaryEvent =
  | { readonly kind: 'secondary.registered'; readonly secondary: Secondary }
  | {
      readonly kind: 'secondary.updated';
      readonly before: Secondary;
      readonly secondary: Secondary;
    }
  | { readonly kind: 'secondary.forgotten'; readonly secondary: Secondary };
