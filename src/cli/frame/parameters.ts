/** One flag or positional argument: its help text, and a function that parses its value. */
export interface Parameter<Value> {
  readonly description: string;
  /**
   * `switch` has no value; `values` is the last argument of a command, which consumes all remaining words, or a
   * repeatable flag.
   */
  readonly shape: 'switch' | 'value' | 'values';
  /** The name of the value in the usage: `<file>`. */
  readonly placeholder: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  /** Parses the raw texts, which are empty if the parameter is absent. @throws ParameterError */
  readonly read: (texts: readonly string[]) => Value;
}

/** Flags by camel-case name: `dataDir` is `--data-dir`; a switch `noWorker` is `--no-worker`. */
export type Flags = Readonly<Record<string, Parameter<unknown>>>;
/** Positional arguments in order. */
export type Arguments = Readonly<Record<string, Parameter<unknown>>>;
export type Values<P extends Flags | Arguments> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

/** The error of an invalid value; its message continues "--limit …": `must be a whole number from 1 to 200`. */
export class ParameterError extends Error {}

/** A flag without a value; true if present. */
export function toggle(description: string): Parameter<boolean> {
  return {
    description,
    shape: 'switch',
    placeholder: '',
    required: false,
    read: (given) => given.length > 0,
  };
}

/** An optional text; `undefined` if absent or empty (contract section 2: empty = unset). */
export function text(placeholder: string, description: string): Parameter<string | undefined> {
  return { description, shape: 'value', placeholder, required: false, read: ([given]) => given || undefined };
}

export function requiredText(placeholder: string, description: string): Parameter<string> {
  return { description, shape: 'value', placeholder, required: true, read: ([given]) => notEmpty(given) };
}

/** Zero or more words; the last argument of a command. */
export function texts(description: string): Parameter<readonly string[]> {
  return { description, shape: 'values', placeholder: '', required: false, read: (given) => given };
}

/** A required text of one or more words, which are joined by spaces; the last argument of a command. */
export function requiredWords(description: string): Parameter<string> {
  return {
    description,
    shape: 'values',
    placeholder: '',
    required: true,
    read: (given) => notEmpty(given.join(' ')),
  };
}

/** A flag that may be given several times. */
export function repeated(placeholder: string, description: string): Parameter<readonly string[]> {
  return { ...texts(`${description} (repeatable)`), placeholder };
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
    description: description.replace(/(?=; default)|$/, ` (${choices.join(', ')})`),
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
      throw new ParameterError(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
  return { description, shape: 'value', placeholder, required: false, read };
}

function chosenFrom<Choice extends string>(choices: readonly Choice[], given: string | undefined): Choice {
  const chosen = choices.find((one) => one === given);
  if (chosen === undefined) throw new ParameterError(`must be one of ${choices.join(', ')}`);
  return chosen;
}

function notEmpty(given: string | undefined): string {
  if (given === undefined || given.trim() === '') throw new ParameterError('must not be empty');
  return given;
}
