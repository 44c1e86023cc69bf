import { join } from 'node:path';
import { importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { migrations } from '../../migrations/index.ts';
import { authenticate } from '../../src/features/identity/access/authenticate.ts';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../src/features/identity/people/admit-user.ts';
import { insertGrant } from '../../src/features/oauth/grants/grant-store.ts';
import { readSigningKeys } from '../../src/features/oauth/keys/signing-keys.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { newId } from '../../src/foundation/kernel/ids.ts';
import { createSealer } from '../../src/foundation/secrets/sealer.ts';
import { openTestAuthorizationServer, testAuthSecret } from '../support/identity/authorization-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/bearer-check.ts`: measures the authentication of a caller on SQLite, by an access token
 * (verification and one lookup of its grant) and by an API key, each relative to a bare ES256 verification by jose.
 * Rounds alternate.
 */
const [rounds, calls] = sized([15, 400], [1, 5]);
const thresholds = { token: 2, key: 1 };

const baseUrl = 'https://ctx.example';
const database = await openDatabase(
  { dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') },
  silentLog,
);
await migrateToLatest(database, { migrations, log: silentLog });
const { queries } = database;
const admission = { email: 'ann@example.com', orgSlug: 'acme', role: 'owner' } as const;
const { user, organization } = await admitUser({ database, clock: systemClock }, admission);
const { apiKey } = await createApiKey(queries, { userId: user.id, name: 'bench' }, systemClock);
const oauth = await openTestAuthorizationServer(database, { baseUrl });
const deps = { queries, clock: systemClock, verifyAccessToken: oauth.verifyAccessToken };
const { token, publicKey } = await signToken();

const variants = {
  'bare ES256': async () => {
    await jwtVerify(token, publicKey, { algorithms: ['ES256'] });
  },
  'access token': async () => {
    await authenticate(deps, `Bearer ${token}`, 'acme');
  },
  'API key': async () => {
    await authenticate(deps, `Bearer ${apiKey}`, 'acme');
  },
};
type Variant = keyof typeof variants;
const names = Object.keys(variants) as Variant[];
const times: Record<Variant, number[]> = { 'bare ES256': [], 'access token': [], 'API key': [] };
for (let round = 0; round <= rounds; round += 1) {
  for (const name of names) {
    const elapsed = await microseconds(variants[name]);
    // The first round warms up.
    if (round > 0) times[name].push(elapsed);
  }
}
for (const name of names) console.log(`${name.padEnd(14)} ${median(times[name]).toFixed(1).padStart(7)} us`);
report('access token', thresholds.token);
report('API key', thresholds.key);
await oauth.close();
await database.close();

function report(name: Variant, threshold: number): void {
  const ratio = median(times[name].map((time, round) => time / (times['bare ES256'][round] ?? time)));
  console.log(
    `${name} / bare ES256: ${ratio.toFixed(2)} (must ${threshold}: ${ratio <= threshold ? 'holds' : 'MISSED'})`,
  );
}

async function microseconds(call: () => Promise<void>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < calls; n += 1) await call();
  return ((performance.now() - started) * 1000) / calls;
}

async function signToken(): Promise<{ token: string; publicKey: Awaited<ReturnType<typeof importJWK>> }> {
  const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
  const { keys } = await readSigningKeys({ queries, sealer });
  const key = keys[0];
  if (key === undefined) throw new Error('The server created no signing key.');
  const { kty, crv, x, y } = key.privateJwk;
  const now = Date.now();
  const [grantId, clientId] = [newId(now), 'bench'];
  await insertGrant(queries, {
    id: grantId,
    user_id: user.id,
    organization_id: organization.id,
    client_id: clientId,
    client_name: 'bench',
    scopes: 'mcp api',
    last_used_at: now,
    expires_at: now + 3_600_000,
    revoked_at: null,
    created_at: now,
  });
  const claims = { scope: 'mcp api', client_id: clientId, gid: grantId, org: organization.id };
  const signed = await new SignJWT({ ...claims, jti: 'bench' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.id })
    .setIssuer(baseUrl)
    .setSubject(user.id)
    .setAudience([baseUrl, `${baseUrl}/mcp`])
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(key.privateJwk, 'ES256'));
  return { token: signed, publicKey: await importJWK({ kty, crv, x, y } as JWK, 'ES256') };
}
