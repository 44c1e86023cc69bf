import { expect, it } from 'vitest';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { inviteMember } from '../../src/features/identity/invitations/invite-member.ts';
import { createOneTimeLink } from '../../src/features/identity/sign-in/one-time-link.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../support/database/databases.ts';
import { dumpSchema } from '../support/database/schema-dump.ts';
import { openTestOauth, password, type TestOauth } from '../support/identity/oauth-http.ts';
import { hunt } from '../support/program/secret-hunt.ts';

describeEachDatabase('an attacker who reads the database', (open) => {
  /** Reads every table that exists, so that a new one is covered automatically. */
  async function dumpOf(database: Database): Promise<Record<string, readonly unknown[]>> {
    const names = Object.keys(await dumpSchema(database.queries));
    const tables: Record<string, readonly unknown[]> = {};
    for (const name of names) {
      tables[name] = await database.queries
        .selectFrom(name as 'users')
        .selectAll()
        .execute();
    }
    return tables;
  }

  /** Creates one credential of each kind, and returns them as their owners received them. */
  async function leaveSecrets(service: TestOauth): Promise<Record<string, string>> {
    const { database, baseUrl } = service;
    const { ann } = service.people;
    const browser = service.browser();
    const client = await service.register();
    const confidential = await service.register({ token_endpoint_auth_method: 'client_secret_basic' });
    const { code, verifier } = await service.codeFor(client, { browser });
    const tokens = (await service.connect(client, { browser })).body;
    const rotated = (await service.refresh(client, tokens.refresh_token)).body;
    const started = await fetch(`${baseUrl}/.auth/device-authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'orgctx-cli' }),
    });
    const device = (await started.json()) as { device_code: string; user_code: string };
    // A request that waits for its person.
    const waiting = await service.browser().open(service.authorizationUrl(client).url);
    const [, session = ''] = /orgctx_session=([^;]+)/.exec((await signedInCookies(service)).join('; ')) ?? [];
    const { apiKey } = await createApiKey(database.queries, { userId: ann.userId, name: 'k' }, systemClock);
    const scope = { organizationId: service.organizations.acme, orgSlug: 'acme' };
    const invited = { email: 'guest@example.com', role: 'member' } as const;
    const deps = { database, clock: systemClock };
    const link = { purpose: 'sign-in', userId: ann.userId } as const;
    return {
      password,
      code,
      verifier,
      'access token': tokens.access_token,
      'refresh token': tokens.refresh_token,
      'rotated refresh token': rotated.refresh_token,
      'client secret': confidential.client_secret ?? '',
      'device code': device.device_code,
      'user code': device.user_code,
      'user code without its hyphen': device.user_code.replace('-', ''),
      'waiting authorization': /interaction\/([\w-]{20,})/.exec(waiting.url + waiting.html)?.[1] ?? '',
      session,
      'API key': apiKey,
      invitation: (await inviteMember(deps, scope, { kind: 'host' }, invited)).token,
      'one-time link': (await createOneTimeLink(database.queries, link, systemClock)).token,
    };
  }

  async function signedInCookies(service: TestOauth): Promise<readonly string[]> {
    const browser = service.browser();
    const page = await browser.open('/.auth/sign-in');
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    const answer = await browser.send('/.auth/sign-in', {
      method: 'POST',
      headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ csrf, email: service.people.ann.email, password, returnTo: '/' }),
    });
    return answer.headers.getSetCookie();
  }

  it('finds no working token, code, session, key, client secret or signing key', async () => {
    const database = await open();
    const service = await openTestOauth(database);
    const secrets = await leaveSecrets(service);
    const missing = Object.entries(secrets).filter(([, secret]) => secret.length < 8);
    expect(missing).toEqual([]);
    const dump = await dumpOf(database);
    // Every kind has rows, so the search covered the right tables.
    const used = [
      'users',
      'sessions',
      'api_keys',
      'invitations',
      'one_time_links',
      'attempts',
      'audit_events',
    ];
    for (const table of [...used, 'oauth_grants', 'oauth_objects', 'oauth_signing_keys']) {
      expect([table, (dump[table] ?? []).length > 0]).toEqual([table, true]);
    }
    const places = Object.entries(dump).map(([name, rows]) => ({
      name,
      bytes: Buffer.from(JSON.stringify(rows)),
    }));
    expect(hunt(places, secrets)).toEqual([]);
    expect(hunt(places, { ann: service.people.ann.email })).not.toEqual([]);
    const all = JSON.stringify(dump);
    expect(all).not.toMatch(/"(?:d|kty|k)\\*":|PRIVATE KEY/);

    // The stored values give no access either.
    const found = [...new Set(all.match(/[\w$+/=.,:-]{16,}/g) ?? [])];
    for (const text of found) {
      const url = `${service.baseUrl}/acme/api/v1/repositories`;
      for (const authorization of [`Bearer ${text}`, `Bearer ock_${text}`]) {
        const answer = await fetch(url, { headers: { authorization } });
        expect([authorization, answer.status]).toEqual([authorization, 401]);
      }
      const account = await fetch(`${service.baseUrl}/.auth/account`, {
        redirect: 'manual',
        headers: { cookie: `orgctx_session=${text}` },
      });
      expect([text, account.status]).toEqual([text, 303]);
    }
    expect(found.length).toBeGreaterThan(50);
    await service.close();
  });
});
