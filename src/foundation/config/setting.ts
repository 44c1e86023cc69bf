import type { z } from 'zod';

/** How the text of a setting becomes a value. Its faults never repeat the text. */
export type SettingType<Value> = z.ZodType<Value, string>;

/** One deployment setting (contract section 2, specification "Deployment settings"). */
export interface Setting<Value = unknown> {
  readonly type: SettingType<Value>;
  /** For `config show` and the reference: what it means, a phrase. */
  readonly description: string;
  /** Read from NAME_FILE too, and shown as set or unset only. */
  readonly secret: boolean;
  /** The text that holds when nothing is set. */
  readonly fallback: string | undefined;
  /** The default in words, where it depends on other settings. */
  readonly defaultText: string | undefined;
  /** False while what uses it is not built yet: it is read and checked, and nothing more. */
  readonly effective: boolean;
}

type Options = Partial<Pick<Setting, 'secret' | 'fallback' | 'defaultText'>>;

export function setting<Value>(
  type: SettingType<Value>,
  description: string,
  options: Options = {},
): Setting<Value> {
  return {
    type,
    description,
    secret: options.secret ?? false,
    fallback: options.fallback,
    defaultText: options.defaultText ?? options.fallback,
    effective: true,
  };
}

/** A setting that is a secret. */
export function secret<Value>(type: SettingType<Value>, description: string): Setting<Value> {
  return setting(type, description, { secret: true });
}

/** Settings of parts that are not built yet. */
export function withoutEffect<Table extends Readonly<Record<string, Setting>>>(table: Table): Table {
  const declared = Object.entries(table).map(([name, own]) => [name, { ...own, effective: false }]);
  return Object.fromEntries(declared) as Table;
}
