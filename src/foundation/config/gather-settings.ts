import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigFault } from './config-error.ts';
import type { ConfigFile } from './read-config-file.ts';
import type { Environment } from './read-environment.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

/** Where the value of a setting comes from, first wins in this order (contract section 2). */
export type Origin = 'flag' | 'environment' | 'file' | 'default' | 'unset';

export interface GatheredSetting {
  readonly text: string | undefined;
  readonly origin: Origin;
}

export interface Gathered {
  readonly settings: Readonly<Record<SettingName, GatheredSetting>>;
  readonly faults: readonly ConfigFault[];
}

export interface Sources {
  readonly flags: Partial<Readonly<Record<SettingName, string | undefined>>>;
  readonly env: Environment;
  readonly file: ConfigFile;
  readonly cwd: string;
}

interface Source {
  readonly origin: Origin;
  readonly get: (name: string) => string | undefined;
}

/** The text that holds for each setting. Empty = unset, so the next source is asked. */
export function gatherSettings({ flags, env, file, cwd }: Sources): Gathered {
  const faults: ConfigFault[] = [];
  const sources: readonly Source[] = [
    { origin: 'flag', get: (name) => flags[name as SettingName] },
    { origin: 'environment', get: (name) => env[name] },
    { origin: 'file', get: (name) => file.texts.get(name) },
  ];
  const gather = (name: SettingName): GatheredSetting => {
    for (const { origin, get } of sources) {
      const given = readGiven(name, get, cwd);
      if (given === undefined) continue;
      if ('message' in given) faults.push(given);
      return { text: given.text, origin };
    }
    const { fallback } = settings[name];
    return { text: fallback, origin: settings[name].defaultText === undefined ? 'unset' : 'default' };
  };
  const gathered = Object.fromEntries(settingNames.map((name) => [name, gather(name)]));
  return { settings: gathered as Record<SettingName, GatheredSetting>, faults };
}

type Given = { readonly name: string; readonly text: string } | (ConfigFault & { readonly text?: never });

function readGiven(name: SettingName, get: Source['get'], cwd: string): Given | undefined {
  const text = get(name) || undefined;
  const file = settings[name].secret ? get(`${name}_FILE`) || undefined : undefined;
  if (file === undefined) return text === undefined ? undefined : { name, text };
  if (text !== undefined) return { name, message: `and ${name}_FILE must not both be set` };
  return readSecretFile(`${name}_FILE`, file, cwd);
}

/**
 * The secret in the file that the variable `name` names. One trailing newline is the editor's, not the secret's. An
 * empty file is a slip, not an unset secret.
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
