import { globSync } from 'node:fs';
import type { Statement, VariableDeclarator } from '@swc/core';
import { Visitor } from '@swc/core/Visitor.js';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

/**
 * The import table gate: runs dependency-cruiser with `.dependency-cruiser.cjs` on the current folder. It fails on a
 * violation, and when fewer modules were cruised than there are files: with a parser that does not support the
 * installed TypeScript, dependency-cruiser cruises nothing and reports no violation.
 */
const folders = ['bin', 'src', 'migrations'];

supportUsing();
const options = await extractDepcruiseOptions('./.dependency-cruiser.cjs');
const result = (await cruise(folders, options)).output as ICruiseResult;
const { violations, totalCruised, totalDependenciesCruised = 0 } = result.summary;

for (const { rule, from, to, cycle } of violations) {
  const way = cycle === undefined ? to : cycle.map(({ name }) => name).join(' → ');
  process.stdout.write(`error ${rule.name}: ${from} → ${way}\n`);
}
process.stdout.write(
  `${violations.length} violations, ${totalCruised} modules, ${totalDependenciesCruised} imports\n`,
);

const missed = uncruised(result);
if (missed.length > 0) {
  process.stdout.write(`${missed.length} files were not cruised: ${missed.slice(0, 5).join(', ')}\n`);
}
process.exitCode = violations.length > 0 || missed.length > 0 ? 1 : 0;

function uncruised({ modules }: ICruiseResult): string[] {
  const cruised = new Set(modules.map(({ source }) => source));
  const files = globSync(folders.map((folder) => `${folder}/**/*.ts`));
  return files.length === 0 ? ['(no source files found)'] : files.filter((file) => !cruised.has(file));
}

/** Extends the visitor of swc, which skips the expressions of `using` declarations. */
function supportUsing(): void {
  const { visitStatement } = Visitor.prototype;
  Visitor.prototype.visitStatement = function (this: Visitor, statement: Statement): Statement {
    if (!isUsing(statement)) return visitStatement.call(this, statement);
    this.visitVariableDeclarators(statement.decls);
    return statement;
  };
}

/** Returns whether the statement is a `using` declaration, which the types of the visitor lack. */
function isUsing(statement: object): statement is { readonly decls: VariableDeclarator[] } {
  return 'type' in statement && statement.type === 'UsingDeclaration' && 'decls' in statement;
}
