import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SettingError } from './config-error.ts';
import { environmentText } from './outbound-proxies.ts';
import type { ConfigFile } from './read-config-file.ts';
import type { Environment } from './read-environment.ts';
import type { Setting, SettingTable } from './settings/setting.ts';
import type { SettingName } from './settings/settings.ts';

/** The source of a setting's value, in order of precedence (contract section 2). */
export type Origin = 'flag' | 'environment' | 'file' | 'quickstart' | 'default' | 'unset';

/** The values that `quickstart` saved for later commands of the same account. */
export interface RememberedHost {
  /** Absolute. */
  readonly dataDir: string;
  readonly port: number;
}

export interface CollectedSetting {
  readonly text: string | undefined;
  readonly origin: Origin;
}

/** Every setting by name; those of providers may be absent from the type. */
export type Collected = Readonly<Record<SettingName, CollectedSetting> & Record<string, CollectedSetting>>;

export interface CollectedSettings {
  readonly settings: Collected;
  readonly errors: readonly SettingError[];
}

export interface Sources {
  /** All settings. */
  readonly table: SettingTable;
  readonly flags: Partial<Readonly<Record<SettingName, string | undefined>>>;
  readonly env: Environment;
  readonly file: ConfigFile;
  readonly cwd: string;
  readonly remembered?: RememberedHost | undefined;
}

interface Source {
  readonly origin: Origin;
  readonly get: (name: string) => string | undefined;
}

/** Returns the effective text of each setting. An empty text counts as unset, so the next source is used. */
export function collectSettings({ table, flags, env, file, cwd, remembered }: Sources): CollectedSettings {
  const errors: SettingError[] = [];
  const sources: Source[] = [
    { origin: 'flag', get: (name) => flags[name as SettingName] },
    { origin: 'environment', get: (name) => environmentText(env, name) },
    { origin: 'file', get: (name) => file.texts.get(name) },
  ];
  const dataDirs = sources.map(({ get }) => get('DATA_DIR') || undefined);
  const dataDir = dataDirs.find((given) => given !== undefined);
  // The remembered port belongs to the remembered data folder.
  if (remembered && (dataDir === undefined || resolve(cwd, dataDir) === remembered.dataDir)) {
    const texts = new Map([
      ['DATA_DIR', remembered.dataDir],
      ['PORT', String(remembered.port)],
    ]);
    sources.push({ origin: 'quickstart', get: (name) => texts.get(name) });
  }
  const collect = ([name, setting]: readonly [string, Setting]): CollectedSetting => {
    const { fallback, defaultText } = setting;
    for (const { origin, get } of sources) {
      const given = readGiven(name, setting, get, cwd);
      if (given === undefined) continue;
      if ('message' in given) errors.push(given);
      return { text: given.text ?? fallback, origin };
    }
    return { text: fallback, origin: defaultText === undefined ? 'unset' : 'default' };
  };
  const collected = Object.fromEntries(Object.entries(table).map((entry) => [entry[0], collect(entry)]));
  return { settings: collected as Collected, errors };
}

type Given = { readonly name: string; readonly text: string } | (SettingError & { readonly text?: never });

function readGiven(name: string, { secret }: Setting, get: Source['get'], cwd: string): Given | undefined {
  const text = get(name) || undefined;
  const file = secret ? get(`${name}_FILE`) || undefined : undefined;
  if (file === undefined) return text === undefined ? undefined : { name, text };
  if (text !== undefined) return { name, message: `and ${name}_FILE must not both be set` };
  return readSecretFile(`${name}_FILE`, file, cwd);
}

/**
 * Reads a secret from the file named by the variable `name`. One trailing newline is removed, because editors add it.
 * An empty file is an error, not an unset secret.
 */
export function readSecretFile(name: string, file: string, cwd: string): Given {
  try {
    const text = readFileSync(resolve(cwd, file), 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { name, message: 'names an empty file' } : { name, text };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { name, message: `names a file that cannot be read (${code})` };
  }
}
