import { z } from 'zod';
import type { HostRepository } from '../../backends/git-providers/port.ts';
import { isoTime } from '../../foundation/kernel/clock.ts';
import { type GithostConnection, githostStates } from './githost-connection.ts';
import type { SshKey } from './ssh-key.ts';

/**
 * Returns the shape of a connection to a Git host of one of these kinds (contract section 3). A field is `null` until
 * it has a value. Contains no secret.
 */
export function githostRecordOf(kinds: Iterable<string>) {
  return z
    .object({
      id: z.string(),
      kind: z.enum([...kinds]),
      name: z.string(),
      url: z.string().describe('Web address of the Git host.'),
      account: z
        .object({ id: z.string(), name: z.string(), url: z.string() })
        .nullable()
        .describe('The account at the Git host whose repositories it opens.'),
      state: z.enum(githostStates).describe('`pending` until the App is installed.'),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
    })
    .meta({ id: 'GithostConnection' });
}

export type GithostRecord = z.output<ReturnType<typeof githostRecordOf>>;

export function toGithostRecord(connection: GithostConnection): GithostRecord {
  const { id, kind, name, url, account, state, error } = connection;
  return { id, kind, name, url, account: account ?? null, state, error: error ?? null };
}

/** The page at which a person installs the App of a connection. */
export const installUrlRecord = z.object({ url: z.string() }).meta({ id: 'InstallUrl' });

/** A repository at a Git host, as its connection sees it. */
export const hostRepositoryRecord = z
  .object({
    id: z.string().describe("The host's own id; it stays when the repository is renamed."),
    fullName: z.string(),
    url: z.string(),
    defaultBranch: z.string(),
    private: z.boolean(),
    empty: z.boolean().describe('True if it has no commit.'),
    canWrite: z.boolean(),
  })
  .meta({ id: 'HostRepository' });

export function toHostRepositoryRecord(repository: HostRepository): z.output<typeof hostRepositoryRecord> {
  const { id, fullName, url, defaultBranch, private: isPrivate, empty, canWrite } = repository;
  return { id, fullName, url, defaultBranch, private: isPrivate, empty, canWrite };
}

/** The SSH key of an organization. Never contains the private key. */
export const sshKeyRecord = z
  .object({
    publicKey: z.string().describe('Add it as a deploy key, with read access, at the Git host.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'SshKey' });

export type SshKeyRecord = z.output<typeof sshKeyRecord>;

export function toSshKeyRecord({ publicKey, createdAt }: SshKey): SshKeyRecord {
  return { publicKey, createdAt: isoTime(createdAt) };
}
