import type { z } from 'zod';
import type { Config } from '../config.ts';

/** Parses the text of a setting. Its errors never repeat the text. */
export type SettingType<Value> = z.ZodType<Value, string>;

/** One deployment setting (contract section 2, specification "Deployment settings"). */
export interface Setting<Value = unknown, Fallback extends string | undefined = string | undefined> {
  readonly type: SettingType<Value>;
  /** Meaning of the setting as a phrase, for `config show` and the reference. */
  readonly description: string;
  /** True for secrets: they can also be read from NAME_FILE, and are shown only as set or unset. */
  readonly secret: boolean;
  /** Default text. */
  readonly fallback: Fallback;
  /** Description of the default, if it depends on other settings. */
  readonly defaultText: string | undefined;
  /** Returns the default, if it depends on other settings and `config show` can resolve it. */
  readonly derivedDefault: ((config: Config) => string | undefined) | undefined;
}

/** Settings by name. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The parsed values of a table; `undefined` if neither a value nor a default text exists. */
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]:
    | z.output<Table[Name]['type']>
    | (Table[Name]['fallback'] extends string ? never : undefined);
};

type Options<Fallback> = Partial<Pick<Setting, 'secret' | 'defaultText' | 'derivedDefault'>> & {
  readonly fallback?: Fallback;
};

export function setting<Value, Fallback extends string | undefined = undefined>(
  type: SettingType<Value>,
  description: string,
  options: Options<Fallback> = {},
): Setting<Value, Fallback> {
  return {
    type,
    description,
    secret: options.secret ?? false,
    fallback: options.fallback as Fallback,
    defaultText: options.defaultText ?? options.fallback,
    derivedDefault: options.derivedDefault,
  };
}

/** Declares a secret setting. */
export function secret<Value>(type: SettingType<Value>, description: string): Setting<Value, undefined> {
  return setting(type, description, { secret: true });
}
