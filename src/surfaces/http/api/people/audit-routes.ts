import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { auditRecord, toAuditRecord } from '../../../../features/identity/audit/audit-record.ts';
import { listAudit } from '../../../../features/identity/audit/audit-store.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, type PageQuery, pageQuery, scopeOf } from '../request-parts.ts';
import type { PeopleDeps } from './people-deps.ts';

const auditPage = pageRecord(auditRecord);

export function auditRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/audit',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'listAuditEvents',
          tags: ['Audit'],
          summary: 'Audit events of the organization, newest first',
          params: organizationPath,
          querystring: pageQuery,
          response: { 200: auditPage, ...problemResponses(400, 401, 403, 429) },
        },
      },
      (request) => recordPage(deps, scopeOf(request), request.query),
    );
  };
}

async function recordPage({ database }: PeopleDeps, scope: OrgScope, query: PageQuery) {
  const { items, nextCursor } = await listAudit(database.queries, scope, query);
  return { items: items.map(toAuditRecord), nextCursor };
}
