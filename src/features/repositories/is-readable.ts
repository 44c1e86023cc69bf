import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '../../foundation/db/tables.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';

type Condition = (e: ExpressionBuilder<Tables, 'repositories'>) => Expression<SqlBool>;

/** Returns the condition for the repositories that a scope may read. Every read of the table has it. */
export function isReadable({ organizationId, repositories }: DataScope): Condition {
  return (e) => {
    const own = e('organization_id', '=', organizationId);
    if (repositories === undefined) return own;
    // An empty list is no valid SQL.
    return repositories.size === 0 ? sql<boolean>`1 = 0` : own.and('id', 'in', [...repositories]);
  };
}
