import { settingNames, settings } from '../foundation/config/settings.ts';
import type { ShownSettings } from '../foundation/config/show-settings.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import type { Channel } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

/** `{configFile, settings: {NAME: {value, origin}}}`; a secret's value is `set` or `unset`. */
export const configShowCommand = defineCommand({
  description:
    'Every setting, the value that holds and where it comes from. Secrets are shown as set or unset.',
  flags: hostFlags,
  examples: ['orgctx config show', 'orgctx config show --json --config /etc/orgctx.yaml'],
  run: async ({ flags }, context) => {
    const { origins, configFile } = loadHostConfig(context, flags);
    const shown = Object.entries(origins).map(([name, { value, origin }]) => [
      name,
      { value: value ?? null, origin },
    ]);
    return {
      json: { configFile: configFile ?? null, settings: Object.fromEntries(shown) },
      text: inRows(origins, context.terminal.out),
    };
  },
});

function inRows(origins: ShownSettings, channel: Channel): string {
  const nameWidth = Math.max(...settingNames.map((name) => name.length));
  const originWidth = 'environment'.length;
  return settingNames
    .map((name) => {
      const { value, origin } = origins[name];
      const row = `${name.padEnd(nameWidth)}  ${origin.padEnd(originWidth)}  ${visibleLine(value ?? `(${settings[name].defaultText ?? 'none'})`)}`;
      const given = origin !== 'default' && origin !== 'unset';
      return given ? row : channel.style('dim', row);
    })
    .join('\n');
}
