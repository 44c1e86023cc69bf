export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Every address of a host name; rejects with the resolver's error (`code: 'ENOTFOUND'`) when there is none. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;
