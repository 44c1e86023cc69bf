import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { misspelledText } from '../../foundation/config/misspelled.ts';
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

function inRows({ table, origins }: LoadedConfig, channel: Channel): string {
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
