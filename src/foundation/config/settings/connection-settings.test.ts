import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { providerSettings } from '../../../app/open/provider-settings.ts';
import { type ConfigInput, loadConfig } from '../load-config.ts';

const hush = 'hush-hush-hush-hush-hush-hush-hush-hush';

const load = (env: ConfigInput['env']) =>
  loadConfig({ env, cwd: temporaryFolder(), homeDir: '/home/somebody', providerSettings });

describe('connection settings', () => {
  it('keep CONNECTION_SECRETS_ENCRYPTION_KEY and its former keys as secrets, separate from AUTH_SECRET', () => {
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

  it('keep the client id and redirect URI of an app as written, and its secret separately', () => {
    const redirectUri = 'https://Edge.example:443/cb/?a=%7e';
    const { config, secrets, origins } = load({
      TRACKER_CLIENT_ID: 'id',
      TRACKER_CLIENT_SECRET: 'hush-1',
      TRACKER_WEBHOOK_SECRET: 'hush-2',
      TRACKER_REDIRECT_URI: redirectUri,
      ONCALL_CLIENT_SECRET: 'hush-3',
    });
    expect(secrets.providerSettings).toMatchObject({
      TRACKER_CLIENT_ID: 'id',
      TRACKER_CLIENT_SECRET: 'hush-1',
      TRACKER_WEBHOOK_SECRET: 'hush-2',
      TRACKER_REDIRECT_URI: redirectUri,
      ONCALL_CLIENT_ID: undefined,
      ONCALL_CLIENT_SECRET: 'hush-3',
    });
    expect(origins).toMatchObject({
      TRACKER_CLIENT_SECRET: { value: 'set' },
      TRACKER_REDIRECT_URI: { value: 'https://Edge.example:443/cb/?…' },
      ONCALL_REDIRECT_URI: { value: expect.stringMatching(/\/api\/v1\/integrations\/oncall\/callback$/) },
    });
    expect(JSON.stringify(origins)).not.toContain('hush');
    expect(JSON.stringify(config)).not.toContain('hush');
  });
});
