import { gitProviders } from '../../app/open/git-providers.ts';
import { githostUrls } from '../../app/open/provider-settings.ts';
import { connectorName } from '../../features/connectors/port.ts';
import { connectors } from '../../features/connectors/registry.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { misspelledText } from '../../foundation/config/misspelled.ts';
import { registrationPage } from '../../foundation/kernel/registration.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

/** Prints `{configFile, settings: {NAME: {value, origin}}}`; the value of a secret is `set` or `unset`. */
export const configShowCommand = defineCommand({
  description:
    'Shows every setting with its origin (flag, environment, file or default) and the value in effect. Of a secret only set ' +
    'or unset is shown.',
  flags: hostFlags,
  examples: ['orgctx config show', 'orgctx config show --json --config /etc/orgctx.yaml'],
  run: async ({ flags }, context) => {
    const loaded = loadHostConfig(context, flags);
    const { origins, configFile, misspelled } = loaded;
    for (const each of misspelled) {
      context.terminal.note(
        `The environment variable ${each.name} has no effect: it ${misspelledText(each)}`,
      );
    }
    const values = Object.entries(origins).map(([name, { value, origin }]) => [
      name,
      { value: value ?? null, origin },
    ]);
    return {
      json: { configFile: configFile ?? null, settings: Object.fromEntries(values) },
      text: inRows(loaded, context.terminal.out),
    };
  },
});

function inRows(loaded: LoadedConfig, channel: Channel): string {
  return `${settingRows(loaded, channel)}\n\n${providerRows(loaded.config)}`;
}

/** Names the product of each kind of provider, and the page at which this service is registered there. */
function providerRows(config: Config): string {
  const hosts = gitProviders.map((provider) => ({
    name: `githost ${provider.kind} (${provider.product})`,
    page: registrationPage(
      provider,
      provider.kind === config.githost.kind ? githostUrls(config).url : undefined,
    ),
  }));
  const all = [
    ...connectors.map((each) => ({ name: connectorName(each), page: each.registration.page })),
    ...hosts,
  ];
  return all
    .filter(({ page }) => page !== undefined)
    .map(({ name, page }) => `${name} is registered at ${page}`)
    .join('\n');
}

function settingRows({ table, origins }: LoadedConfig, channel: Channel): string {
  const nameWidth = Math.max(...Object.keys(table).map((name) => name.length));
  const originWidth = 'environment'.length;
  return Object.entries(origins)
    .map(([name, { value, origin }]) => {
      const row = `${name.padEnd(nameWidth)}  ${origin.padEnd(originWidth)}  ${visibleLine(value ?? `(${table[name]?.defaultText ?? 'none'})`)}`;
      const given = origin !== 'default' && origin !== 'unset';
      return given ? row : channel.style('dim', row);
    })
    .join('\n');
}
