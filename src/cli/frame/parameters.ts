/** One flag or positional argument: its words in the help, and how its text becomes a value. */
export interface Parameter<Value> {
  readonly description: string;
  /** `switch` takes no value; `values` is the last argument of a command and takes all words that are left. */
  readonly shape: 'switch' | 'value' | 'values';
  /** The value's name in the usage: `<file>`. */
  readonly placeholder: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  /** `texts` as typed, empty when absent. @throws ParameterFault */
  readonly read: (texts: readonly string[]) => Value;
}

/** Flags by their camel-case names: `dataDir` is `--data-dir`; a switch `noWorker` is `--no-worker`. */
export type Flags = Readonly<Record<string, Parameter<unknown>>>;
/** Positional arguments in their order. */
export type Arguments = Readonly<Record<string, Parameter<unknown>>>;
export type Values<P extends Flags | Arguments> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** What is wrong with a value, as the end of "--limit …": `must be a whole number from 1 to 200`. */
export class ParameterFault extends Error {}

/** True when given. */
export function toggle(description: string): Parameter<boolean> {
  return {
    description,
    shape: 'switch',
    placeholder: '',
    required: false,
    read: (given) => given.length > 0,
  };
}

/** Any text; `undefined` when absent or empty (contract section 2: empty = unset). */
export function text(placeholder: string, description: string): Parameter<string | undefined> {
  return { description, shape: 'value', placeholder, required: false, read: ([given]) => given || undefined };
}

export function requiredText(placeholder: string, description: string): Parameter<string> {
  return { description, shape: 'value', placeholder, required: true, read: ([given]) => notEmpty(given) };
}

/** Any number of words, none included; the last argument of a command. */
export function texts(description: string): Parameter<readonly string[]> {
  return { description, shape: 'values', placeholder: '', required: false, read: (given) => given };
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Parameter<Choice | undefined> {
  return {
    ...requiredChoice(choices, description),
    required: false,
    read: ([given]) => (given === undefined ? undefined : chosenFrom(choices, given)),
  };
}

export function requiredChoice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): Parameter<Choice> {
  return {
    description: `${description} (${choices.join(', ')})`,
    shape: 'value',
    placeholder: 'name',
    required: true,
    choices,
    read: ([given]) => chosenFrom(choices, given),
  };
}

/** A whole number in [min, max]. */
export function integer(
  placeholder: string,
  description: string,
  [min, max]: readonly [number, number],
): Parameter<number | undefined> {
  const read = ([given]: readonly string[]): number | undefined => {
    if (given === undefined || given === '') return undefined;
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new ParameterFault(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
  return { description, shape: 'value', placeholder, required: false, read };
}

function chosenFrom<Choice extends string>(choices: readonly Choice[], given: string | undefined): Choice {
  const chosen = choices.find((one) => one === given);
  if (chosen === undefined) throw new ParameterFault(`must be one of ${choices.join(', ')}`);
  return chosen;
}

function notEmpty(given: string | undefined): string {
  if (given === undefined || given.trim() === '') throw new ParameterFault('must not be empty');
  return given;
}
