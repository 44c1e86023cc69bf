import type { LoadedConfig } from './load-config.ts';

/** Returns the configured settings that have no effect yet, in the order of `config show`. */
export function ineffectiveSettings({
  table,
  origins,
}: Pick<LoadedConfig, 'table' | 'origins'>): readonly string[] {
  return Object.entries(table).flatMap(([name, { effective }]) => {
    const origin = origins[name]?.origin;
    return effective || origin === 'default' || origin === 'unset' ? [] : [name];
  });
}
