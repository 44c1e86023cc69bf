import type { OrganizationId } from '../../kernel/ids.ts';
import type { OutboundProxies } from '../../kernel/outbound-proxy.ts';
import type { Lookup } from '../../net/resolve-public.ts';

/** The dependencies of Git for connecting to a source. One value for the lifetime of the process. */
export interface GitDeps {
  /** The data folder. It contains `ssh/known_hosts` and optionally the private key `ssh/id_ed25519`. */
  readonly dataDir: string;
  /** Private key for ssh, instead of `ssh/id_ed25519`: that of the organization whose repository it is. */
  readonly sshIdentity?: string;
  /** The organization that Git connects for. */
  readonly organizationId?: OrganizationId;
  /** Returns whether an organization may use `ssh/id_ed25519`. Default: none may. */
  readonly mayUseSharedSshKey?: (organizationId: OrganizationId) => Promise<boolean>;
  /** `Config.outbound.allowHosts`. */
  readonly allowHosts: readonly string[];
  /** `Secrets.proxies`. Default: every connection is direct. */
  readonly proxies?: OutboundProxies | undefined;
  /** PEM file of the authorities that verify https hosts (`writeCaBundle`). Default: those built into Git. */
  readonly caFile?: string;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
}
