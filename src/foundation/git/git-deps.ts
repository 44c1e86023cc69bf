import type { Lookup } from '../net/resolve-public.ts';

/** What Git needs of the host to reach a source. One value for the life of the process. */
export interface GitDeps {
  /** Holds `ssh/known_hosts` and, where the operator put one, the private key `ssh/id_ed25519`. */
  readonly dataDir: string;
  /** `Config.outbound.allowHosts`. */
  readonly allowHosts: readonly string[];
  /** PEM file of the authorities https hosts are verified against (`writeCaBundle`); default: those Git was built with. */
  readonly caFile?: string;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
}
