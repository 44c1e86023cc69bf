import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { providerSettings } from '../../app/open/provider-settings.ts';
import { allSettings } from '../../foundation/config/settings/settings.ts';

const settingNames = Object.keys(allSettings(providerSettings));

const hush = 'hush-hush-hush-hush-hush-hush-hush-hush';

describe('config show', () => {
  it('prints every setting with its value and origin, and masks secrets', async () => {
    const env = { AUTH_SECRET: hush, LOG_LEVEL: 'debug' };
    const { code, stdout, stderr } = await runCli(['config', 'show', '--json', '--data-dir', '/d'], { env });
    const { settings, configFile } = JSON.parse(stdout);
    expect({ code, stderr, configFile }).toEqual({ code: 0, stderr: '', configFile: null });
    expect(Object.keys(settings)).toEqual(settingNames);
    expect(settings).toMatchObject({
      AUTH_SECRET: { value: 'set', origin: 'environment' },
      MODEL_API_KEY: { value: 'unset', origin: 'unset' },
      LOG_LEVEL: { value: 'debug', origin: 'environment' },
      DATA_DIR: { value: '/d', origin: 'flag' },
      DATABASE_URL: { value: 'sqlite:/d/orgctx.db', origin: 'default' },
      CODESEARCH_URL: { value: null, origin: 'unset' },
    });
    expect(stdout).not.toContain('hush');
  });

  it('prints one line per setting for people', async () => {
    const { stdout } = await runCli(['config', 'show'], { env: { AUTH_SECRET: hush } });
    const [rows = '', providers = ''] = stdout.trimEnd().split('\n\n');
    expect(rows.split('\n')).toHaveLength(settingNames.length);
    expect(providers.split('\n')).toEqual(
      expect.arrayContaining([
        'tracker (Linear) is registered at https://linear.app/settings/api/applications/new',
        'oncall (PagerDuty) is registered at https://developer.pagerduty.com/',
        'githost github (GitHub) is registered at https://github.com/settings/apps/new',
      ]),
    );
    expect(stdout).toMatch(/^AUTH_SECRET +environment +set$/m);
    expect(stdout).not.toContain('hush');
  });

  it.each([
    ['gitea', 'https://git.example/base/', 'https://git.example/base/user/settings/applications'],
    ['github', 'https://ghe.example', 'https://ghe.example/settings/apps/new'],
  ])('prints the page of the own %s host at which the service is registered', async (kind, url, page) => {
    const env = { GITHOST_KIND: kind, GITHOST_URL: url };
    const { stdout } = await runCli(['config', 'show'], { env });
    expect(stdout).toMatch(new RegExp(`^githost ${kind} .* is registered at ${page}$`, 'm'));
  });

  it('prints the URL in effect of each provider', async () => {
    const shown = async (env: Record<string, string>) =>
      JSON.parse((await runCli(['config', 'show', '--json'], { env })).stdout).settings;
    expect(await shown({ TRACKER_API_URL: 'https://proxy.example/graphql' })).toMatchObject({
      TRACKER_API_URL: { value: 'https://proxy.example/graphql', origin: 'environment' },
      TRACKER_TOKEN_URL: { value: 'https://api.linear.app/oauth/token', origin: 'default' },
      ONCALL_API_URL_EU: { value: 'https://api.eu.pagerduty.com', origin: 'default' },
      GITHOST_URL: { value: 'https://github.com', origin: 'default' },
      GITHOST_API_URL: { value: 'https://api.github.com', origin: 'default' },
    });
    expect(await shown({ GITHOST_URL: 'https://git.example' })).toMatchObject({
      GITHOST_API_URL: { value: 'https://git.example/api/v3' },
    });
    expect(await shown({ GITHOST_KIND: 'gitea' })).toMatchObject({ GITHOST_URL: { value: null } });
  });

  it('names variables of the environment that look like a setting, without their values', async () => {
    const { code, stderr } = await runCli(['config', 'show'], {
      env: { AUTH_BASEURL: 'https://hush.example', ORGCTX_PORTS: 'hush', PATH: 'hush' },
    });
    expect({ code, lines: stderr.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        'The environment variable AUTH_BASEURL has no effect: it is not a setting; did you mean AUTH_BASE_URL?',
        'The environment variable ORGCTX_PORTS has no effect: it is not a setting',
      ],
    });
  });

  it('names a misspelled variable beside the setting that is missing', async () => {
    const env = { AUTH_BASE_URL: 'https://context.example.com', AUTH_SECRT: hush };
    const { code, stderr } = await runCli(['config', 'show'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('AUTH_SECRT is not a setting; did you mean AUTH_SECRET?');
    expect(stderr).not.toContain('hush');
  });

  it('exits with 3 for invalid settings and names all of them', async () => {
    const { code, stdout, stderr } = await runCli(['config', 'show'], {
      env: { PORT: 'x', AUTH_SECRET: 'hush' },
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/2 settings are invalid:\n {2}PORT must[\s\S]*AUTH_SECRET must/);
    expect(stderr).not.toContain('hush');
  });
});
