import { expect, it, onTestFinished } from 'vitest';
import { openDocumentHost } from '../../standins/document-host.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { openTestOauth } from '../../support/identity/oauth-http.ts';

const day = 24 * 3_600_000;

describeEachDatabase('previously unknown clients', (open) => {
  it('that registered stay known for 30 days after the grant', async () => {
    let now = Date.now();
    const service = await openTestOauth(await open(), { clock: () => now });
    onTestFinished(() => service.close());
    const client = await service.register();
    const connected = await service.connect(client);
    const begin = async () => {
      const response = await fetch(service.authorizationUrl(client).url, { redirect: 'manual' });
      return response.status;
    };
    now += 89 * day;
    expect((await service.refresh(client, connected.body.refresh_token)).status).toBe(200);
    now += 119 * day;
    expect(await begin()).toBe(303);
    now += 2 * day;
    expect(await begin()).toBe(400);
  });

  it('that a document describes connect, refresh and are listed by name', async () => {
    const host = await openDocumentHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const database = await open();
    const service = await openTestOauth(database, { allowHosts: [host.name] });
    onTestFinished(() => service.close());
    host.serve('/client', { client_name: 'Documented', redirect_uris: ['http://127.0.0.1/cb'] });
    const client = { client_id: host.url('/client'), redirectUri: 'http://127.0.0.1:49152/cb' };
    const { status, body } = await service.connect(client);
    expect(status).toBe(200);
    expect((await service.use(body.access_token)).mcp).toBe(200);
    expect((await service.refresh(client, body.refresh_token)).status).toBe(200);
    const grants = await database.queries
      .selectFrom('oauth_grants')
      .select(['client_id', 'client_name'])
      .execute();
    expect(grants).toEqual([{ client_id: client.client_id, client_name: 'Documented' }]);
    expect(host.requestedPaths).toEqual(['/client']);
  });
});
