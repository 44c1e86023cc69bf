import type { Ecosystem } from './manifests/manifest.ts';

/** The rule by which the imports of a language lead to packages. */
interface ImportRule {
  readonly ecosystem: Ecosystem;
  /** Returns the form of the name of a package that imports are compared with. */
  readonly keyOf: (name: string) => string;
  /** Returns the keys of the packages that a module may belong to, the most specific first; none for a local one. */
  readonly keysOfModule: (module: string) => readonly string[];
}

/** Maximum number of parts of a module that are looked at. */
const maxParts = 20;

/** Returns the beginnings of a name of parts, the longest first. */
function beginnings(parts: readonly string[], joint: string): readonly string[] {
  const first = parts.slice(0, maxParts);
  return first.map((_, index) => first.slice(0, first.length - index).join(joint));
}

const dashed = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
const letters = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '');

/** The rules by family of languages. The packages of other families are only named by manifests. */
const rules: Readonly<Record<string, ImportRule>> = {
  ecmascript: {
    ecosystem: 'npm',
    keyOf: (name) => name,
    keysOfModule: (module) => {
      if (/^[./#]|:/.test(module)) return [];
      const [scope = '', name = ''] = module.split('/', 2);
      return [scope.startsWith('@') ? `${scope}/${name}` : scope];
    },
  },
  go: {
    ecosystem: 'go',
    keyOf: (name) => name,
    keysOfModule: (module) => beginnings(module.split('/'), '/'),
  },
  python: {
    ecosystem: 'pypi',
    keyOf: dashed,
    keysOfModule: (module) =>
      module.startsWith('.') ? [] : beginnings(module.split('.'), '-').map((name) => dashed(name)),
  },
  rust: {
    ecosystem: 'cargo',
    keyOf: dashed,
    keysOfModule: (module) => [dashed(module.split('::', 1)[0]!)],
  },
  java: {
    ecosystem: 'maven',
    // The artifact does not occur in imports.
    keyOf: (name) => name.split(':', 1)[0]!,
    keysOfModule: (module) => beginnings(module.split('.'), '.'),
  },
  php: {
    ecosystem: 'composer',
    keyOf: letters,
    // A namespace has the words of the package after the vendor, and may have others before them.
    keysOfModule: (module) => {
      const [vendor = '', ...words] = module.split('\\').slice(0, 5);
      const names = [...beginnings(words, ''), ...words];
      return [...new Set(names.map((name) => letters(`${vendor}/${name}`)))];
    },
  },
  ruby: {
    ecosystem: 'gem',
    keyOf: dashed,
    keysOfModule: (module) =>
      module.startsWith('.') ? [] : beginnings(module.split('/'), '-').map((name) => dashed(name)),
  },
  csharp: {
    ecosystem: 'nuget',
    keyOf: (name) => name.toLowerCase(),
    keysOfModule: (module) => beginnings(module.toLowerCase().split('.'), '.'),
  },
};

const byEcosystem = new Map(Object.values(rules).map((rule) => [rule.ecosystem, rule]));

/** Returns how imports of a family of languages lead to packages. */
export function importRuleOf(family: string): ImportRule | undefined {
  return Object.hasOwn(rules, family) ? rules[family] : undefined;
}

/** Returns the form of the name of a package that imports are compared with. */
export function packageKey(ecosystem: Ecosystem, name: string): string {
  return byEcosystem.get(ecosystem)?.keyOf(name) ?? name;
}

/** Returns a name of a package as all its spellings are compared: some registries ignore case or punctuation. */
export function packageId(ecosystem: Ecosystem, name: string): string {
  if (ecosystem === 'pypi') return dashed(name);
  return ecosystem === 'nuget' || ecosystem === 'composer' ? name.toLowerCase() : name;
}
