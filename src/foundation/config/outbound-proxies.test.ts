import { expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load-config.ts';
import { proxiesOfEnvironment } from './outbound-proxies.ts';
import type { Environment } from './read-environment.ts';

const load = (env: Environment) => loadConfig({ env, cwd: '/nowhere', homeDir: '/home/me' });

it('reads the proxies, and shows no URL of one', () => {
  const { secrets, origins, misspelled } = load({
    HTTPS_PROXY: 'http://user:p%40ss@proxy.example:3128/',
    HTTP_PROXY: 'proxy.example:8080',
    NO_PROXY: 'git.corp.example, .internal,10.0.0.0/8',
  });
  expect(secrets.proxies).toEqual({
    https: 'http://user:p%40ss@proxy.example:3128',
    http: 'http://proxy.example:8080',
    noProxy: ['git.corp.example', '.internal', '10.0.0.0/8'],
  });
  expect(origins.HTTPS_PROXY).toEqual({ value: 'set', origin: 'environment' });
  expect(origins.NO_PROXY.value).toBe('git.corp.example, .internal,10.0.0.0/8');
  expect(misspelled).toEqual([]);
});

it('reads the names in lower case first', () => {
  const env = { https_proxy: 'http://lower.example', HTTPS_PROXY: 'http://upper.example', no_proxy: '*' };
  const { secrets, misspelled } = load(env);
  expect(secrets.proxies).toEqual({ https: 'http://lower.example', http: undefined, noProxy: ['*'] });
  expect(misspelled).toEqual([]);
  expect(proxiesOfEnvironment(env)).toEqual(secrets.proxies);
});

it.each(['socks5://proxy.example:1080', 'http://', 'http://u:%zz-hush@proxy.example'])(
  'refuses %s by the name of the setting, without its value',
  (HTTPS_PROXY) => {
    for (const read of [load, proxiesOfEnvironment]) {
      expect(() => read({ HTTPS_PROXY })).toThrow(ConfigError);
      expect(() => read({ HTTPS_PROXY })).toThrow(/^(?!.*(hush|socks5)).*HTTPS_PROXY.*URL of a proxy/s);
    }
  },
);
