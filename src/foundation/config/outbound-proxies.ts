import type { OutboundProxies } from '../kernel/outbound-proxy.ts';
import { proxiesOf } from './build-config.ts';
import { ConfigError, type SettingError } from './config-error.ts';
import type { Environment } from './read-environment.ts';
import { proxySettings } from './settings/service-settings.ts';
import type { ValuesOf } from './settings/setting.ts';

const names = Object.keys(proxySettings) as (keyof typeof proxySettings)[];

/** The variables of the proxy in lower case. */
export const lowerCaseNames: readonly string[] = names.map((name) => name.toLowerCase());

/**
 * Returns the text of a setting in the environment. The lower-case name of a proxy variable comes first, as in curl,
 * Git and Node.
 */
export function environmentText(env: Environment, name: string): string | undefined {
  const lowerCase = name.toLowerCase();
  return (lowerCaseNames.includes(lowerCase) && env[lowerCase]) || env[name];
}

/**
 * Returns the proxies that the environment names, for commands that only call the service as a client. A settings file
 * of the current folder cannot redirect their requests.
 * @throws ConfigError
 */
export function proxiesOfEnvironment(env: Environment): OutboundProxies {
  const errors: SettingError[] = [];
  const values = names.map((name) => {
    const text = environmentText(env, name) || undefined;
    const parsed = text === undefined ? undefined : proxySettings[name].type.safeParse(text);
    for (const { message } of parsed?.error?.issues ?? []) errors.push({ name, message });
    return [name, parsed?.data];
  });
  if (errors.length > 0) throw new ConfigError(errors);
  return proxiesOf(Object.fromEntries(values) as ValuesOf<typeof proxySettings>);
}
