import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queries } from '../../foundation/db/database.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../foundation/kernel/org-scope.ts';
import { withRunFolder } from '../../foundation/kernel/run-folder.ts';
import { readSecret, removeSecrets, saveSecret } from '../../foundation/secrets/secret-store.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { lockOrganization } from '../identity/people/membership-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';

/** The SSH key of an organization, without its private key. */
export interface SshKey {
  /** The id under which the private key is sealed. */
  readonly id: ConnectionId;
  readonly publicKey: string;
  readonly createdAt: number;
}

const privateKeyField = 'sshPrivateKey';

/** Returns the SSH key of the organization. @throws NotFound */
export async function requireSshKey(queries: Queries, scope: DataScope): Promise<SshKey> {
  const key = await findSshKey(queries, scope);
  if (key !== undefined) return key;
  throw new NotFound('This organization has no SSH key. Create one: "orgctx githost key".');
}

async function findSshKey(queries: Queries, { organizationId }: DataScope): Promise<SshKey | undefined> {
  const row = await queries
    .selectFrom('ssh_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row && { id: row.id as ConnectionId, publicKey: row.public_key, createdAt: row.created_at };
}

/** Returns the SSH key of the organization; creates an Ed25519 key pair if it has none. */
export async function ensureSshKey(
  { database, keyring, clock }: Pick<GithostsDeps, 'database' | 'keyring' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
): Promise<SshKey> {
  return database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    const existing = await findSshKey(tx, scope);
    if (existing !== undefined) return existing;
    const now = clock();
    const id = newId<ConnectionId>(now);
    const { publicKey, privateKey } = newKeyPair(`orgctx-${scope.orgSlug}`);
    await tx
      .insertInto('ssh_keys')
      .values({ id, organization_id: scope.organizationId, public_key: publicKey, created_at: now })
      .execute();
    await saveSecret(tx, keyring, { connectionId: id, field: privateKeyField }, privateKey, now);
    const entry = { organizationId: scope.organizationId, actor, action: 'ssh-key.created', target: id };
    await recordAudit(tx, { ...entry, details: { publicKey } }, now);
    return { id, publicKey, createdAt: now };
  });
}

/** Deletes the SSH key of the organization. @throws NotFound */
export async function removeSshKey(
  { database, clock }: Pick<GithostsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { id, publicKey } = await requireSshKey(tx, scope);
    await tx.deleteFrom('ssh_keys').where('organization_id', '=', scope.organizationId).execute();
    await removeSecrets(tx, id);
    const entry = { organizationId: scope.organizationId, actor, action: 'ssh-key.removed', target: id };
    await recordAudit(tx, { ...entry, details: { publicKey } }, clock());
  });
}

/**
 * Runs work with the path of a file that contains the private key of the organization, or `undefined` if it has none.
 * Only this account can read the file, and it exists only while the work runs.
 */
export async function withSshKeyFile<T>(
  {
    queries,
    keyring,
    dataDir,
  }: Pick<GithostsDeps, 'keyring'> & {
    readonly queries: Queries;
    readonly dataDir: string;
  },
  scope: DataScope,
  work: (file: string | undefined) => Promise<T>,
): Promise<T> {
  const key = await findSshKey(queries, scope);
  if (key === undefined) return work(undefined);
  const text = await readSecret(queries, keyring, { connectionId: key.id, field: privateKeyField });
  if (text === undefined) return work(undefined);
  return withRunFolder(dataFolder(dataDir).ssh.folder, async (folder) => {
    const file = join(folder, 'key');
    await writeFile(file, text, { mode: 0o600 });
    return work(file);
  });
}

/** Creates an Ed25519 key pair in the formats of OpenSSH. */
function newKeyPair(comment: string): { readonly publicKey: string; readonly privateKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  const [publicBytes, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
  const type = 'ssh-ed25519';
  const publicBlob = Buffer.concat([sized(type), sized(publicBytes)]);
  return {
    publicKey: `${type} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: opensshPrivateKey(publicBlob, [
      sized(type),
      sized(publicBytes),
      sized(Buffer.concat([seed, publicBytes])),
      sized(comment),
    ]),
  };
}

/** Encodes a private key without a passphrase (OpenSSH, PROTOCOL.key). Old versions of ssh do not read PKCS #8. */
function opensshPrivateKey(publicBlob: Buffer, parts: readonly Buffer[]): string {
  const check = randomBytes(4);
  const content = Buffer.concat([check, check, ...parts]);
  const padding = Buffer.from(
    Array.from({ length: (8 - (content.length % 8)) % 8 }, (_, index) => index + 1),
  );
  const count = Buffer.from([0, 0, 0, 1]);
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    sized('none'),
    sized('none'),
    sized(''),
    count,
    sized(publicBlob),
    sized(Buffer.concat([content, padding])),
  ]);
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}

function sized(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
