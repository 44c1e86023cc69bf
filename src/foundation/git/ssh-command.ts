import type { RemoteHost } from './git-source.ts';

export interface SshSettings {
  readonly knownHosts: string;
  /** The service's own private key; without one only hosts that ask for none can be reached. */
  readonly identity: string | undefined;
  readonly remote: RemoteHost;
  /** The checked address to connect to; `undefined` for a host the operator vouches for. */
  readonly address: string | undefined;
}

/**
 * GIT_SSH_COMMAND: ssh with no configuration, agent or key of the account that runs the service, and nothing but one
 * connection to one address. The host's key is kept under its name, whatever the address.
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

/** ssh_config(5): quotes keep blanks together, `%` begins a token. */
function fileOption(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
