import type { Lookup } from '../net/resolve-public.ts';

/** What Git processes need of the host. One value for the life of the process. */
export interface GitDeps {
  /** Holds `ssh/known_hosts` and, where the operator put one, `ssh/id_ed25519`. */
  readonly dataDir: string;
  /** `Config.outbound.allowHosts`. */
  readonly allowHosts: readonly string[];
  /** Where `git` and `ssh` are found: PATH of this process. Default `/usr/local/bin:/usr/bin:/bin`. */
  readonly path?: string;
  /** PEM file of the authorities that https hosts are verified against; default: the one Git was built with. */
  readonly caFile?: string;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
}
