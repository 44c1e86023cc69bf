import type { Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import { type Found, isType, type Meaning, noSurerThan, type Reason } from './found.ts';
import { lookUp, lookUpInFile, lookUpOutside, lookUpType, lookUpWrittenType, oneOf } from './look-up.ts';
import type { Target } from './table-file.ts';
import { declaredType, findAround, findMemberOf, typeAround } from './type-members.ts';

/** Maximum number of steps that the type of one receiver is followed through, in all declarations together. */
const maxSteps = 40;

/** The steps that are left: a declaration with several, each of which has several, would take exponential time. */
interface Budget {
  steps: number;
}

/** Names of types that say nothing of the members of a value: `any`, and type parameters. */
const opaque =
  /^(?:any|unknown|object|Any|AnyStr|Object|dynamic|auto|var|mixed|interface|[A-Z]\d?|T[A-Z]\w*|_?T)$/;

/**
 * Returns the type of a receiver by what it follows from (`Use.receiverType`); `elsewhere` if another repository
 * defines it, `undefined` if that is not known.
 */
export function findReceiverType(
  names: FileNames,
  use: Use,
  receiverType: string,
  budget: Budget = { steps: maxSteps },
): Meaning {
  const [head = '', ...steps] = receiverType.split('/');
  budget.steps -= 1 + steps.length;
  if (budget.steps < 0) return undefined;
  const { receiverType: _, ...unknown } = use;
  let type =
    head === 'this'
      ? typeAround(names, use)
      : head.endsWith('()')
        ? findResultType(names, unknown, head.slice(0, -2), budget)
        : typeNamed(names, use, head);
  for (const step of steps) {
    if (type === undefined || type === 'elsewhere') return type;
    type = typeAfter(names, type, step, budget);
  }
  return type;
}

/**
 * Returns the type of a receiver whose head is a variable that is defined outside of functions, here or in an imported
 * module; `undefined` if it is none, or has no type.
 */
export function findVariableType(
  names: FileNames,
  use: Use,
  receiver: string,
  budget: Budget = { steps: maxSteps },
): Meaning {
  const [head = '', second, ...rest] = receiver.split('.');
  const value: Use = { ...use, kind: 'value', name: head, receiver: undefined };
  const imported = second === undefined ? [] : names.exported(names.boundFiles(head), second, 'value');
  const isImported = imported.length === 1;
  const found = isImported ? oneOf('imported', imported) : lookUp(names, value);
  if (found === undefined || found === 'elsewhere' || found.targets.length !== 1) return undefined;
  const { path, symbol } = found.targets[0]!;
  if (symbol.returns === undefined || !isVariable.test(symbol.kind)) return undefined;
  const steps = isImported ? rest : [second, ...rest].filter((step) => step !== undefined);
  return typeIn(names, path, [symbol.returns, ...steps].join('/'), found, budget);
}

const isVariable = /^(?:variable|constant)$/;

/** Returns the type of a field, or of the result of a method (with `()`), of a value of a type. */
function typeAfter(names: FileNames, type: Found, step: string, budget: Budget): Meaning {
  const declared = declaredType(names, type, step);
  if (declared === undefined) return undefined;
  if (meansItself.test(declared.written)) return type;
  return typeIn(names, declared.path, declared.written, declared, budget);
}

/** Returns the type that a file writes, no surer than what leads to it. */
function typeIn(names: FileNames, path: string, written: string, reason: Reason, budget: Budget): Meaning {
  const file = names.of(path);
  const type = file && findReceiverType(file, noUse, written, budget);
  return type === 'elsewhere' ? type : noSurerThan(reason, type);
}

/** Result types that mean the type of the receiver. */
const meansItself = /^(?:this|self|static|Self)$/;

const noUse: Use = { kind: 'type', name: '', receiver: undefined, line: 0, from: undefined };

/** Returns the type with a name, `undefined` if that says nothing of a value. */
function typeNamed(names: FileNames, use: Use, name: string): Meaning {
  const found = lookUpWrittenType(names, use, name);
  if (found !== undefined) return found;
  const last = name.slice(name.lastIndexOf('.') + 1);
  return opaque.test(last) && names.bindings(last).length === 0 ? undefined : 'elsewhere';
}

/** Returns the type of what a call returns: of a constructor the type itself, of a function the declared result. */
function findResultType(names: FileNames, use: Use, callee: string, budget: Budget): Meaning {
  const dot = callee.lastIndexOf('.');
  const receiver = dot < 0 ? undefined : callee.slice(0, dot);
  const call: Use = { ...use, kind: 'call', name: callee.slice(dot + 1), receiver };
  const found = findCallee(names, call, receiver, budget);
  if (found === 'elsewhere' || found === undefined) return found;
  if (found.rule === 'candidates') return undefined;
  const [target] = found.targets;
  return target === undefined || isType(target) ? found : findDeclaredResult(names, found, target, budget);
}

function findCallee(names: FileNames, call: Use, receiver: string | undefined, budget: Budget): Meaning {
  if (receiver === undefined) {
    const found = lookUpInFile(names, call);
    if (found !== undefined) return found;
    const inherited = names.language.implicitSelf ? findAround(names, call) : undefined;
    return inherited ?? lookUpOutside(names, call);
  }
  if (receiver === 'this') return findAround(names, call);
  const imported = findImportedMember(names, call, receiver);
  if (imported !== undefined) return imported;
  const type = lookUpType(names, call, receiver.slice(receiver.lastIndexOf('.') + 1));
  const member = type && findMemberOf(names, type, call);
  if (member !== undefined) return member;
  const variable = findVariableType(names, call, receiver, budget);
  return variable === 'elsewhere' ? variable : variable && findMemberOf(names, variable, call);
}

function findDeclaredResult(names: FileNames, found: Found, target: Target, budget: Budget): Meaning {
  const { returns } = target.symbol;
  if (returns === undefined) return undefined;
  if (meansItself.test(returns)) {
    const owner = names.table.around(target);
    return owner && isType(owner) ? { ...found, targets: [owner] } : undefined;
  }
  return typeIn(names, target.path, returns, found, budget);
}

/** Finds a name of an imported module, or a member of an imported type. */
export function findImportedMember(names: FileNames, use: Use, receiver: string): Meaning {
  const whole = names.bindings(receiver);
  const head = receiver.split('.', 1)[0]!;
  const bound = whole.length > 0 ? whole : names.bindings(head);
  if (bound.length === 0) return undefined;
  if (bound.every(({ paths }) => paths.length === 0)) return 'elsewhere';
  const isWhole = whole.length > 0;
  for (const { imported, paths } of bound) {
    const isModule = imported.name === undefined || isSubmodule(names, imported.name, paths);
    if (isModule && isWhole) {
      const found = oneOf('imported', names.exported(paths, use.name, use.kind));
      if (found !== undefined) return found;
    }
    const typeName = isModule || !isWhole ? receiver.slice(receiver.lastIndexOf('.') + 1) : imported.name;
    const types = typeName === undefined ? [] : names.exported(paths, typeName, 'type');
    const type = oneOf('imported', types);
    const member = type && findMemberOf(names, type, use);
    if (member !== undefined) return member;
  }
  return undefined;
}

/** Returns whether an imported name is a module itself: `from package import module`, `use crate::module`. */
function isSubmodule({ language }: FileNames, name: string, paths: readonly string[]): boolean {
  const files = language.moduleFiles?.(name) ?? [];
  return paths.some((path) => files.some((file) => `/${path}`.endsWith(`/${file}`)));
}
