import type { z } from 'zod';
import type { Config } from './config.ts';

/** Parses the text of a setting. Its errors never repeat the text. */
export type SettingType<Value> = z.ZodType<Value, string>;

/** One deployment setting (contract section 2, specification "Deployment settings"). */
export interface Setting<Value = unknown> {
  readonly type: SettingType<Value>;
  /** Meaning of the setting as a phrase, for `config show` and the reference. */
  readonly description: string;
  /** True for secrets: they can also be read from NAME_FILE, and are shown only as set or unset. */
  readonly secret: boolean;
  /** Default text. */
  readonly fallback: string | undefined;
  /** Description of the default, if it depends on other settings. */
  readonly defaultText: string | undefined;
  /** Returns the default, if it depends on other settings and `config show` can resolve it. */
  readonly derivedDefault: ((config: Config) => string) | undefined;
}

/** Settings by name. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The parsed values of a table; `undefined` if neither a value nor a default exists. */
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]['type']> | undefined;
};

type Options = Partial<Pick<Setting, 'secret' | 'fallback' | 'defaultText' | 'derivedDefault'>>;

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
    derivedDefault: options.derivedDefault,
  };
}

/** Declares a secret setting. */
export function secret<Value>(type: SettingType<Value>, description: string): Setting<Value> {
  return setting(type, description, { secret: true });
}
