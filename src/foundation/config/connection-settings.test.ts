import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { type ConfigInput, loadConfig } from './load-config.ts';

const hush = 'hush-hush-hush-hush-hush-hush-hush-hush';

const load = (env: ConfigInput['env']) =>
  loadConfig({ env, cwd: temporaryFolder(), homeDir: '/home/somebody' });

describe('settings of connections', () => {
  it('CONNECTION_SECRETS_ENCRYPTION_KEY and its former ones are secrets beside AUTH_SECRET', () => {
    const [key, first, second] = ['k', 'f', 's'].map((letter) => letter.repeat(32)) as [
      string,
      string,
      string,
    ];
    const { config, secrets, origins } = load({
      AUTH_SECRET: hush,
      CONNECTION_SECRETS_ENCRYPTION_KEY: key,
      CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: ` ${first}, ${second},`,
    });
    expect(secrets).toMatchObject({
      authSecret: hush,
      connectionKey: key,
      formerConnectionKeys: [first, second],
    });
    expect(JSON.stringify([config, origins])).not.toMatch(/kkkk|ffff|ssss|hush/);
    expect(load({}).secrets).toMatchObject({ connectionKey: undefined, formerConnectionKeys: [] });
  });

  it('an app of the deployment is a client id, its secret apart, and a redirect URI as it was written', () => {
    const redirectUri = 'https://Edge.example:443/cb/?a=%7e';
    const { config, secrets } = load({
      TRACKER_CLIENT_ID: 'id',
      TRACKER_CLIENT_SECRET: 'hush-1',
      TRACKER_WEBHOOK_SECRET: 'hush-2',
      TRACKER_REDIRECT_URI: redirectUri,
      ONCALL_CLIENT_SECRET: 'hush-3',
    });
    expect(config.connectors).toEqual({
      tracker: { clientId: 'id', redirectUri },
      oncall: { clientId: undefined, redirectUri: undefined },
    });
    expect(secrets).toMatchObject({
      trackerClientSecret: 'hush-1',
      trackerWebhookSecret: 'hush-2',
      oncallClientSecret: 'hush-3',
    });
    expect(JSON.stringify(config)).not.toContain('hush');
  });
});
