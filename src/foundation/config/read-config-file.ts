import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { closestName } from '../kernel/closest-name.ts';
import type { ConfigFault } from './config-error.ts';
import { isSettingName, settingNames, settings } from './settings.ts';

export interface ConfigFile {
  /** Absolute; `undefined` when there is none. */
  readonly path: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: readonly ConfigFault[];
}

const defaultName = 'orgctx.yaml';
/** Far above any real file. */
const maxBytes = 256 * 1024;

/** Reads `--config FILE`, which must exist, or `./orgctx.yaml`, which may. */
export function readConfigFile(cwd: string, given: string | undefined): ConfigFile {
  const path = resolve(cwd, given ?? defaultName);
  const name = given ?? defaultName;
  const content = readText(path);
  if ('fault' in content) {
    const absent = content.code === 'ENOENT' && given === undefined;
    return absent ? noFile : { path, texts: new Map(), faults: [{ name, message: content.fault }] };
  }
  return { path, ...readSettings(content.text, name) };
}

const noFile: ConfigFile = { path: undefined, texts: new Map(), faults: [] };

type Content = { readonly text: string } | { readonly fault: string; readonly code?: string };

function readText(path: string): Content {
  try {
    const bytes = readFileSync(path);
    return bytes.length > maxBytes ? { fault: 'is larger than 256 KiB' } : { text: bytes.toString('utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { fault: `cannot be read (${code})`, code };
  }
}

function readSettings(text: string, name: string): Pick<ConfigFile, 'texts' | 'faults'> {
  // The failsafe schema keeps every scalar as written: a secret of digits is no number.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: true });
  const broken = document.errors.map(({ code, linePos }) => ({
    // The parser's own message quotes the line, which may hold a secret.
    message: `is not valid YAML at line ${linePos?.[0].line ?? '?'} (${code})`,
    name,
  }));
  if (broken.length > 0) return { texts: new Map(), faults: broken };
  if (document.contents === null || isEmpty(document.contents)) return { texts: new Map(), faults: [] };
  if (!isMap(document.contents)) {
    return { texts: new Map(), faults: [{ name, message: 'must be a map of setting names to values' }] };
  }
  const read = document.contents.items.map(({ key, value }) =>
    readEntry(isScalar(key) ? String(key.value) : '', value as Node | null, name),
  );
  return {
    texts: new Map(read.flatMap((entry) => ('text' in entry ? [[entry.name, entry.text] as const] : []))),
    faults: read.flatMap((entry) => ('message' in entry ? [entry] : [])),
  };
}

function readEntry(
  name: string,
  value: Node | null,
  file: string,
): { name: string; text: string } | ConfigFault {
  if (!isKnown(name)) {
    const near = closestName(name, settingNames);
    return { name, message: `is not a setting (in ${file})${near ? `; did you mean ${near}?` : ''}` };
  }
  const text = textOf(value);
  return text === undefined
    ? { name, message: `must be text or a list of texts (in ${file})` }
    : { name, text };
}

/** A secret may be named by its file here as in the environment. */
function isKnown(name: string): boolean {
  const base = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : undefined;
  return isSettingName(name) || (base !== undefined && isSettingName(base) && settings[base].secret);
}

function textOf(value: Node | null): string | undefined {
  if (value === null) return '';
  if (isScalar(value)) return isEmpty(value) ? '' : String(value.value);
  if (!isSeq(value)) return undefined;
  const items = value.items.map((item) => (isScalar(item) ? String(item.value) : undefined));
  return items.includes(undefined) ? undefined : items.join(',');
}

/** `KEY:`, `KEY: ~` and `KEY: null` unset a setting; quoted they are text. */
function isEmpty(value: unknown): boolean {
  return (
    isScalar(value) &&
    value.type === 'PLAIN' &&
    ['', '~', 'null', null].includes(value.value as string | null)
  );
}
