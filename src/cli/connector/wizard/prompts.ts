import * as clack from '@clack/prompts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { CommandContext } from '../../frame/context.ts';
import { Interrupted } from '../../frame/interrupted.ts';

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Questions on the terminal. Each throws `Interrupted` if the person cancels it. */
export interface Prompts {
  text(
    message: string,
    options?: { readonly initial?: string; readonly optional?: boolean },
  ): Promise<string>;
  /** Asks for a secret, which is not shown. */
  secret(message: string): Promise<string>;
  confirm(message: string): Promise<boolean>;
  /** Asks for one of several; typing filters them. */
  choose<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value>;
  chooseMany<Value>(message: string, choices: readonly Choice<Value>[]): Promise<readonly Value[]>;
  say(message: string): void;
  warn(message: string): void;
}

/** Maximum number of choices that are visible at once; the others are reached by scrolling and typing. */
const visibleChoices = 12;

export function openPrompts({ terminal, signal }: CommandContext): Prompts {
  const common = { input: terminal.stdin, output: terminal.stderr, signal };
  const list = { ...common, maxItems: visibleChoices, placeholder: 'type to filter' };
  return {
    text: async (message, { initial, optional = false } = {}) => {
      const validate = optional ? undefined : required;
      const answer = await clack.text({
        ...common,
        message,
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(validate && { validate }),
      });
      return (answered(answer, signal) ?? '').trim();
    },
    secret: async (message) =>
      answered(await clack.password({ ...common, message, validate: required }), signal).trim(),
    confirm: async (message) => answered(await clack.confirm({ ...common, message }), signal),
    choose: async (message, choices) => {
      const options = choices.map((_, index) => optionOf(choices, index));
      const index = answered(await clack.autocomplete({ ...list, message, options }), signal);
      return chosen(choices, index);
    },
    chooseMany: async (message, choices) => {
      const options = choices.map((_, index) => optionOf(choices, index));
      const picked = await clack.autocompleteMultiselect({ ...list, message, options });
      return answered(picked, signal).map((index) => chosen(choices, index));
    },
    say: (message) => clack.log.message(visibleLine(message), { output: terminal.stderr }),
    warn: (message) => clack.log.warn(visibleLine(message), { output: terminal.stderr }),
  };
}

/** Values of the library's options must be primitive, so a choice is named by its index. */
function optionOf(choices: readonly Choice<unknown>[], index: number) {
  const { label = '', hint } = choices[index] ?? {};
  return { value: index, label: visibleLine(label), ...(hint ? { hint: visibleLine(hint) } : {}) };
}

function chosen<Value>(choices: readonly Choice<Value>[], index: number): Value {
  const choice = choices[index];
  if (choice === undefined) throw new Error('expected one of the choices');
  return choice.value;
}

function required(text: string | undefined): string | undefined {
  return text?.trim() ? undefined : 'Enter a value.';
}

function answered<Value>(answer: Value, signal: AbortSignal): Exclude<Value, symbol> {
  signal.throwIfAborted();
  if (clack.isCancel(answer)) throw new Interrupted('Ctrl-C');
  return answer as Exclude<Value, symbol>;
}
