import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { closestName } from '../kernel/text/closest-name.ts';
import type { SettingError } from './config-error.ts';
import type { SettingTable } from './settings/setting.ts';

export interface ConfigFile {
  /** Absolute path; `undefined` if there is no file. */
  readonly path: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly errors: readonly SettingError[];
}

const defaultName = 'orgctx.yaml';
/** Maximum size of a configuration file, far above any real one. */
const maxBytes = 256 * 1024;

/** Reads `--config FILE`, which must exist, or `./orgctx.yaml`, which is optional. */
export function readConfigFile(table: SettingTable, cwd: string, given: string | undefined): ConfigFile {
  const path = resolve(cwd, given ?? defaultName);
  const name = given ?? defaultName;
  const content = readText(path);
  if ('error' in content) {
    const absent = content.code === 'ENOENT' && given === undefined;
    return absent ? noFile : { path, texts: new Map(), errors: [{ name, message: content.error }] };
  }
  return { path, ...readSettings(table, content.text, name) };
}

const noFile: ConfigFile = { path: undefined, texts: new Map(), errors: [] };

type Content = { readonly text: string } | { readonly error: string; readonly code?: string };

function readText(path: string): Content {
  try {
    const bytes = readFileSync(path);
    return bytes.length > maxBytes ? { error: 'is larger than 256 KiB' } : { text: bytes.toString('utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { error: `cannot be read (${code})`, code };
  }
}

function readSettings(table: SettingTable, text: string, name: string): Pick<ConfigFile, 'texts' | 'errors'> {
  // The failsafe schema keeps every scalar as written, so that a secret of digits does not become a number.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const broken = document.errors.map(({ code, linePos }) => ({
    // The parser's own message quotes the line, which may hold a secret.
    message: `is not valid YAML at line ${linePos?.[0].line ?? '?'} (${code})`,
    name,
  }));
  if (broken.length > 0) return { texts: new Map(), errors: broken };
  if (document.contents === null || isEmpty(document.contents)) return { texts: new Map(), errors: [] };
  if (!isMap(document.contents)) {
    return { texts: new Map(), errors: [{ name, message: 'must be a map of setting names to values' }] };
  }
  const read = document.contents.items.map(({ key, value }) =>
    readEntry(table, isScalar(key) ? String(key.value) : '', value as Node | null, name),
  );
  return {
    texts: new Map(read.flatMap((entry) => ('text' in entry ? [[entry.name, entry.text] as const] : []))),
    errors: read.flatMap((entry) => ('message' in entry ? [entry] : [])),
  };
}

function readEntry(
  table: SettingTable,
  name: string,
  value: Node | null,
  file: string,
): { name: string; text: string } | SettingError {
  if (!isKnown(table, name)) {
    const near = closestName(name, Object.keys(table));
    return { name, message: `is not a setting (in ${file})${near ? `; did you mean ${near}?` : ''}` };
  }
  const text = textOf(value);
  return text === undefined
    ? { name, message: `must be text or a list of texts (in ${file})` }
    : { name, text };
}

/** Returns whether the file may contain this name. `NAME_FILE` is permitted for secrets, as in the environment. */
function isKnown(table: SettingTable, name: string): boolean {
  const base = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : undefined;
  return (
    Object.hasOwn(table, name) ||
    (base !== undefined && Object.hasOwn(table, base) && table[base]?.secret === true)
  );
}

function textOf(value: Node | null): string | undefined {
  if (value === null) return '';
  if (isScalar(value)) return isEmpty(value) ? '' : String(value.value);
  if (!isSeq(value)) return undefined;
  const items = value.items.map((item) => (isScalar(item) ? String(item.value) : undefined));
  return items.includes(undefined) ? undefined : items.join(',');
}

/** Returns whether a value is empty: `KEY:`, `KEY: ~` and `KEY: null` unset a setting. Quoted values are text. */
function isEmpty(value: unknown): boolean {
  return (
    isScalar(value) &&
    value.type === 'PLAIN' &&
    ['', '~', 'null', null].includes(value.value as string | null)
  );
}
