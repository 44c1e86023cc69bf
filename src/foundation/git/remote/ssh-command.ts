import type { RemoteHost } from '../source/git-source.ts';

export interface SshSettings {
  readonly knownHosts: string;
  /** The service's private key; without one only hosts that require none can be reached. */
  readonly identity: string | undefined;
  readonly remote: RemoteHost;
  /** The checked address to connect to; `undefined` for a host that the operator trusts. */
  readonly address: string | undefined;
}

/**
 * Returns GIT_SSH_COMMAND: ssh without the configuration, agent or keys of the service's account, limited to one
 * connection to one address. The host key is stored under the host's name, not its address.
 */
export function sshCommand({ knownHosts, identity, remote, address }: SshSettings): string {
  const alias = remote.port === 22 ? remote.host : `[${remote.host}]:${remote.port}`;
  const options: Readonly<Record<string, string>> = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: fileOption(knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    ConnectTimeout: '15',
    ServerAliveInterval: '30',
    ServerAliveCountMax: '4',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: identity === undefined ? 'none' : fileOption(identity),
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ControlPath: 'none',
    CanonicalizeHostname: 'no',
    ...(address === undefined ? {} : { HostName: address, HostKeyAlias: alias }),
  };
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return ['ssh', '-F', '/dev/null', ...words].map(shellWord).join(' ');
}

/** Quotes a path for ssh_config(5): quotes keep blanks together, and `%` begins a token. */
function fileOption(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
