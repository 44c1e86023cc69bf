import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oncall as connector } from '../../../src/features/connectors/oncall/connector.ts';
import { type Oncall, startOncall } from '../../standins/oncall/oncall.ts';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';

let oncall: Oncall;
let test: ConnectorSetupTest;

beforeEach(async () => {
  oncall = await startOncall();
});

afterEach(async () => {
  await test[Symbol.asyncDispose]();
  await oncall.close();
});

async function draft(): Promise<Readonly<Record<string, unknown>>> {
  const created = await test.rest('POST', '/connections', { kind: 'oncall' });
  expect(created).toMatchObject({ status: 201, body: { state: 'draft' } });
  return created.body;
}

describe('the setup of an oncall connection', () => {
  it('goes from a draft with an app of its own to Connected and mirrored incidents', async () => {
    // The app of the deployment is that of another account: the app of the connection counts.
    const deployment = oncall.addApp('eu', 'https://elsewhere.example/callback');
    test = await openConnectorSetup({
      connector,
      settings: {
        ...oncall.settings,
        ONCALL_CLIENT_ID: deployment.clientId,
        ONCALL_CLIENT_SECRET: deployment.clientSecret,
      },
    });
    const { id, redirectUri, webhookUrl } = (await draft()) as Readonly<Record<string, string>>;
    expect(redirectUri).toMatch(/\/api\/v1\/integrations\/oncall\/callback$/);
    expect(webhookUrl).toMatch(/\/api\/v1\/webhook\/oncall$/);
    const { clientId, clientSecret } = oncall.addApp('us', redirectUri ?? '');
    const saved = await test.rest('PUT', `/connections/${id}/app`, { clientId, clientSecret });
    expect(JSON.stringify(saved)).not.toContain(clientSecret);
    const { body } = await test.rest('POST', `/connections/${id}/authorize`);
    expect(await test.browse(body['authorizationUrl'] as string)).toMatchObject({ status: 200 });
    await test.connectorJobs();
    expect(oncall.us.subscriptions.all).toHaveLength(1);
    const { account } = oncall.us;
    const [shop] = [account.addService('Shop'), account.addService('Pay')];
    const options = await test.rest('GET', `/connections/${id}/scope-options?q=sho`);
    expect(options.body['items']).toMatchObject([{ id: shop.id, kind: 'service', name: 'Shop' }]);
    const incident = account.incidents.trigger(shop);
    const binding = {
      githostConnectionId: test.githostId,
      repository: 'octo-org/context',
      scope: { services: [{ id: shop.id, name: 'Shop' }] },
    };
    const none = await test.rest('PUT', `/connections/${id}/binding`, {
      ...binding,
      scope: { services: [] },
    });
    expect(none).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('at least one service') },
    });
    const pull = await test.rest('POST', `/connections/${id}/pull-request`, { binding });
    expect(pull).toMatchObject({ status: 200, body: { state: 'open' } });
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    await test.connectorJobs();
    const status = await test.rest('GET', `/connections/${id}/status`);
    expect(status.body).toMatchObject({
      state: 'connected',
      stateLabel: 'Connected',
      error: null,
      reauthorizeBy: expect.stringMatching(/^\d{4}-/) as string,
    });
    expect(test.repository.bare.read('main', 'oncall/config.yaml')?.toString()).toContain(shop.id);
    const waiting = await test.database.queries.selectFrom('mirror_changes').select('path').execute();
    const month = new Date(incident.createdAt).toISOString().slice(0, 7).replace('-', '/');
    expect(waiting.map(({ path }) => path).toSorted()).toEqual([
      `oncall/incidents/${month}/${incident.id}.md`,
      'oncall/services.yaml',
    ]);
    expect(oncall.strays()).toEqual([]);
  });

  it('names the settings while no app is configured', async () => {
    test = await openConnectorSetup({ connector, settings: oncall.settings });
    const { id } = await draft();
    const answer = await test.rest('POST', `/connections/${String(id)}/authorize`);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'oauth_not_configured', detail: expect.stringMatching(/ONCALL_CLIENT_ID/) as string },
    });
  });

  it('is refused by the provider if the redirect URI differs in one character from the registered one', async () => {
    test = await openConnectorSetup({ connector, settings: oncall.settings });
    const { id, redirectUri } = (await draft()) as Readonly<Record<string, string>>;
    const app = oncall.addApp('us', `${redirectUri}/`);
    const { clientId, clientSecret } = app;
    await test.rest('PUT', `/connections/${id}/app`, { clientId, clientSecret });
    const { body } = await test.rest('POST', `/connections/${id}/authorize`);
    const page = await test.browse(body['authorizationUrl'] as string);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('invalid_redirect_uri') });
    app.redirectUris.push(redirectUri ?? '');
    expect(await test.browse(body['authorizationUrl'] as string)).toMatchObject({ status: 200 });
  });
});
